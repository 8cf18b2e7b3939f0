"""What no larger family can score."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import math

from bnsearch.kernels.compile import kernel


@kernel
def ceiling(slope, level, states, cells, occupied):
    """
    Return what a family cannot exceed; see `bounds.Bound`.

    states : the child's number of states
    cells : at most the number of cells of the parents
    occupied : at most the number of cells of the whole family that occur
    """
    return slope * (states - 1.0) * cells - level * math.log(states) * occupied
