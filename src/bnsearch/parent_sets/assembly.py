"""From the families that an enumeration has kept to a candidate table: grouped by variable, sorted, unranked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import ThreadArrays, parallel_map, parallel_take
from bnsearch.parent_sets.rows import ROWS_PER_CHUNK, places_of_chunks
from bnsearch.parent_sets.table import ParentSets

ITEMS_PER_PAGE = 512  # of 8 bytes; threads access each page first, because the system clears it then
# Numbers of rows that one kernel call sorts and writes, which takes 0.2 to 1 millisecond; one variable may have more.
MIN_ROWS_PER_CALL, MAX_ROWS_PER_CALL = 4_000, 20_000
MAX_BEST_ROWS = 100_000  # approximate number of rows that are assembled without a delay after an interrupt


class RankedFamilies(NamedTuple):
    """Families with the same number of parents: place of the child, rank of the parents, score."""

    places: NDArray[np.int32]
    ranks: NDArray[np.int64]
    scores: NDArray[np.float64]


class GroupedFamilies(NamedTuple):
    """
    The families of all variables, one variable after the other, and those of one variable with fewer parents first.

    Attributes
    ----------
    begin : int64[variables + 1], index of the first family of each variable, which is that of the empty set
    ranks : int64[families + 1], ranks of the parents, and one more entry
    scores : float64[families], scores of the families; those of the empty sets are undefined
    ends : int64[variables, sizes], number of families of a variable with no parent, at most one, at most two, ...
    """

    begin: NDArray[np.int64]
    ranks: NDArray[np.int64]
    scores: NDArray[np.float64]
    ends: NDArray[np.int64]

    def best(self, max_families: int, threads: int) -> GroupedFamilies:
        """Return the best families of each variable, up to a number, and the empty sets."""

        def choose(variable: int) -> NDArray[np.int64]:
            scores = self.scores[self.begin[variable] + 1 : self.begin[variable + 1]]
            if len(scores) <= max_families:
                return np.arange(len(scores) + 1)
            return np.concatenate(([0], 1 + np.sort(np.argpartition(-scores, max_families)[:max_families])))

        chosen = parallel_map(choose, range(len(self.ends)), threads)
        rows = np.concatenate([first + own for first, own in zip(self.begin.tolist(), chosen, strict=False)])
        begin = np.concatenate(([0], np.cumsum([len(own) for own in chosen])))
        ends = np.array([np.searchsorted(own, limits) for own, limits in zip(chosen, self.ends, strict=True)])
        return GroupedFamilies(begin, self.ranks[np.append(rows, 0)], self.scores[rows], ends)

    def cut_variables(self, threads: int) -> list[tuple[int, int]]:
        """Return ranges of variables for one kernel call each: two for each thread, or more if these are long."""
        rows = int(self.begin[-1])
        rows_per_call = max(MIN_ROWS_PER_CALL, min(MAX_ROWS_PER_CALL, rows // (2 * threads)))
        starts = np.searchsorted(self.begin[:-1], np.arange(0, rows, rows_per_call))
        return list(pairwise([*np.unique(starts).tolist(), len(self.ends)]))


def assemble(
    names: tuple[str, ...],
    order: NDArray[np.int64],
    binomial: NDArray[np.int64],
    empty: NDArray[np.float64],
    parts: Sequence[tuple[int, RankedFamilies]],
    threads: int,
    *,
    only_best: bool = False,
) -> ParentSets:
    """
    Return the candidate table of families.

    Parameters
    ----------
    names : the variables
    order : the variable at each place
    binomial : binomial coefficients
    empty : float64[places], the scores of the empty sets
    parts : pairs of a number of parents, ascending, and families with it
    threads : number of threads
    only_best : True if only each variable's best sets are kept of many, because the caller was interrupted
    """
    from bnsearch.parent_sets.kernels_rows import sort_families

    families = _by_child(order, parts, threads)
    if only_best and len(families.scores) > MAX_BEST_ROWS:
        families = families.best(-(-MAX_BEST_ROWS // len(order)), threads)
    begin, ranks, scores, ends = families
    lengths = (np.diff(ends, axis=1) * np.arange(1, ends.shape[1])).sum(axis=1)
    base = np.concatenate(([0], np.cumsum(lengths)))
    members = np.empty(base[-1], dtype=np.int32)
    bits, bits_of_empty = scores.view(np.uint64), np.empty(len(order), dtype=np.uint64)
    bits_of_empty[order] = empty.view(np.uint64)
    most, scratch = int(np.diff(begin).max()), ThreadArrays(np.uint64, np.int64, np.uint64, np.int64, np.int64)

    def sort(variables: tuple[int, int]) -> None:
        sort_families(
            *variables, begin, bits_of_empty, bits, ranks, ends, binomial, order, base, members, *scratch.take(most)
        )

    # The scores and ranks are replaced in place by those of the table, because the first access to new memory is slow.
    parallel_take(sort, families.cut_variables(threads), threads)
    ranks[-1] = base[-1]
    return ParentSets(names, begin, scores, ranks, members)


def _by_child(order: NDArray[np.int64], parts: Sequence[tuple[int, RankedFamilies]], threads: int) -> GroupedFamilies:
    """Return the families of all variables."""
    from bnsearch.parent_sets.kernels_rows import count_children, scatter_families

    n, chunks = len(order), _chunks(parts, threads)
    counts = np.zeros((len(chunks), n), dtype=np.int64)  # by chunk and place
    rows = n + sum(len(part.places) for _, part in parts)
    ranks, scores = np.empty(rows + 1, dtype=np.int64), np.empty(rows)

    def count(i: int) -> None:
        for array in (ranks, scores):
            array[rows * i // len(chunks) : rows * (i + 1) // len(chunks) : ITEMS_PER_PAGE] = 0
        for part in chunks[i][1]:
            count_children(part.places, counts[i])

    parallel_map(count, range(len(chunks)), threads)
    of_size = np.zeros((1 + max((size for size, _ in chunks), default=0), n), dtype=np.int64)  # by size and place
    of_size[0] = 1
    np.add.at(of_size, [size for size, _ in chunks], counts)
    ends = np.empty((n, len(of_size)), dtype=np.int64)
    ends[order] = np.cumsum(of_size, axis=0).T
    begin = np.concatenate(([0], np.cumsum(ends[:, -1])))
    to = places_of_chunks(counts, begin[order] + 1)

    def scatter(i: int) -> None:
        for part in chunks[i][1]:
            scatter_families(*part, to[i], ranks, scores)

    parallel_map(scatter, range(len(chunks)), threads)
    return GroupedFamilies(begin, ranks, scores, ends)


def _chunks(parts: Sequence[tuple[int, RankedFamilies]], threads: int) -> list[tuple[int, list[RankedFamilies]]]:
    """Return the parts in lists of about equal numbers of families, each with one number of parents."""
    max_rows = max(ROWS_PER_CHUNK, sum(len(part.places) for _, part in parts) // threads)
    chunks: list[tuple[int, list[RankedFamilies]]] = []
    for size, same in groupby(parts, key=lambda part: part[0]):
        rows = max_rows
        for _, part in same:
            if rows >= max_rows:
                chunks.append((size, []))
                rows = 0
            chunks[-1][1].append(part)
            rows += len(part.places)
    return chunks
