"""Scores, one in each file; a score bound to a dataset; all families up to a size."""

from __future__ import annotations

from bnsearch.scores.aic import AIC
from bnsearch.scores.all_sets import AllSets
from bnsearch.scores.bdeu import BDeu
from bnsearch.scores.bic import BIC
from bnsearch.scores.fnml import FNML
from bnsearch.scores.k2 import K2
from bnsearch.scores.local import LocalScore, make_scorer
from bnsearch.scores.loglik import LogLikelihood
from bnsearch.scores.named import SCORES, make_score
from bnsearch.scores.qnml import QNML
from bnsearch.scores.score import Score, improves
from bnsearch.scores.scorer import Scorer

__all__ = [
    "AIC",
    "BIC",
    "FNML",
    "K2",
    "QNML",
    "SCORES",
    "AllSets",
    "BDeu",
    "LocalScore",
    "LogLikelihood",
    "Score",
    "Scorer",
    "improves",
    "make_score",
    "make_scorer",
]
