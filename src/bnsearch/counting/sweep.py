"""The values of all sets up to a size: each set is counted once, with the counts of smaller sets, in threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import comb
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import parallel_take, thread_count
from bnsearch.counting.cell_sums import CellSum, products_of_sets
from bnsearch.counting.columns import find_affordable_states, find_layout, known_variables
from bnsearch.counting.piece_sizes import limit_piece
from bnsearch.counting.pieces import Piece, cut_sets, tabulate_binomials
from bnsearch.data import Dataset
from bnsearch.errors import InputError, require

if TYPE_CHECKING:
    from bnsearch.counting.kernels_terms import Terms

# Sets with up to max_cells cells are counted by bitmaps. A projected bitmap has only the rows in which certain items
# occur (`kernels_bitmaps.py`). It is shorter, so max_cells is multiplied by a factor. Each cell also has a fixed cost,
# so max_cells is limited if there are few rows. The factor and the limit are measured.
PROJECTION_GAIN = 4.7
BITMAP_CELLS_PER_ROW = 0.4

R = TypeVar("R")


class SweepOptions(TypedDict, total=False):
    """The keyword arguments of `Sweep`, for classes that pass them on."""

    variables: Sequence[int] | None
    representation: str
    memory: int
    threads: int | None


class Sweep:
    """
    Values of all sets up to a size over some variables of a dataset.

    The place of a variable is its index in ascending order of arity (`order`). The sets of one size are in
    colexicographic order of their places: the set p1 < p2 < ... has rank binomial(p1, 1) + binomial(p2, 2) + ...

    The value of a set is its cell sum. A larger set is counted with the counts of smaller sets of items, which are
    computed when a size needs them. An item is a state that has a bitmap.

    Parameters
    ----------
    data : the dataset
    max_size : the largest size
    variables : the variables; None means all
    representation : "auto" counts each set in the cheapest way; "bitmap", "dense" and "sparse" force one way
    memory : bytes for the counts that are kept from size to size
    threads : number of threads; None means all cores. The values do not depend on it
    """

    def __init__(
        self,
        data: Dataset,
        max_size: int,
        *,
        variables: Sequence[int] | None = None,
        representation: str = "auto",
        memory: int = 1 << 30,
        threads: int | None = None,
    ) -> None:
        require("max_size", max_size, at_least=1, whole=True)
        require("memory", memory, at_least=0)
        self.threads = thread_count(threads)
        chosen = known_variables(range(data.n_variables) if variables is None else variables, data.n_variables)
        self.max_size = max(1, min(max_size, len(chosen)))
        self._max_states = find_affordable_states(data.arities[chosen], self.max_size, memory)
        self.layout = find_layout(data, chosen, representation, self._max_states)
        self.order = self.layout.order
        self._memory = memory
        self._counted = 1  # largest size whose counts of sets of items are known
        self._stored: set[Piece] = set()  # pieces of the next size whose counts are known
        self._make_lattice()

    def can_deepen(self) -> bool:
        """Return True if sets of one more size can be counted with the bitmaps and the counts that exist."""
        arities = self.layout.columns.arities
        return (
            self.max_size < len(arities)
            and find_affordable_states(arities, self.max_size + 1, self._memory) == self._max_states
        )

    def deepen(self) -> None:
        """Increase `max_size` by one; all counts are kept."""
        ones = self._item_counts
        self.max_size += 1
        self._make_lattice()
        self._item_counts[: len(ones)] = ones

    def get_counts(self, size: int) -> NDArray[np.int32]:
        """Return the counts of all sets of items that sets of a size need; empty if they are not known yet."""
        counts: NDArray[np.int32] = self._item_counts[: self._begin[size] if self._counted >= size - 1 else 0]
        return counts

    def adopt_counts(self, counts: NDArray[np.int32], size: int) -> bool:
        """
        Use the counts of another sweep over the same variables; return False if they are not those of a size.

        A sweep with another maximum size may have other bitmaps. Its counts of single items then differ.
        """
        items = self._columns.sizes
        if len(counts) != self._begin[size] or not np.array_equal(counts[: len(items)], items):
            return False
        self._item_counts, self._counted, self._stored = counts, size - 1, set()
        return True

    def _make_lattice(self) -> None:
        """Make the arrays whose sizes depend on `max_size`, with the counts of all sets of items by size."""
        self.products = products_of_sets(self.layout.columns.arities, self.max_size)
        max_cells = self.layout.columns.max_cells
        if max_cells < np.inf:
            max_cells = min(PROJECTION_GAIN * max_cells, BITMAP_CELLS_PER_ROW * self.layout.columns.total)
        # At most the largest tabulated product, because kernels look the products of sets up in the table.
        self._columns = self.layout.columns._replace(max_cells=min(max_cells, float(self.products[-1])))
        columns = self._columns
        items = len(columns.sizes)
        sizes = [comb(items, k) for k in range(1, self.max_size)]
        if sum(sizes) * 4 > 1 << 40:
            raise InputError("the bitmap representation needs too much memory for these sets: use auto or dense")
        ones = np.zeros(max(items, sum(sizes), 1), dtype=np.int32)
        ones[:items] = columns.sizes
        self.binomial = tabulate_binomials(max(items, len(self.order)) + 1, self.max_size + 2)
        self._item_counts = ones
        # Where the counts of each size begin in `_item_counts`:
        self._begin: NDArray[np.int64] = np.cumsum([0, 0, *sizes]).astype(np.int64)

    def count_sets(self, size: int) -> int:
        """Return the number of sets of a size."""
        return comb(len(self.order), size)

    def rank(self, places: Sequence[int]) -> int:
        """Return the rank of a set among those of its size; places ascending."""
        return sum(comb(place, i) for i, place in enumerate(places, start=1))

    def terms(self, cell_sum: CellSum) -> Terms:
        """Return the tabulated terms of a cell sum for the sets of this sweep."""
        return cell_sum.terms(self._columns.total, self.products)

    def values(self, size: int, cell_sum: CellSum, going: Callable[[], bool] = lambda: True) -> NDArray[np.float64]:
        """
        Return the values of all sets of a size, by rank.

        If `going()` returns False before the end, the remaining entries are undefined.
        """
        require("size", size, at_least=0, at_most=self.max_size, whole=True)
        terms = self.terms(cell_sum)
        if size < 2:
            return self._compute_small_values(size, terms)
        values = np.empty(self.count_sets(size), dtype=np.float64)
        self.for_each_piece(size, cell_sum, lambda piece, block: None, going, into=values)
        return values

    def ranks(self, size: int, piece: Piece) -> tuple[int, int]:
        """Return the first rank of a piece, and the rank after its last."""
        first, last = self.binomial[piece.bottom, size], self.binomial[piece.top, size]
        if size == 2:
            return int(first), int(last) + piece.top
        second = self.binomial[:, size - 1]
        return int(first + second[piece.lowest]), int(last + second[piece.highest])

    def for_each_piece(
        self,
        size: int,
        cell_sum: CellSum,
        visit: Callable[[Piece, NDArray[np.float64]], R],
        going: Callable[[], bool] = lambda: True,
        into: NDArray[np.float64] | None = None,
        pieces: Sequence[Piece] | None = None,
    ) -> list[R]:
        """
        Compute the values of the sets of a size (2 or more) piece by piece.

        Parameters
        ----------
        size : size of the sets
        cell_sum : the cell sum that is their value
        visit : called in the worker threads with a piece and the values of its sets in the order of their ranks. The
            array is used again for the next piece, unless `into` is given
        going : no piece is started after it has returned False
        into : float64[sets of this size], receives the values by rank; None keeps none of them
        pieces : the pieces to compute; None means all
        """
        require("size", size, at_least=2, at_most=self.max_size, whole=True)
        terms = self.terms(cell_sum)
        self._count_smaller(size, terms, going)
        store = size < self.max_size and size > self._counted
        needs_rows = not self._columns.are_bitmaps_enough(size)
        chosen = list(self.pieces(size)) if pieces is None else pieces
        capacity = self._columns.bitmap_capacity(size)
        blocks = self._make_blocks(size, chosen) if into is None else []

        def run(piece: Piece) -> R:
            first, stop = self.ranks(size, piece)
            block = blocks.pop() if into is None else into[first:]
            values = block[: stop - first]
            self._compute_values(size, terms, piece, capacity, store, needs_rows, values)
            self._stored.update([piece] if store else [])
            found = visit(piece, values)
            if into is None:
                blocks.append(block)
            return found

        results = self.map_pieces(run, chosen, going)
        if store and self._stored.issuperset(self.pieces(size)):
            self._counted, self._stored = size, set()
        return results

    def _make_blocks(self, size: int, pieces: Sequence[Piece]) -> list[NDArray[np.float64]]:
        """
        Return room for the values of a piece for each thread.

        A thread that asks the system for memory may wait for others that do the same, and would hold the interpreter
        lock meanwhile.
        """
        most = max((stop - first for first, stop in (self.ranks(size, piece) for piece in pieces)), default=0)
        return list(np.empty((min(self.threads, max(1, len(pieces))), most)))

    def map_pieces(
        self, function: Callable[[Piece], R], pieces: Sequence[Piece], going: Callable[[], bool] = lambda: True
    ) -> list[R]:
        """Return a function's values for pieces, in threads; no piece is started after `going` has returned False."""
        return parallel_take(function, pieces, self.threads, going)

    def list_triple_arrays(self, cell_sum: CellSum, going: Callable[[], bool] = lambda: True) -> tuple[Any, ...] | None:
        """
        Return the first arguments of `keep_triples` (selection), which values sets of three binary variables itself.

        None means that it cannot: a variable has another number of states, or no bitmap, or f is not tabulated.
        """
        terms, columns = self.terms(cell_sum), self._columns
        table = terms[-1]
        is_binary = bool((columns.arities == 2).all()) and columns.are_bitmaps_enough(3)
        if not is_binary or table.shape[1] <= columns.total:
            return None
        self._count_smaller(3, terms, going)
        return columns.words, columns.sizes, columns.total, self.binomial, self._item_counts, self._begin, terms

    def _count_smaller(self, size: int, terms: Terms, going: Callable[[], bool]) -> None:
        """Count the sets of items of all sizes below a size, unless their counts are known."""
        for smaller in range(self._counted + 1, size):
            self._count_items(smaller, terms, going)

    def _count_items(self, size: int, terms: Terms, going: Callable[[], bool]) -> None:
        """Count the sets of items of a size, which larger sets need; the values of the sets are discarded."""
        capacity, pieces = self._columns.bitmap_capacity(size), list(self.pieces(size))
        blocks = self._make_blocks(size, pieces)

        def run(piece: Piece) -> None:
            first, stop = self.ranks(size, piece)
            block = blocks.pop()
            self._compute_values(size, terms, piece, capacity, True, False, block[: stop - first])
            blocks.append(block)

        self.map_pieces(run, pieces, going)
        if going():
            self._counted, self._stored = size, set()

    def _compute_small_values(self, size: int, terms: Terms) -> NDArray[np.float64]:
        """Return the value of the empty set, or those of all single variables."""
        from bnsearch.counting.kernels_terms import sum_counts_of_each

        counts, begin, cells = np.array([self._columns.total]), np.array([0, 1]), np.ones(1)
        if size == 1:
            (counts, begin), cells = self._columns.count_states(), self._columns.arities.astype(np.float64)
        values: NDArray[np.float64] = sum_counts_of_each(counts, begin, terms, cells)
        return values

    def _compute_values(
        self,
        size: int,
        terms: Terms,
        piece: Piece,
        capacity: int,
        store: bool,
        needs_rows: bool,
        block: NDArray[np.float64],
    ) -> None:
        """
        Write the values of the sets of one piece into `block`; the counts of all smaller sets of items must be known.

        capacity : see `Columns.bitmap_capacity`
        store : True to keep the counts of the sets of items
        needs_rows : True if some sets cannot be counted by bitmaps
        """
        from bnsearch.counting.kernels_lattice import sweep_piece
        from bnsearch.counting.kernels_row_sets import count_piece

        columns = self._columns
        sweep_piece(
            columns.arities, columns.start, columns.words, columns.sizes, columns.total, columns.max_cells,
            self.binomial, self._item_counts, self._begin, terms, size, *piece, capacity, store, block,
        )  # fmt: skip
        if not needs_rows:
            return
        count_piece(
            columns.codes, columns.weights, columns.total, columns.arities, columns.start, columns.max_cells,
            columns.dense, self.binomial, terms, size, *piece, block,
        )  # fmt: skip

    def pieces(self, size: int) -> Iterator[Piece]:
        """Yield pieces of bounded work that cover the sets of a size, those with the largest top place first."""
        min_sets, max_sets = limit_piece(self._columns, size)
        return cut_sets(len(self.order), size, self.binomial, self.threads, min_sets, max_sets)
