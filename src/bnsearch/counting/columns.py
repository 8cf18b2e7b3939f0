"""The data as the counting kernels take it: columns of codes, and bitmaps of their rarer states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from math import comb
from typing import NamedTuple
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.registry import require_choice
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.kernels.tuples import KernelTuple

REPRESENTATIONS = ("auto", "bitmap", "dense", "sparse")
BITMAP_STATES = 256  # largest number of states of a variable with bitmaps
FEW_STATES = 8  # largest number of states of a variable whose bitmaps are made state by state
MAX_BLOCK_CELLS = 1 << 20  # largest number of cells of several variables whose bitmaps are made together
SWEEPS_PER_PASS = 170  # number of AND-popcount sweeps over all rows that cost as much as one histogram pass (measured)
MAX_ITEM_BYTES = 1 << 26  # largest size of the table of bytes
ITEM_ALIGNMENT = 64  # width of a row of that table is a multiple of this number, the bytes that kernels_lanes sums
MAX_ROWS = 2**31 - 1  # rows are numbered and counted in 32 bits

Codes = NDArray[np.uint8] | NDArray[np.uint16]


class Columns(NamedTuple):
    """
    The variables that are counted, in ascending order of arity ("places"); kernels_columns has the fields' indices.

    A variable's most frequent state has no bitmap, because its counts follow by subtraction. Row r of a bitmap is bit
    r % 64 of word r // 64. An *item* is a state that has a bitmap.
    """

    codes: Codes  # [places, rows] states of the rows; equal rows may be merged
    weights: NDArray[np.int32]  # [rows] number of occurrences of each row of codes
    total: int  # number of rows of the data: the sum of the weights
    arities: NDArray[np.int64]  # [places]
    start: NDArray[np.int64]  # [places + 1] first bitmap of each place; it has none if start[p + 1] == start[p]
    words: NDArray[np.uint64]  # [items, W] the bitmaps
    sizes: NDArray[np.int64]  # [items] numbers of ones of the bitmaps
    states: NDArray[np.int64]  # [items] state of each bitmap
    modes: NDArray[np.int64]  # [places] state without a bitmap
    max_cells: float  # largest number of cells of sets that are counted by bitmaps
    dense: bool  # True if histograms over all cells may be used

    def count_states(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the number of rows with each state, those of the first place first, and where each place begins."""
        begin = np.concatenate([[0], np.cumsum(self.arities)]).astype(np.int64)
        counts = np.zeros(begin[-1], dtype=np.int64)
        items = np.diff(self.start)
        counts[np.repeat(begin[:-1], items) + self.states] = self.sizes
        with_bitmaps = items == self.arities - 1
        others = np.add.reduceat(np.append(counts, 0), begin[:-1])
        counts[(begin[:-1] + self.modes)[with_bitmaps]] = (self.total - others)[with_bitmaps]
        for place in np.flatnonzero(~with_bitmaps).tolist():
            found = np.bincount(self.codes[place], self.weights, self.arities[place])
            counts[begin[place] : begin[place + 1]] = found
        return counts, begin

    def are_bitmaps_enough(self, size: int) -> bool:
        """Return True if all sets of a size can be counted by bitmaps."""
        have_bitmaps = bool((np.diff(self.start) == self.arities - 1).all())
        return have_bitmaps and float(np.prod(self.arities[-size:], dtype=np.float64)) <= self.max_cells

    def bitmap_capacity(self, size: int) -> int:
        """Return the maximum number of cells of size - 1 variables of a set that is counted by bitmaps."""
        with_bitmaps = self.arities[np.diff(self.start) == self.arities - 1]
        largest = float(np.prod(with_bitmaps[-(size - 1) :], dtype=np.float64))
        return max(1, int(min(largest, self.max_cells)))


class Layout:
    """
    A dataset's variables arranged for counting.

    Parameters
    ----------
    data : the dataset
    variables : the variables to count; None means all
    representation : "auto" counts each set in the cheapest way. "bitmap" and "sparse" (rows labelled cell by cell) are
        used for every set, "dense" (a histogram of all cells) for every set whose histogram is not much larger than the
        data
    max_states : largest number of states of a variable with bitmaps, unless bitmaps are forced
    """

    def __init__(
        self,
        data: Dataset,
        variables: Sequence[int] | None = None,
        representation: str = "auto",
        max_states: int = BITMAP_STATES,
    ) -> None:
        require_choice("representation", representation, REPRESENTATIONS)
        if data.n_rows > MAX_ROWS:
            raise InputError(f"the table has {data.n_rows:,} rows; at most {MAX_ROWS:,} can be counted: take a sample")
        chosen = known_variables(range(data.n_variables) if variables is None else variables, data.n_variables)
        # Ascending arity: the variables that a prefix can still take by bitmaps form a leading range.
        self.order = chosen[np.argsort(data.arities[chosen], kind="stable")]
        self.place = np.full(data.n_variables, -1, dtype=np.int64)
        self.place[self.order] = np.arange(len(self.order))
        arities = np.ascontiguousarray(data.arities[self.order])
        codes = data.codes if np.array_equal(self.order, np.arange(data.n_variables)) else data.codes[self.order]
        codes.flags.writeable = False  # always read-only, here and below, so that kernels are compiled once
        merged, weights = _merge_rows(codes) if representation == "auto" else (codes, np.ones(data.n_rows, np.int32))
        merged.flags.writeable = False
        start, words, states, modes = _bitmaps(codes, arities, representation, max_states)
        self.columns = Columns(
            codes=merged,
            weights=weights,
            total=data.n_rows,
            arities=arities,
            start=start,
            words=words,
            sizes=np.bitwise_count(words).sum(axis=1, dtype=np.int64),
            states=states,
            modes=modes,
            max_cells=_max_cells(representation, len(weights) / data.n_rows),
            dense=representation != "sparse",
        )

    @cached_property
    def arrays(self) -> KernelTuple:
        """The columns as kernels take them."""
        return KernelTuple(self.columns)

    @cached_property
    def item_bytes(self) -> NDArray[np.uint8]:
        """
        The table of bytes, uint8[rows, width]: 1 if a row has an item, 0 otherwise and beyond the items.

        It has no columns if rows are merged, if bitmaps are not chosen by cost, or if it would be too large.
        """
        columns = self.columns
        rows, n_items = len(columns.weights), len(columns.words)
        width = ITEM_ALIGNMENT * -(-n_items // ITEM_ALIGNMENT)
        if rows < columns.total or not 0.0 < columns.max_cells < np.inf or rows * width > MAX_ITEM_BYTES:
            width = 0
        table = np.zeros((rows, width), dtype=np.uint8)
        for place in range(len(columns.arities) if width else 0):
            items = np.arange(columns.start[place], columns.start[place + 1])
            item_of = np.full(columns.arities[place], -1)
            item_of[columns.states[items]] = items
            own = item_of[columns.codes[place]]
            having = np.flatnonzero(own >= 0)
            table[having, own[having]] = 1
        return table

    def places(self, variables: Iterable[int]) -> NDArray[np.int64]:
        """Return the places of variables; raise an InputError for unknown and repeated ones."""
        asked = known_variables(variables, len(self.place))
        places = self.place[asked]
        if asked.size and places.min() < 0:
            raise InputError(f"variable {asked[places.argmin()]} is not one of the counted variables")
        return places

    def places_of_sets(self, sets: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """
        Return the places of the members of many sets; raise an InputError as `places` does.

        Returns int64[m + 1], the index of each set's first member, and int64[...], the places of all members.
        """
        n = len(self.place)
        begin = np.concatenate(([0], np.cumsum([len(own) for own in sets], dtype=np.int64)))
        members = np.array([v for own in sets for v in own] or np.empty(0, dtype=np.int64))
        if members.dtype.kind in "iu" and (not members.size or 0 <= members.min() <= members.max() < n):
            places = self.place[members]
            keys = np.sort(np.repeat(np.arange(len(sets)), np.diff(begin)) * n + members)
            if not (np.any(places < 0) or np.any(keys[1:] == keys[:-1])):
                return begin, places
        return begin, np.concatenate([self.places(own) for own in sets])  # raises the error of the first wrong set


_usual_layouts: WeakKeyDictionary[Dataset, ref[Layout]] = WeakKeyDictionary()


def find_affordable_states(arities: NDArray[np.int64], max_size: int, memory: int) -> int:
    """
    Return the largest number of states of a variable with bitmaps.

    arities : the number of states of each variable
    max_size, memory : the counts of all sets of fewer than `max_size` items must fit into this number of bytes
    """
    for states in np.unique(arities[arities <= BITMAP_STATES])[::-1].tolist():
        items = int((arities[arities <= states] - 1).sum())
        if sum(comb(items, k) for k in range(2, max_size)) * 4 <= memory:
            return int(states)
    return 1


def usual_layout(data: Dataset, representation: str = "auto") -> Layout:
    """Return a layout of all variables; with "auto", the same object for a dataset as long as it is in use."""
    if representation != "auto":
        return Layout(data, representation=representation)
    held = _usual_layouts.get(data)
    layout = None if held is None else held()
    if layout is None:
        layout = Layout(data)
        _usual_layouts[data] = ref(layout)
    return layout


def find_layout(data: Dataset, variables: NDArray[np.int64], representation: str, max_states: int) -> Layout:
    """Return a layout as `Layout` does; the usual one of the data if that is the same, so that it is made once."""
    is_usual = representation == "auto" and np.array_equal(variables, np.arange(data.n_variables))
    if is_usual and ((data.arities <= max_states) | (data.arities > BITMAP_STATES)).all():
        return usual_layout(data)
    return Layout(data, variables.tolist(), representation, max_states)


def known_variables(asked: Iterable[int], n: int) -> NDArray[np.int64]:
    """Return variables as an array; raise an InputError for numbers outside 0..n - 1 and repeated ones."""
    members = list(asked)
    variables = np.array(members) if members else np.empty(0, dtype=np.int64)
    if variables.dtype.kind not in "iu":
        raise InputError(f"variables must be given by number, 0..{n - 1}, not as {members!r}")
    if members and not (min(members) >= 0 and max(members) < n):
        outside = next(v for v in members if not 0 <= v < n)
        raise InputError(f"variable {outside} is not one of 0..{n - 1}")
    if len(set(members)) != len(members):
        raise InputError(f"the set {variables.tolist()} holds a variable twice")
    return variables.astype(np.int64, copy=False)


def _max_cells(representation: str, distinct: float) -> float:
    """Return the number of cells from which on histograms, which run over the distinct rows, are cheaper."""
    if representation == "bitmap":
        return np.inf
    return SWEEPS_PER_PASS * distinct if representation == "auto" else 0.0


def _bitmaps(
    codes: Codes,
    arities: NDArray[np.int64],
    representation: str,
    max_states: int,
) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the fields start, words, states and modes of Columns."""
    from bnsearch.counting.kernels_bitmaps import pack_states

    limit = {"auto": max_states, "bitmap": np.inf}.get(representation, 0)
    has = arities <= limit
    start = np.concatenate([[0], np.cumsum(np.where(has, arities - 1, 0))]).astype(np.int64)
    words = np.zeros((int(start[-1]), -(-codes.shape[1] // 64)), dtype=np.uint64)
    states = np.empty(int(start[-1]), dtype=np.int64)
    modes = np.zeros(len(arities), dtype=np.int64)
    for first, stop in _list_blocks(arities, codes.shape[1]):
        if not has[first]:
            continue
        arity, block = int(arities[first]), codes[first:stop]
        own = words[start[first] : start[stop]].reshape(stop - first, arity - 1, words.shape[1])
        if arity <= FEW_STATES and np.little_endian:  # one vectorised pass for each state is then faster
            mode = _pack_few_states(block, arity, own)
        else:
            mode = np.array([np.argmax(np.bincount(column, minlength=arity)) for column in block])
            for column, largest, bitmaps in zip(block, mode.tolist(), own, strict=True):
                items = np.arange(arity) - (np.arange(arity) > largest)
                items[largest] = -1
                pack_states(column, items, bitmaps)
        modes[first:stop] = mode
        others = np.arange(arity - 1)  # all states but the most frequent one
        states[start[first] : start[stop]] = (others + (others >= mode[:, np.newaxis])).ravel()
    return start, words, states, modes


def _list_blocks(arities: NDArray[np.int64], rows: int) -> Iterator[tuple[int, int]]:
    """Yield the first place and the place after the last of blocks with the same arity, which is ascending."""
    width = max(1, MAX_BLOCK_CELLS // max(1, rows))
    for first, stop in pairwise([0, *(np.flatnonzero(np.diff(arities)) + 1).tolist(), len(arities)]):
        yield from ((begin, min(begin + width, stop)) for begin in range(first, stop, width))


def _pack_few_states(codes: Codes, arity: int, words: NDArray[np.uint64]) -> NDArray[np.int64]:
    """
    Write the bitmaps of some variables with the same number of states; return the most frequent state of each.

    codes : uint8|uint16[variables, rows]
    words : uint64[variables, arity - 1, W], zeroed; written
    """
    packed = [np.packbits(codes == state, axis=1, bitorder="little") for state in range(arity)]
    modes: NDArray[np.int64] = np.argmax(
        [np.bitwise_count(bits).sum(axis=1, dtype=np.int64) for bits in packed], axis=0
    )
    for state, bits in enumerate(packed):
        chosen = np.flatnonzero(modes != state)
        words.view(np.uint8)[chosen, state - (state > modes[chosen]), : bits.shape[1]] = bits[chosen]
    return modes


def _merge_rows(codes: Codes) -> tuple[Codes, NDArray[np.int32]]:
    """Return the distinct rows and their numbers of occurrences, if at most half are distinct; else all rows."""
    from bnsearch.counting.kernels_rows import estimate_distinct, group_equal_rows, hashes_of_rows

    rows = codes.shape[1]
    hashes = hashes_of_rows(codes)
    if estimate_distinct(hashes) <= 0.6 * rows:
        first, counts = group_equal_rows(codes, hashes)
        if len(first) <= rows // 2:
            # np.take leaves each variable's codes contiguous; codes[:, first] does not.
            merged: Codes = np.take(codes, first, axis=1)  # type: ignore[assignment]  # the stub forgets the type
            return merged, counts.astype(np.int32)
    return codes, np.ones(rows, dtype=np.int32)
