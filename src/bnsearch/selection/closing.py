"""The end of an enumeration: the bound of the score excludes all larger sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.counting.pieces import Piece
from bnsearch.counting.sweep import Sweep
from bnsearch.scores.score import TOLERANCE
from bnsearch.selection.builder import Job


def excludes_larger_sets(
    sweep: Sweep, size: int, best: NDArray[np.float64], job: Job, is_halted: Callable[[], bool]
) -> bool:
    """
    Return True if the bound of the score excludes all families larger than those over the sets of a size.

    The cells that occur are counted only if the result may depend on them.

    Parameters
    ----------
    sweep : values of all sets
    size : number of variables of the sets
    best : float64[places, sets], each child's best score over the subsets of the sets of this size, as parents
    job : the selection, with the bound
    is_halted : the result is False if it returns True before the end
    """
    from bnsearch.selection.kernels_open import any_open

    bound = job.bound
    if not (bound.slope or bound.level):
        return False
    going = True

    def visit(piece: Piece, block: NDArray[np.float64]) -> None:
        nonlocal going
        arities = sweep.layout.columns.arities
        if any_open(size, *piece, sweep.binomial, arities, block, best, *bound, job.data.n_rows, TOLERANCE):
            going = False
        if is_halted():
            going = False

    for piece in reversed(list(sweep.pieces(size))):  # pieces with few states first: these stay open longest
        if going:
            visit(piece, np.empty(0))
    if going and bound.level:
        sweep.for_each_piece(size, CellSum(CellFunction.OCCURS), visit, lambda: going)
    return going
