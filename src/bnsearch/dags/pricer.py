"""What climbs over DAGs are made on: a table, a score and rules, as kernels take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import products_of_sets
from bnsearch.counting.columns import usual_layout
from bnsearch.data import Dataset
from bnsearch.scores.bounds import bound_of
from bnsearch.scores.extender import TABULATED_SIZE, stacked_terms
from bnsearch.scores.score import Score


@dataclass(frozen=True, eq=False, kw_only=True)
class Rules:
    """
    Which graphs a climb may visit, and when it ends.

    Parameters
    ----------
    allowed : bool[n, n], [y, x] tells whether x may be a parent of y; the diagonal is not looked at
    limits : int64[n], the most parents of each variable
    required : bool[n, n], edges that are never taken away nor turned round, every start having them; None means none
    tabu : how many of the last graphs are not entered again, or of the last moves are not undone
    by_move : whether the list is one of moves
    patience : steps in a row that need not improve on the best graph; with none, every step must improve
    """

    allowed: NDArray[np.bool_]
    limits: NDArray[np.int64]
    required: NDArray[np.bool_] | None = None
    tabu: int = 0
    by_move: bool = False
    patience: int = 0


class Pricer:
    """
    A table, a score and rules, from which the gains of moves are computed.

    Parameters
    ----------
    data, score, rules : what to climb on
    first : float64[n, n], [child, parent] by place, as in counting.Layout: what single parents add, minus infinity
        where they are not allowed. Climbs may then be lazy, and parents that cannot improve a family are left out
    """

    def __init__(self, data: Dataset, score: Score, rules: Rules, first: NDArray[np.float64] | None = None) -> None:
        self.data, self.rules = data, rules
        self._layout = layout = usual_layout(data)
        n, rows, columns = data.n_variables, data.n_rows, layout.columns
        products = products_of_sets(columns.arities, TABULATED_SIZE)
        classes, others = stacked_terms(score, columns.arities, rows, products)
        bound = bound_of(data, score)
        self._shared = (
            tuple(columns),
            score.joint(rows).terms(rows, products),
            others,
            classes,
            layout.place,
            layout.order,
            rules.allowed & ~np.eye(n, dtype=np.bool_),
            np.array(rules.limits, dtype=np.int64),  # copies, which may be written to: kernels are compiled once
            np.zeros((n, n), dtype=np.bool_) if rules.required is None else np.array(rules.required),
            np.array([float(first is not None), bound.slope, bound.level]),
            np.empty((0, 0)) if first is None else first,
        )

    def arrays(self) -> tuple[Any, ...]:
        """Return what kernels take, a plain tuple, with scratch memory for one thread."""
        from bnsearch.counting.kernels_expand_scratch import new_scratch

        n = self.data.n_variables
        scratch = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n)
        return (*self._shared, *scratch, new_scratch(self._layout))
