"""Scores by name."""

from __future__ import annotations

from bnsearch._tools.registry import make
from bnsearch.scores.aic import AIC
from bnsearch.scores.bdeu import BDeu
from bnsearch.scores.bic import BIC
from bnsearch.scores.fnml import FNML
from bnsearch.scores.k2 import K2
from bnsearch.scores.loglik import LogLikelihood
from bnsearch.scores.qnml import QNML
from bnsearch.scores.score import Score

ScoreClass = type[LogLikelihood] | type[AIC] | type[BIC] | type[BDeu] | type[K2] | type[FNML] | type[QNML]

SCORES: dict[str, ScoreClass] = {kind.name: kind for kind in (LogLikelihood, AIC, BIC, BDeu, K2, FNML, QNML)}
ALIASES = {"mdl": "bic", "ll": "loglik"}


def make_score(name: str, /, **parameters: float | bool) -> Score:
    """Make a score from its name and parameters: make_score("bdeu", ess=10)."""
    return make("score", SCORES, name, parameters, ALIASES)
