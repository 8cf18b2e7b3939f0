"""From the families that an enumeration has kept to a candidate table: grouped by variable, sorted, unranked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import parallel_map, parallel_take
from bnsearch.parent_sets.rows import ROWS_PER_CHUNK, new_table, places_of_chunks
from bnsearch.parent_sets.table import ParentSets

ROWS_PER_CALL = 20_000  # approximate number of rows that one kernel call sorts and writes, which takes a millisecond
MAX_BEST_ROWS = 100_000  # approximate number of rows that are assembled without a delay after an interrupt


class RankedFamilies(NamedTuple):
    """Families with the same number of parents: place of the child, rank of the parents, score."""

    places: NDArray[np.int32]
    ranks: NDArray[np.int64]
    scores: NDArray[np.float64]


class GroupedFamilies(NamedTuple):
    """
    The families of all places, one place after the other, and those of one place with fewer parents first.

    Attributes
    ----------
    begin : int64[places + 1], index of the first family of each place
    ranks, scores : of the families
    ends : int64[places, sizes], number of families of a place with no parent, at most one, at most two, ...
    """

    begin: NDArray[np.int64]
    ranks: NDArray[np.int64]
    scores: NDArray[np.float64]
    ends: NDArray[np.int64]

    def best(self, max_families: int, threads: int) -> GroupedFamilies:
        """Return the best families of each place, up to a number, and the empty sets."""

        def choose(place: int) -> NDArray[np.int64]:
            scores = self.scores[self.begin[place] : self.begin[place + 1]]
            if len(scores) <= max_families:
                return np.arange(len(scores))
            return np.union1d([0], np.argpartition(-scores, max_families)[:max_families])

        chosen = parallel_map(choose, range(len(self.ends)), threads)
        rows = np.concatenate([first + own for first, own in zip(self.begin.tolist(), chosen, strict=False)])
        begin = np.concatenate(([0], np.cumsum([len(own) for own in chosen])))
        ends = np.array([np.searchsorted(own, limits) for own, limits in zip(chosen, self.ends, strict=True)])
        return GroupedFamilies(begin, self.ranks[rows], self.scores[rows], ends)

    def cut_places(self) -> list[tuple[int, int]]:
        """Return ranges of places with about ROWS_PER_CALL families each, or with one place."""
        starts = np.searchsorted(self.begin[:-1], np.arange(0, self.begin[-1], ROWS_PER_CALL))
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
    from bnsearch.parent_sets.kernels_rows import write_families

    families = _by_child(empty, parts, threads)
    if only_best and len(families.scores) > MAX_BEST_ROWS:
        families = families.best(-(-MAX_BEST_ROWS // len(order)), threads)
    counts, lengths = np.zeros((2, len(order)), dtype=np.int64)
    counts[order] = families.ends[:, -1]
    lengths[order] = (np.diff(families.ends, axis=1) * np.arange(1, families.ends.shape[1])).sum(axis=1)
    table, base = new_table(counts, lengths)
    begin, ranks, scores, ends = families
    bits = scores.view(np.uint64)

    def write(places: tuple[int, int]) -> None:
        write_families(
            *places, begin, scores, bits, ranks, ends, binomial, order, table.begin, base,
            table.scores, table.first, table.members,
        )  # fmt: skip

    parallel_take(write, families.cut_places(), threads)
    return ParentSets(names, *table)


def _by_child(empty: NDArray[np.float64], parts: Sequence[tuple[int, RankedFamilies]], threads: int) -> GroupedFamilies:
    """Return the families of all places."""
    from bnsearch.parent_sets.kernels_rows import count_children, scatter_families

    n = len(empty)
    chunks = _chunks(parts, threads)
    counts = np.zeros((len(chunks), n), dtype=np.int64)

    def count(i: int) -> None:
        for part in chunks[i][1]:
            count_children(part.places, counts[i])

    parallel_map(count, range(len(chunks)), threads)
    begin = np.concatenate(([0], np.cumsum(counts.sum(axis=0) + 1)))
    to = places_of_chunks(counts, begin[:-1] + 1)
    ranks, scores = np.empty(begin[-1], dtype=np.int64), np.empty(begin[-1])
    ranks[begin[:-1]], scores[begin[:-1]] = 0, empty

    def scatter(i: int) -> None:
        for part in chunks[i][1]:
            scatter_families(*part, to[i], ranks, scores)

    parallel_map(scatter, range(len(chunks)), threads)
    of_size = np.zeros((1 + max((size for size, _ in chunks), default=0), n), dtype=np.int64)
    of_size[0] = 1
    np.add.at(of_size, [size for size, _ in chunks], counts)
    return GroupedFamilies(begin, ranks, scores, np.ascontiguousarray(np.cumsum(of_size, axis=0).T))


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
