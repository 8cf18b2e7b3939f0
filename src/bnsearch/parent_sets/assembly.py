"""From the families that an enumeration has kept to a candidate table: grouped by variable, sorted, unranked."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import parallel_map
from bnsearch.parent_sets.rows import ROWS_PER_CHUNK, for_variables, new_table, places_of_chunks
from bnsearch.parent_sets.table import ParentSets

MAX_BEST_ROWS = 100_000  # approximate number of rows that are assembled without a delay after an interrupt


class RankedFamilies(NamedTuple):
    """Families with the same number of parents: place of the child, rank of the parents, score."""

    places: NDArray[np.int32]
    ranks: NDArray[np.int64]
    scores: NDArray[np.float64]


class VariableFamilies(NamedTuple):
    """
    The families of one variable, those with fewer parents first.

    Attributes
    ----------
    ranks, scores : of the families
    ends : int64[sizes], number of families with no parent, at most one, at most two, ...
    """

    ranks: NDArray[np.int64]
    scores: NDArray[np.float64]
    ends: NDArray[np.int64]

    def best(self, max_families: int) -> VariableFamilies:
        """Return the best families, up to a number, and the empty set."""
        if len(self.scores) <= max_families:
            return self
        kept = np.union1d([0], np.argpartition(-self.scores, max_families)[:max_families])
        return VariableFamilies(self.ranks[kept], self.scores[kept], np.searchsorted(kept, self.ends))


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

    variables = order.tolist()
    families = _by_child(empty, parts, threads)
    if only_best and sum(len(own.scores) for own in families) > MAX_BEST_ROWS:
        families = parallel_map(lambda own: own.best(-(-MAX_BEST_ROWS // len(order))), families, threads)
    ends = np.array([own.ends for own in families])
    counts, lengths = np.zeros((2, len(order)), dtype=np.int64)
    counts[order] = ends[:, -1]
    lengths[order] = (np.diff(ends, axis=1) * np.arange(1, ends.shape[1])).sum(axis=1)
    table, base = new_table(counts, lengths)
    spans = [slice(*bounds) for bounds in pairwise(table.begin.tolist())]
    members = [slice(*bounds) for bounds in pairwise(base.tolist())]

    def write(place: int) -> None:
        own, v = families[place], variables[place]
        write_families(
            own.scores, own.scores.view(np.uint64), own.ranks, own.ends, binomial, order, members[v].start,
            table.scores[spans[v]], table.first[spans[v]], table.members[members[v]],
        )  # fmt: skip

    for_variables(write, counts[order], threads)
    return ParentSets(names, *table)


def _by_child(
    empty: NDArray[np.float64], parts: Sequence[tuple[int, RankedFamilies]], threads: int
) -> list[VariableFamilies]:
    """Return the families of each place."""
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
    ends = np.ascontiguousarray(np.cumsum(of_size, axis=0).T)
    spans = [slice(*bounds) for bounds in pairwise(begin.tolist())]
    return [VariableFamilies(ranks[span], scores[span], ends[v]) for v, span in enumerate(spans)]


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
