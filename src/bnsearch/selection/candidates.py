"""The candidate parents of a variable: the best single parents."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.scores.extender import Extender
from bnsearch.scores.score import improves


def best_candidates(extender: Extender, number: int, allowed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """
    Return bool[n, n], [y, x] True if x is one of the best single parents of y; all that tie for the last place are.

    allowed : bool[n, n], [y, x] True if x is an allowed parent of y; False on the diagonal
    """
    best = np.zeros_like(allowed)
    for child, row in enumerate(allowed):
        others = np.flatnonzero(row)
        scores = extender.extend(child, [], others)
        last = np.sort(scores)[-number] if number < len(scores) else -np.inf
        best[child, others] = [not improves(last, score) for score in scores]
    return best
