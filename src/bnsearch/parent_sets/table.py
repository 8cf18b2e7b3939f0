"""The candidate table: the candidate parent sets of each variable, best first."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.knowledge.constraints import Constraints
from bnsearch.parent_sets.rows import Families, arrange_rows, join_families


@dataclass(frozen=True, eq=False)
class ParentSets:
    """
    Candidate parent sets with their local scores, in flat arrays.

    The sets of variable v are the rows `begin[v]:begin[v + 1]`, best score first. The members of row r, ascending, are
    `members[first[r]:first[r + 1]]`. A set is dropped if one of its subsets has at least the same score, because every
    ordering that allows the set also allows the subset. The last row of every variable is therefore the empty set. If a
    variable has required parents, its empty set stays in the last row as a placeholder with a very low score; it is not
    legal. Use `ParentSets.build` or `ParentSets.from_families` to make such a table from raw rows.

    Attributes
    ----------
    names : tuple of str
        The variables.
    begin : array of int
        Int64[n + 1].
    scores : array of float
        Float64[rows].
    first : array of int
        Int64[rows + 1].
    members : array of int
        Int32[...].

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> table = bnsearch.Sequential(max_parents=1).select(data, bnsearch.BIC()).table
    >>> table.n_variables, table.n_sets
    (8, 32)
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
        max_pruned_size: int = -1,
        threads: int | None = 1,
    ) -> ParentSets:
        """
        Make a table from rows in any order: sort, drop repeated and dominated sets.

        Parameters
        ----------
        names : the variables
        child : int32[rows], the variable of each row
        scores : float64[rows]
        first, members : as the attributes; members in any order
        max_pruned_size : largest size for which the rows are already free of repeated and dominated sets
        threads : number of threads; None means all cores
        """
        return cls(tuple(names), *arrange_rows(names, child, scores, first, members, max_pruned_size, threads))

    @classmethod
    def from_families(
        cls, names: Sequence[str], parts: Iterable[Families], *, max_pruned_size: int = -1, threads: int | None = 1
    ) -> ParentSets:
        """
        Make a table from families in any order: sort, drop repeated and dominated sets.

        Parameters
        ----------
        names : the variables
        parts : the families, in one or several parts
        max_pruned_size, threads : as in `build`
        """
        return cls.build(names, *join_families(parts).rows, max_pruned_size=max_pruned_size, threads=threads)

    @property
    def families(self) -> Families:
        """The rows of the table as families."""
        return Families(self.child, self.scores, self.sizes, self.members)

    def best(self, max_sets: int, constraints: Constraints | None = None) -> ParentSets:
        """
        Return the table of the `max_sets` best sets of each variable and the empty set.

        A variable with required parents also keeps its smallest legal set, the second to last row.
        """
        rank = np.arange(self.n_sets) - np.repeat(self.begin[:-1], np.diff(self.begin))
        kept = (rank < max_sets) | (self.sizes == 0)
        if constraints is not None:
            kept[self.begin[1:][constraints.has_required] - 2] = True
        return self.take(np.flatnonzero(kept))

    def take(self, rows: NDArray[np.int64]) -> ParentSets:
        """Return the table of some rows, ascending, which include the empty sets."""
        from bnsearch.parent_sets.kernels_rows import take_rows

        first = np.empty(len(rows) + 1, dtype=np.int64)
        first[-1] = self.sizes[rows].sum()
        members = np.empty(first[-1], dtype=np.int32)
        take_rows(self.first, self.members, rows, 0, first[:-1], members)
        return ParentSets(self.names, np.searchsorted(rows, self.begin), self.scores[rows], first, members)

    @property
    def child(self) -> NDArray[np.int32]:
        """The variable of each row."""
        return np.repeat(np.arange(self.n_variables, dtype=np.int32), np.diff(self.begin))

    @property
    def n_variables(self) -> int:
        """The number of variables."""
        return len(self.names)

    @property
    def n_sets(self) -> int:
        """The number of candidate sets of all variables, including the empty ones."""
        return len(self.scores)

    def parents(self, row: int) -> tuple[int, ...]:
        """Return the members of a row's set."""
        return tuple(self.members[self.first[row] : self.first[row + 1]].tolist())

    def network(self, rows: NDArray[np.int64]) -> DAG:
        """Return the network of the given rows, one per variable; raise an InputError if it has a cycle."""
        return DAG(self.names, [self.parents(row) for row in rows.tolist()])

    def score_of(self, dag: DAG) -> float:
        """Return the score of a network; raise an InputError if one of its parent sets is not in the table."""
        families = [{parents: score for score, parents in self.sets(v)} for v in range(self.n_variables)]
        for name, family, parents in zip(self.names, families, dag.parents, strict=True):
            if parents not in family:
                raise InputError(
                    f"the parents of {name!r} are not in the candidate table: add this set, or change the network"
                )
        return math.fsum(family[parents] for family, parents in zip(families, dag.parents, strict=True))

    @property
    def empty_score(self) -> float:
        """The score of the network without edges, the sum over the last rows."""
        return math.fsum(self.scores[self.begin[1:] - 1])

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
        """The size of the largest candidate set."""
        return int(self.sizes.max(initial=0))

    def __repr__(self) -> str:
        return f"ParentSets({self.n_variables} variables, {self.n_sets:,} sets, up to {self.max_parents} parents)"
