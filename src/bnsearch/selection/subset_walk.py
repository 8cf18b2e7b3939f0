"""A walk over all subsets of a dataset's variables, which values them."""

from __future__ import annotations

import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import parallel_take
from bnsearch.counting.cell_sums import CellSum, products_of_sets
from bnsearch.data import Dataset
from bnsearch.scores.score import Score
from bnsearch.selection.subset_bottom import make_bottom

PREFIX = 7  # number of variables that are decided before the walk is split over threads: 2^7 pieces
WORK = 1 << 21  # number of entries that a call examines before the clock is read: a few milliseconds
SERIES = 1 << 16  # number of counts with tabulated coefficients of the power series of BDeu
SAMPLE_DEPTH = 9  # number of undecided variables of a sampled subtree: up to 2^9 sets


class Limits(NamedTuple):
    """
    Limits on the sets that are valued.

    Attributes
    ----------
    size : largest number of variables
    cells : largest number of cells
    occupied : largest number of cells that occur
    """

    size: int
    cells: float
    occupied: int


class SubsetWalk:
    """
    A walk over all subsets of the variables, which values them.

    Parameters
    ----------
    data, score : the data and the score
    limits : limits on the sets that are valued; a subset of a valued set is valued, too

    Attributes
    ----------
    order : int64[n], the variables in the order of the walk; variable order[d] has bit n - 1 - d in a set's mask
    bit_of : int64[n], the mask of each single variable
    classes : int64[n], for each variable the row of `values` for its parent sets
    rows : number of distinct rows of the data
    """

    def __init__(self, data: Dataset, score: Score, limits: Limits) -> None:
        self.data, self.limits = data, limits
        n = data.n_variables
        # Variables with many states come first: most nodes lie below them, where few rows share a cell.
        self.order = np.lexsort((_compute_entropies(data), data.arities))[::-1].astype(np.int64)
        self.bit_of = np.empty(n, dtype=np.int64)
        self.bit_of[self.order] = 1 << np.arange(n - 1, -1, -1)
        states, classes = np.unique(data.arities, return_inverse=True)
        sums = list_cell_sums(data, score)
        self.classes = np.zeros(n, dtype=np.int64) if score.equivalent else 1 + classes.astype(np.int64)
        self.n_functions = len(sums)
        self._link_rows()
        self._tabulate(sums, states, classes)
        self._bottom = make_bottom(*self._table)
        self.depth = n - (len(self._bottom[-1]).bit_length() - 1)  # depth at which the bottom begins

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.order)

    def _link_rows(self) -> None:
        """Assign numbers to the suffixes of the rows from every depth on, and merge equal rows."""
        from bnsearch.selection.kernels_subsets import link_suffixes

        data = self.data
        suffix = np.zeros(data.n_rows, dtype=np.int32)
        count, links = 1, []
        for v in self.order[::-1].tolist():
            arity = int(data.arities[v])
            link = np.empty(min(data.n_rows, arity * count), dtype=np.int64)
            count = link_suffixes(data.codes[v], arity, suffix, np.empty(arity * count, dtype=np.int32), link)
            links.append(link[:count])
        self.rows = count
        self._links = np.zeros((self.n, count), dtype=np.int64)
        for d, link in enumerate(reversed(links)):
            self._links[d, : len(link)] = link
        self._weights = np.bincount(suffix, minlength=count)

    def _tabulate(self, sums: list[CellSum], states: NDArray[np.int64], classes: NDArray[np.intp]) -> None:
        """Tabulate the functions that are summed over cells, and number the possible numbers of cells."""
        from bnsearch.selection.kernels_subset_values import TERMS, fill_series

        rows = self.data.n_rows
        counts = np.bincount(classes)
        strides = np.concatenate([[1], np.cumprod(counts + 1)]).astype(np.int64)
        cells = np.ones(1)
        for arity, count in zip(states.tolist(), counts.tolist(), strict=True):
            cells = np.outer(float(arity) ** np.arange(count + 1), cells).ravel()
        products = products_of_sets(self.data.arities, self.n)
        terms = [each.terms(rows, products) for each in sums]
        length = min(each[-1].shape[1] for each in terms)
        place = np.minimum(np.searchsorted(products, cells), len(products) - 1)
        series = np.empty((min(rows + 1, SERIES), TERMS))
        fill_series(series)
        self._table = self._links, self.data.arities[self.order].astype(np.int64), strides[classes[self.order]]
        self._functions = (
            np.array([int(each.function) for each in sums]),
            np.array([float(each.a) for each in sums]),
            np.stack([each[-1][:, :length] for each in terms]),
            np.where(products[place] == cells, place, -1).astype(np.int32),
            np.full(len(cells), np.nan),
            (float(sums[0].slope), bool(sums[0].regret), rows),
            series,
        )

    def _new_tools(self) -> Tools:
        """Return the memory of one thread, at the root of the walk."""
        from bnsearch.selection.kernels_subset_values import FEW
        from bnsearch.selection.kernels_subsets import CELLS, ENTRIES, LARGE, PATH_COLUMNS

        rows, depths = self.rows, self.depth + 1
        entries = np.empty((depths, rows), dtype=np.int64)
        begin = np.zeros((depths, rows + 1), dtype=np.int32)
        tally = np.zeros((depths, FEW), dtype=np.int32)
        large = np.empty(rows, dtype=np.int64)
        groups = np.zeros((3, int(self.data.arities.max())), dtype=np.int64)
        path = np.zeros((depths, PATH_COLUMNS), dtype=np.int64)
        products = np.ones(depths)
        entries[0] = (np.arange(rows) << 32) | self._weights
        begin[0, 1] = rows
        path[0, CELLS], path[0, ENTRIES] = 1, rows
        if rows == 1:
            path[0, CELLS] = path[0, LARGE] = path[0, ENTRIES] = 0
            weight = self._weights[0]
            if weight < FEW:
                tally[0, weight] = 1
            else:
                large[0], path[0, LARGE] = weight, 1
        scratch = entries, begin, tally, large, np.zeros(rows, dtype=np.int32), groups
        return Tools(path, products, scratch, self._new_room())

    def _new_room(self) -> tuple[Any, ...]:
        """Return the tuple `room` of kernels_subset_values for one thread."""
        from bnsearch.selection.kernels_subset_values import BOTTOM_FIRST, FEW

        first = self._bottom[BOTTOM_FIRST]
        subsets = len(first) - 1
        return (
            np.zeros((subsets, FEW), dtype=np.int32),
            np.zeros(int(first[-1]), dtype=np.int64),
            np.zeros((self.n_functions, subsets, FEW)),
            np.zeros((self.n_functions, subsets)),
            np.zeros((self.n_functions, subsets), dtype=np.int64),
            np.zeros((self.n_functions, subsets, 2)),
        )

    def bytes_needed(self, threads: int) -> int:
        """Return the memory of the values and of the walk in bytes."""
        own = (self.n + 1) * (12 * self.rows + 200) + 12 * self.rows
        return 8 * self.n_functions * (1 << self.n) + threads * own + int(self._links.nbytes)

    def values(
        self, threads: int, late: Callable[[], bool], progress: Callable[[int, int], None]
    ) -> NDArray[np.float64] | None:
        """Return float64[functions, 2^n], the values by mask, nan beyond the limits; None if the time is up."""
        values = np.full((self.n_functions, 1 << self.n), np.nan)
        free: SimpleQueue[Tools] = SimpleQueue()
        for _ in range(threads):
            free.put(self._new_tools())
        depth = min(PREFIX, self.depth)
        done: list[int] = []

        def visit(prefix: int) -> bool:
            tools = free.get()
            try:
                finished = self._visit(prefix, depth, tools, values, late)
            finally:
                free.put(tools)
            if finished:
                done.append(prefix)
                progress(len(done) << (self.n - depth), 1 << self.n)
            return finished

        finished = parallel_take(visit, range(1 << depth), threads, lambda: not late())
        return values if len(finished) == 1 << depth and all(finished) else None

    def _visit(
        self,
        prefix: int,
        depth: int,
        tools: Tools,
        values: NDArray[np.float64],
        late: Callable[[], bool],
        start: int = 0,
    ) -> bool:
        """Value the sets with a prefix of decisions; return False if the time is up before the last."""
        from bnsearch.selection.kernels_subsets import descend_path, walk_subsets

        path, products, scratch, room = tools
        limits, decisions = tuple(self.limits), prefix >> np.arange(depth) & 1
        if not descend_path(decisions, start, self._table, limits, path, products, scratch):
            return True
        state = np.array([depth])
        while not walk_subsets(
            state,
            depth,
            WORK,
            self._table,
            limits,
            path,
            products,
            scratch,
            self._bottom,
            self._functions,
            room,
            values,
        ):
            if late():
                return False
        return True

    def sampled_seconds(self, seconds: float, seed: int = 0) -> float:
        """Return the expected time of `values` on one thread, from the mean time of random subtrees."""
        from bnsearch.selection.kernels_subsets import MASK, descend_path

        depth = max(0, min(self.depth, self.n - SAMPLE_DEPTH))
        random = np.random.default_rng(seed)
        above = max(0, depth - 1)  # the last node of a path is timed, too; those above it cost less in total
        tools, values = self._new_tools(), np.zeros((self.n_functions, 1 << (self.n - above)))
        spent: list[float] = []
        started_all = time.thread_time()
        while len(spent) < 4 or (time.thread_time() - started_all < seconds and len(spent) < 1 << depth):
            prefix = int(random.integers(1 << depth))
            for chosen in (
                prefix,
                prefix ^ ((1 << depth) - 1),
            ):  # complements: a large and a small set
                decisions = chosen >> np.arange(above) & 1
                spent.append(0.0)
                if not descend_path(decisions, 0, self._table, tuple(self.limits), *tools[:3]):
                    continue
                tools.path[above, MASK] = 0  # masks within the subtree, because `values` has room for no others
                started = time.thread_time()
                self._visit(chosen, depth, tools, values, lambda: False, above)
                spent[-1] = time.thread_time() - started
        return float(np.mean(spent)) * 2.0**depth


class Tools(NamedTuple):
    """The memory of one thread; see kernels_subsets."""

    path: NDArray[np.int64]
    products: NDArray[np.float64]
    scratch: tuple[Any, ...]
    room: tuple[Any, ...]


def list_cell_sums(data: Dataset, score: Score) -> list[CellSum]:
    """Return the cell sums of a score: of whole families, then of the parents of a child of each arity."""
    joint = score.joint(data.n_rows)
    if score.equivalent:
        return [joint]
    return [joint, *(score.parents(data.n_rows, r) for r in np.unique(data.arities).tolist())]


def _compute_entropies(data: Dataset) -> NDArray[np.float64]:
    """Return the entropy of each variable in bits."""
    entropies = np.zeros(data.n_variables)
    for v, codes in enumerate(data.codes):
        share = np.bincount(codes) / data.n_rows
        entropies[v] = -(share[share > 0] * np.log2(share[share > 0])).sum()
    return entropies
