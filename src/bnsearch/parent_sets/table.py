"""The candidate table: for each variable the parent sets it may choose, best first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.parallel import parallel_map
from bnsearch.scores.score import TOLERANCE

WORTH_THREADS = 100_000  # rows; below, starting threads costs more than they save
PIECES = 100  # groups of variables that threads take in turn


@dataclass(frozen=True, eq=False)
class ParentSets:
    """
    Candidate parent sets with their local scores, in flat arrays.

    The sets of variable v are the rows `begin[v]:begin[v + 1]`, best score first, each set with ascending members; the
    members of row r are `members[first[r]:first[r + 1]]`. Every variable has the empty set, which comes last, because
    no set is kept that a subset of it matches or beats: an ordering that admits the set admits the subset. Use
    `ParentSets.build` to make such a table from raw rows.

    Attributes
    ----------
    names : the variables
    begin : int64[n + 1]
    scores : float64[rows]
    first : int64[rows + 1]
    members : int32[...]
    """

    names: tuple[str, ...]
    begin: NDArray[np.int64]
    scores: NDArray[np.float64]
    first: NDArray[np.int64]
    members: NDArray[np.int32]

    def __post_init__(self) -> None:
        for array in (self.begin, self.scores, self.first, self.members):
            array.flags.writeable = False

    @classmethod
    def build(
        cls,
        names: Sequence[str],
        child: NDArray[np.int32],
        scores: NDArray[np.float64],
        first: NDArray[np.int64],
        members: NDArray[np.int32],
        *,
        pruned: int = -1,
        threads: int | None = 1,
    ) -> ParentSets:
        """
        Make a table from rows in any order: sort, drop repeated and dominated sets.

        Parameters
        ----------
        names : the variables
        child : int32[rows], whose candidate each row is
        scores : float64[rows]
        first, members : as the attributes; members in any order
        pruned : sets of up to this many members are known to be neither repeated nor dominated
        threads : how many to use; None means all cores
        """
        from bnsearch.parent_sets.kernels import take_rows

        members = _sorted_members(names, child, scores, first, members)
        rows, begin = sort_rows(len(names), child, scores, np.diff(first), threads)
        if len(first) > 1 and np.diff(first).max() > pruned:
            rows, begin = _without_dominated(scores, first, members, rows, begin, pruned, threads)
        for name, end, start in zip(names, begin[1:], begin[:-1], strict=True):
            if end == start or first[rows[end - 1] + 1] > first[rows[end - 1]]:
                raise InputError(f"variable {name!r} lacks the score of its empty parent set")
        new_first = np.empty(len(rows) + 1, dtype=np.int64)
        new_members = np.empty(int(np.diff(first)[rows].sum()), dtype=np.int32)
        take_rows(first, members, rows, new_first, new_members)
        return cls(tuple(names), begin, scores[rows], new_first, new_members)

    def best(self, most: int) -> ParentSets:
        """Return the table of each variable's best sets, as many as asked for, and the empty set."""
        from bnsearch.parent_sets.kernels import take_rows

        place = np.arange(self.n_sets) - np.repeat(self.begin[:-1], np.diff(self.begin))
        rows = np.flatnonzero((place < most) | (self.sizes == 0))
        first = np.empty(len(rows) + 1, dtype=np.int64)
        members = np.empty(int(self.sizes[rows].sum()), dtype=np.int32)
        take_rows(self.first, self.members, rows, first, members)
        return ParentSets(self.names, np.searchsorted(rows, self.begin), self.scores[rows], first, members)

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    @property
    def n_sets(self) -> int:
        """The number of candidate sets of all variables, the empty ones included."""
        return len(self.scores)

    def parents(self, row: int) -> tuple[int, ...]:
        """Return the members of a row's set."""
        return tuple(self.members[self.first[row] : self.first[row + 1]].tolist())

    def network(self, rows: NDArray[np.int64]) -> DAG:
        """Return the network that some rows make, one a variable; a cycle is refused."""
        return DAG(self.names, [self.parents(row) for row in rows.tolist()])

    def score_of(self, dag: DAG) -> float:
        """Return the score of a network whose parent sets are all candidates; refuse another."""
        families = [{parents: score for score, parents in self.sets(v)} for v in range(self.n_variables)]
        for name, family, parents in zip(self.names, families, dag.parents, strict=True):
            if parents not in family:
                raise InputError(f"the parents of {name!r} are none of its candidate sets")
        return math.fsum(family[parents] for family, parents in zip(families, dag.parents, strict=True))

    def sets(self, variable: int) -> Iterator[tuple[float, tuple[int, ...]]]:
        """Yield a variable's candidates as (score, parents), best first."""
        for row in range(int(self.begin[variable]), int(self.begin[variable + 1])):
            yield float(self.scores[row]), self.parents(row)

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """The number of members of each row's set."""
        return np.diff(self.first)

    @property
    def max_parents(self) -> int:
        """The largest in-degree of any candidate."""
        return int(self.sizes.max(initial=0))

    def __repr__(self) -> str:
        return f"ParentSets({self.n_variables} variables, {self.n_sets:,} sets, up to {self.max_parents} parents)"


def _sorted_members(
    names: Sequence[str],
    child: NDArray[np.int32],
    scores: NDArray[np.float64],
    first: NDArray[np.int64],
    members: NDArray[np.int32],
) -> NDArray[np.int32]:
    """Return the members with those of each set ascending; refuse what is no parent set or has no score."""
    from bnsearch.parent_sets.kernels import sort_members

    if len(child) and not (child.min() >= 0 and child.max() < len(names)):
        raise InputError(f"the rows' variables must be 0 to {len(names) - 1}")
    members = np.array(members, dtype=np.int32)
    row = int(sort_members(child, first, members, len(names)))
    if row >= 0:
        raise InputError(f"a parent set of {names[child[row]]!r} holds a variable twice, itself, or no variable")
    if not np.isfinite(scores).all():
        row = int(np.argmin(np.isfinite(scores)))
        raise InputError(f"a score of {names[child[row]]!r} is {scores[row]}, not a finite number")
    return members


def sort_rows(
    n: int,
    child: NDArray[np.int32],
    scores: NDArray[np.float64],
    sizes: NDArray[np.int32] | NDArray[np.int64],
    threads: int | None = 1,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows by variable, best first, smaller sets first among equals; and where each variable begins."""
    from bnsearch.parent_sets.kernels import sort_by_child

    rows = np.empty(len(child), dtype=np.int64)
    begin = np.zeros(n + 1, dtype=np.int64)
    sort_by_child(child, begin, rows)

    def arrange(variables: NDArray[np.int64]) -> None:
        for v in variables:
            own = rows[begin[v] : begin[v + 1]]
            values = -scores[own]
            order = np.argsort(values)
            values = values[order]
            if np.any(values[1:] == values[:-1]):  # only then need the order be a stable one, which takes longer
                order = np.lexsort((sizes[own], -scores[own]))
            own[:] = own[order]

    _for_variables(arrange, n, len(rows), threads)
    return rows, begin


def _without_dominated(
    scores: NDArray[np.float64],
    first: NDArray[np.int64],
    members: NDArray[np.int32],
    rows: NDArray[np.int64],
    begin: NDArray[np.int64],
    pruned: int,
    threads: int | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows that no subset of their set matches or beats, and where each variable begins."""
    keep = np.ones(len(rows), dtype=bool)
    n = len(begin) - 1
    random = np.random.default_rng(0).integers(1, 2**64, n, dtype=np.uint64)

    def mark(variables: NDArray[np.int64]) -> None:
        for v in variables:
            own = slice(begin[v], begin[v + 1])
            _mark_undominated(scores, first, members, rows[own], pruned, random, keep[own])

    _for_variables(mark, n, len(rows), threads)
    return rows[keep], np.concatenate(([0], np.cumsum(keep)))[begin]


def _for_variables(function: Callable[[NDArray[np.int64]], None], n: int, rows: int, threads: int | None) -> None:
    """Call a function with groups of the variables, in threads where there are many rows."""
    pieces = np.array_split(np.arange(n), max(1, min(n, PIECES)))
    parallel_map(function, pieces, threads if rows > WORTH_THREADS else 1)


def _mark_undominated(
    scores: NDArray[np.float64],
    first: NDArray[np.int64],
    members: NDArray[np.int32],
    rows: NDArray[np.int64],
    pruned: int,
    random: NDArray[np.uint64],
    keep: NDArray[np.bool_],
) -> None:
    """Tell of each row of one variable, best first, whether no subset matches or beats it."""
    from bnsearch.parent_sets.kernels import mark_undominated

    keys, folds = np.empty((2, len(rows)), dtype=np.uint64)
    slots = np.full(1 << (2 * len(rows) + 1).bit_length(), -1, dtype=np.int32)
    words = np.zeros(1 << (len(rows) // 8).bit_length(), dtype=np.uint64)
    mark_undominated(scores, first, members, rows, pruned, random, TOLERANCE, keys, folds, slots, words, keep)
