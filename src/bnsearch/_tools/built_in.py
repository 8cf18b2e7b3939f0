"""The methods and scores of the library: one line for each, its name and its class."""

from __future__ import annotations

BUILT_IN_METHODS = {
    "auto": "bnsearch.learning.auto:AutoSearch",
    "ginobs": "bnsearch.ondemand.ginobs:GINOBS",
    "rinobs": "bnsearch.orderings.rinobs:RINOBS",
    "minobs": "bnsearch.orderings.minobs:MINOBS",
    "iinobs": "bnsearch.orderings.iinobs:IINOBS",
    "inobs": "bnsearch.orderings.inobs:INOBS",
    "asobs": "bnsearch.orderings.asobs:ASOBS",
    "obs": "bnsearch.orderings.obs:OBS",
    "exact": "bnsearch.exact.method:Exact",
    "ges": "bnsearch.equivalence.ges:GES",
    "iges": "bnsearch.equivalence.iges:IGES",
    "ilges": "bnsearch.equivalence.ilges:ILGES",
    "vnges": "bnsearch.equivalence.vnges:VNGES",
    "gresp": "bnsearch.equivalence.gresp:GRESP",
    "hillclimb": "bnsearch.dags.hillclimb:HillClimb",
    "tabu": "bnsearch.dags.hillclimb:Tabu",
    "k2": "bnsearch.dags.k2:K2",
    "miiga": "bnsearch.genetic.miiga:MIIGA",
    "cga": "bnsearch.genetic.cga:CGA",
    "dga": "bnsearch.genetic.dga:DGA",
    "bncpso": "bnsearch.genetic.bncpso:BNCPSO",
    "mmhc": "bnsearch.independence.mmhc:MMHC",
    "bnpc": "bnsearch.independence.bnpc:BNPC",
    "ik2vmb": "bnsearch.independence.ik2vmb:IK2vMB",
}

BUILT_IN_SCORES = {
    "loglik": "bnsearch.scores.loglik:LogLikelihood",
    "aic": "bnsearch.scores.aic:AIC",
    "bic": "bnsearch.scores.bic:BIC",
    "bdeu": "bnsearch.scores.bdeu:BDeu",
    "k2": "bnsearch.scores.k2:K2",
    "fnml": "bnsearch.scores.fnml:FNML",
    "qnml": "bnsearch.scores.qnml:QNML",
}
