"""From rows in any order to a candidate table: grouped by variable, sorted, without repeated and dominated sets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import parallel_map, parallel_take, thread_count
from bnsearch.errors import InputError
from bnsearch.scores.score import TOLERANCE

MIN_ROWS_PER_THREAD = 40_000  # with fewer rows, starting a thread costs more than it saves
FEW_ROWS = 1000  # rows of a variable below which the work is shorter than the wait of a thread for the interpreter
ROWS_PER_CHUNK = 100_000  # smallest number of rows that one thread counts or copies at a time


class Families(NamedTuple):
    """
    Scored families in any order.

    Attributes
    ----------
    child : int32[families], the child of each family
    scores : float64[families], the local scores
    sizes : int64[families], the number of parents of each family
    members : int32[...], the parents of the first family, then those of the second, and so on
    """

    child: NDArray[np.int32]
    scores: NDArray[np.float64]
    sizes: NDArray[np.int64]
    members: NDArray[np.int32]

    @property
    def first(self) -> NDArray[np.int64]:
        """The index of each family's first parent in `members`, and the length of `members` as the last entry."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @property
    def rows(self) -> tuple[NDArray[np.int32], NDArray[np.float64], NDArray[np.int64], NDArray[np.int32]]:
        """The arguments `child`, `scores`, `first` and `members` of `ParentSets.build`."""
        return self.child, self.scores, self.first, self.members


def join_families(parts: Iterable[Families]) -> Families:
    """Return the families of all parts, one part after the other."""
    return Families(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


class TableArrays(NamedTuple):
    """The arrays of a `ParentSets`."""

    begin: NDArray[np.int64]
    scores: NDArray[np.float64]
    first: NDArray[np.int64]
    members: NDArray[np.int32]


def arrange_rows(
    names: Sequence[str],
    child: NDArray[np.int32],
    scores: NDArray[np.float64],
    first: NDArray[np.int64],
    members: NDArray[np.int32],
    max_pruned_size: int,
    threads: int | None,
) -> TableArrays:
    """Return the arrays of a table; the parameters are those of `ParentSets.build`."""
    members = _sorted_members(names, child, scores, first, members, threads)
    rows, begin = group_by_child(len(names), child, threads)
    own = [rows[begin[v] : begin[v + 1]] for v in range(len(names))]
    lengths = np.zeros(len(names), dtype=np.int64)  # total number of members of each variable's sets
    ends_empty = np.zeros(len(names), dtype=bool)
    random = np.random.default_rng(0).integers(1, 2**64, len(names), dtype=np.uint64)

    def select(v: int) -> None:
        mine = own[v]
        sizes = first[mine + 1] - first[mine]
        order = best_first(scores[mine], sizes)
        mine, sizes = mine[order], sizes[order]
        if sizes.max(initial=0) > max_pruned_size:
            keep = _undominated(scores, first, members, mine, max_pruned_size, random)
            mine, sizes = mine[keep], sizes[keep]
        own[v], lengths[v], ends_empty[v] = mine, sizes.sum(), len(sizes) > 0 and sizes[-1] == 0

    for_variables(select, np.diff(begin), threads)
    for v in np.flatnonzero(~ends_empty).tolist():
        raise InputError(f"variable {names[v]!r} lacks the score of its empty parent set")
    return _taken(scores, first, members, own, lengths, threads)


def _taken(
    scores: NDArray[np.float64],
    first: NDArray[np.int64],
    members: NDArray[np.int32],
    own: list[NDArray[np.int64]],
    lengths: NDArray[np.int64],
    threads: int | None,
) -> TableArrays:
    """Return the arrays of a table with some rows of each variable, whose sets have `lengths` members in total."""
    from bnsearch.parent_sets.kernels_rows import take_rows

    counts = np.array([len(rows) for rows in own], dtype=np.int64)
    table, base = new_table(counts, lengths)
    begin, starts = table.begin.tolist(), base.tolist()

    def take(v: int) -> None:
        to = slice(begin[v], begin[v + 1])
        table.scores[to] = scores[own[v]]
        take_rows(first, members, own[v], starts[v], table.first[to], table.members[starts[v] : starts[v + 1]])

    for_variables(take, counts, threads)
    return table


def new_table(counts: NDArray[np.int64], lengths: NDArray[np.int64]) -> tuple[TableArrays, NDArray[np.int64]]:
    """Return empty arrays of a table, and the index of each variable's first member, from its numbers of both."""
    begin, base = (np.concatenate(([0], np.cumsum(numbers))).astype(np.int64) for numbers in (counts, lengths))
    first = np.empty(begin[-1] + 1, dtype=np.int64)
    first[-1] = base[-1]
    return TableArrays(begin, np.empty(begin[-1]), first, np.empty(base[-1], dtype=np.int32)), base


def group_by_child(
    n: int, child: NDArray[np.int32], threads: int | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows grouped by child, in their order, and the index of each child's first row."""
    from bnsearch.parent_sets.kernels_rows import count_children, scatter_rows

    chunks = cut_rows(len(child), threads)
    counts = np.zeros((len(chunks), n), dtype=np.int64)
    parallel_map(lambda i: count_children(child[chunks[i]], counts[i]), range(len(chunks)), threads)
    begin = np.concatenate(([0], np.cumsum(counts.sum(axis=0))))
    to = places_of_chunks(counts, begin[:-1])
    rows = np.empty(len(child), dtype=np.int64)
    parallel_map(lambda i: scatter_rows(child[chunks[i]], chunks[i].start, to[i], rows), range(len(chunks)), threads)
    return rows, begin


def places_of_chunks(counts: NDArray[np.int64], begin: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the first index for each chunk's rows of each child; counts : int64[chunks, n], begin : int64[n]."""
    places: NDArray[np.int64] = np.cumsum(counts, axis=0) - counts + begin
    return places


def cut_rows(rows: int, threads: int | None) -> list[slice]:
    """Return slices of about equal length, one for each thread, or fewer if there are few rows."""
    number = max(1, min(thread_count(threads), rows // ROWS_PER_CHUNK))
    return [slice(rows * i // number, rows * (i + 1) // number) for i in range(number)]


def for_variables(function: Callable[[int], None], counts: NDArray[np.int64], threads: int | None) -> None:
    """Call a function with every variable, those with most rows first; in threads if there are many rows."""
    work = np.argsort(-counts, kind="stable").tolist()
    rows = int(counts.sum())
    max_threads = rows // max(1, MIN_ROWS_PER_THREAD) if rows >= FEW_ROWS * len(counts) else 1
    parallel_take(function, work, max(1, min(thread_count(threads), max_threads)))


def best_first(scores: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the order of one variable's rows: by descending score, then by size, then as given."""
    values = -scores
    order = np.argsort(values)
    ordered = values[order]
    if np.any(ordered[1:] == ordered[:-1]):  # a stable sort takes longer and is needed only here
        order = np.lexsort((sizes, values))
    return order


def _sorted_members(
    names: Sequence[str],
    child: NDArray[np.int32],
    scores: NDArray[np.float64],
    first: NDArray[np.int64],
    members: NDArray[np.int32],
    threads: int | None,
) -> NDArray[np.int32]:
    """Return the members, those of each set ascending; raise an InputError for invalid sets and scores."""
    from bnsearch.parent_sets.kernels_rows import sort_members

    if len(child) and not (child.min() >= 0 and child.max() < len(names)):
        raise InputError(f"the rows' variables must be 0 to {len(names) - 1}")
    ordered = np.empty(len(members), dtype=np.int32)

    def sort(chunk: slice) -> tuple[int, bool]:
        own = slice(first[chunk.start], first[chunk.stop])
        ordered[own] = members[own]
        wrong = int(sort_members(child, first, ordered, len(names), chunk.start, chunk.stop))
        return wrong, bool(np.isfinite(scores[chunk]).all())

    answers = parallel_map(sort, cut_rows(len(child), threads), threads)
    for row, _ in answers:
        if row >= 0:
            raise InputError(f"a parent set of {names[child[row]]!r} holds a variable twice, itself, or no variable")
    if not all(finite for _, finite in answers):
        row = int(np.argmin(np.isfinite(scores)))
        raise InputError(f"a score of {names[child[row]]!r} is {scores[row]}, not a finite number")
    return ordered


def _undominated(
    scores: NDArray[np.float64],
    first: NDArray[np.int64],
    members: NDArray[np.int32],
    rows: NDArray[np.int64],
    max_pruned_size: int,
    random: NDArray[np.uint64],
) -> NDArray[np.bool_]:
    """Return bool[rows], True for rows of one variable, best first, that no subset matches or beats."""
    from bnsearch.parent_sets.kernels_domination import mark_undominated

    keys, folds = np.empty((2, len(rows)), dtype=np.uint64)
    slots = np.full(1 << (2 * len(rows) + 1).bit_length(), -1, dtype=np.int32)
    words = np.zeros(1 << (len(rows) // 8).bit_length(), dtype=np.uint64)
    keep = np.ones(len(rows), dtype=bool)
    mark_undominated(scores, first, members, rows, max_pruned_size, random, TOLERANCE, keys, folds, slots, words, keep)
    return keep
