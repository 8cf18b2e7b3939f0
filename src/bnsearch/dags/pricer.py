"""The data, the score and the rules of climbs over DAGs, as kernels take them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import products_of_sets
from bnsearch.counting.columns import usual_layout
from bnsearch.data import Dataset
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.scores.bounds import bound_of
from bnsearch.scores.extender import TABULATED_SIZE, stacked_terms
from bnsearch.scores.score import Score


@dataclass(frozen=True, eq=False, kw_only=True)
class Rules:
    """
    The graphs that a climb may visit, and its end.

    Parameters
    ----------
    allowed : bool[n, n], [y, x] is True if x may be a parent of y; the diagonal is ignored
    limits : int64[n], the maximum number of parents of each variable
    required : bool[n, n], edges that every start has and that are never removed or reversed; None means none
    tabu : length of the tabu list
    by_move : whether the tabu list contains moves, which must not be undone, or graphs, which must not be entered again
    patience : maximum number of successive steps that do not improve on the best graph; 0: every step must improve
    """

    allowed: NDArray[np.bool_]
    limits: NDArray[np.int64]
    required: NDArray[np.bool_] | None = None
    tabu: int = 0
    by_move: bool = False
    patience: int = 0


class Pricer:
    """
    The data, the score and the rules from which kernels compute the gains of moves.

    Parameters
    ----------
    data, score, rules : the data, the score and the rules of the climbs
    is_bounded : True if parents that cannot improve a family, by an upper bound on its score, are left out
    """

    def __init__(self, data: Dataset, score: Score, rules: Rules, *, is_bounded: bool = False) -> None:
        self.data, self.rules = data, rules
        self._layout = layout = usual_layout(data)
        n, rows, columns = data.n_variables, data.n_rows, layout.columns
        products = products_of_sets(columns.arities, TABULATED_SIZE)
        classes, parent_terms = stacked_terms(score, columns.arities, rows, products)
        bound = bound_of(data, score)
        self._shared = (
            layout.arrays,
            score.joint(rows).terms(rows, products),
            parent_terms,
            classes,
            layout.place,
            layout.order,
            rules.allowed & ~np.eye(n, dtype=np.bool_),
            np.array(rules.limits, dtype=np.int64),  # a copy is writable: kernels are compiled for one type only
            np.zeros((n, n), dtype=np.bool_) if rules.required is None else np.array(rules.required),
            np.array([float(is_bounded), bound.slope, bound.level]),
        )

    def make_arrays(self) -> KernelTuple:
        """Return the tuple that kernels take (see kernels_family_gains), with scratch arrays for one thread."""
        from bnsearch.counting.kernels_expand_scratch import new_scratch

        n = self.data.n_variables
        scratch = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n)
        return KernelTuple((*self._shared, *scratch, np.array([-1, 0, 0]), new_scratch(self._layout)))
