"""Sound bounds: parent sets that can never pay, whatever the data."""

from __future__ import annotations

import math

import numpy as np

from bnsearch.data import Dataset
from bnsearch.scores.aic import AIC
from bnsearch.scores.bic import BIC
from bnsearch.scores.score import Score


def most_parents(data: Dataset, score: Score, asked: int | None) -> int:
    """
    Return the largest parent set worth considering: what was asked for, and no more than can ever pay.

    Under BIC a parent set of more than log2(2 N / log N) variables never beats all its subsets (de Campos & Ji 2011,
    Corollary 2). It holds for variables of two states or more; sets with constants are beaten by their subsets anyway.
    """
    most = data.n_variables - 1
    if isinstance(score, BIC) and data.n_rows > 2:
        most = min(most, int(math.log2(2 * data.n_rows / math.log(data.n_rows))))
    return most if asked is None else min(most, asked)


def ceiling_of_supersets(data: Dataset, score: Score, child: int, parents: tuple[int, ...]) -> float:
    """
    Return what no family with more parents than these can exceed.

    Under BIC and AIC the fit is at most zero, so a superset scores at most minus its penalty (de Campos & Ji 2011);
    other scores are at most zero.
    """
    slope = score.joint(data.n_rows).slope
    if not isinstance(score, BIC | AIC):
        return 0.0
    cells = float(np.prod(data.arities[list(parents)], dtype=np.float64))
    return slope * 2.0 * cells * float(data.arities[child] - 1)
