"""The upper bound on the score of a larger family."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

from bnsearch.kernels.compile import kernel


@kernel
def ceiling(slope, level, states, cells, occupied):
    """
    Return the upper bound on the score of a family; see `bounds.Bound`.

    states : number of states of the child
    cells : number of cells of the parents, or a lower bound on it
    occupied : number of cells of the whole family that occur, or a lower bound on it
    """
    return slope * (states - 1.0) * cells - level * math.log(states) * occupied
