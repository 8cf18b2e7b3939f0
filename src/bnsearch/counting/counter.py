"""Joint counts of one set as a contingency table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.columns import usual_layout
from bnsearch.data import Dataset
from bnsearch.errors import InputError

MAX_DENSE_CELLS = 1 << 27  # largest number of cells of a table that is returned as a whole: 1 GiB


@dataclass(frozen=True, eq=False)
class JointCounts:
    """
    The contingency table of a set of variables: the cells that occur, and their counts.

    Attributes
    ----------
    variables : the variables in the given order
    shape : their arities
    cells : int64, the cells that occur, ascending; mixed-radix numbers with the last variable fastest
    counts : int64, number of rows in each cell, positive
    """

    variables: tuple[int, ...]
    shape: tuple[int, ...]
    cells: NDArray[np.int64]
    counts: NDArray[np.int64]

    def dense(self) -> NDArray[np.int64]:
        """Return the whole table, with empty cells, as an array of `shape`."""
        cells = int(np.prod(self.shape, dtype=np.float64))
        if cells > MAX_DENSE_CELLS:
            raise InputError(f"the whole table has {cells:.3g} cells: use `cells` and `counts`, those that occur")
        table = np.zeros(cells, dtype=np.int64)
        table[self.cells] = self.counts
        return table.reshape(self.shape)


class Counter:
    """
    Counts joint tables of a dataset, one set at a time.

    Parameters
    ----------
    data : Dataset
        The dataset.
    representation : str, default "auto"
        "auto" counts each set in the cheapest way; "bitmap", "dense" and "sparse" force one way.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> bnsearch.Counter(data).counts([0, 1]).dense()
    array([[  0,   4],
           [  1, 195]])
    """

    def __init__(self, data: Dataset, *, representation: str = "auto") -> None:
        from bnsearch.counting.kernels_set import new_scratch

        self._layout = usual_layout(data, representation)
        self._arities = data.arities
        self._scratch = new_scratch(self._layout.columns, data.n_variables)

    def counts(self, variables: Iterable[int]) -> JointCounts:
        """Return the joint counts of some variables, given by index."""
        from bnsearch.counting.kernels_set import count_set

        asked = tuple(variables)
        places = self._layout.places(asked)
        shape = tuple(int(self._arities[v]) for v in asked)
        if np.prod(shape, dtype=np.float64) >= 2.0**63:
            raise InputError(f"the table of {len(asked)} variables has 2^63 cells or more: count fewer variables")
        found = count_set(self._layout.arrays, self._scratch, places)
        _, _, _, _, _, cells, counts = self._scratch
        by_cell = np.argsort(cells[:found])
        return JointCounts(asked, shape, cells[by_cell], counts[by_cell])
