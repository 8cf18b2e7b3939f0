"""Background knowledge that refers to variables by index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.knowledge.precedence import Precedence

if TYPE_CHECKING:
    from bnsearch.knowledge.knowledge import Knowledge


@dataclass(frozen=True, eq=False)
class Constraints:
    """
    The constraints that a legal network satisfies.

    Attributes
    ----------
    allowed : bool (n, n); allowed[child, parent] is True if the edge is legal. Edges that would close a cycle with
        required edges are never allowed
    required : bool (n, n); required[child, parent] is True if every network must have the edge
    max_parents : int64 (n,); largest number of parents of each variable
    """

    allowed: NDArray[np.bool_]
    required: NDArray[np.bool_]
    max_parents: NDArray[np.int64]

    @property
    def size(self) -> int:
        """The number of variables."""
        return len(self.max_parents)

    @cached_property
    def common_limit(self) -> int:
        """The maximum number of parents that holds for all variables."""
        return int(self.max_parents.max(initial=0))

    @cached_property
    def has_more_than_limit(self) -> bool:
        """Whether more is known than the common limit: an edge is required or forbidden, or a limit is lower."""
        is_limited = (self.max_parents < self.common_limit).any() or self.required.any()
        return bool(is_limited or np.count_nonzero(self.allowed) < self.size * (self.size - 1))

    def permits(self, dag: DAG) -> bool:
        """Return True if a network is legal."""
        degrees = np.array([len(its_parents) for its_parents in dag.parents])
        children = np.repeat(np.arange(self.size), degrees)
        parents = np.fromiter(chain.from_iterable(dag.parents), dtype=np.int64, count=len(children))
        there = np.count_nonzero(self.required[children, parents]) == len(self._required_edges[0])
        return bool(there and self.allowed[children, parents].all() and (degrees <= self.max_parents).all())

    def make_required_dag(self, names: Sequence[str]) -> DAG:
        """Return the network that has only the required edges."""
        return DAG(names, self.required_parents)

    @cached_property
    def _required_edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The children and the parents of the required edges."""
        children, parents = np.nonzero(self.required)
        return children, parents

    @cached_property
    def required_parents(self) -> list[tuple[int, ...]]:
        """The required parents of each variable."""
        children, parents = self._required_edges
        begin = np.searchsorted(children, np.arange(self.size + 1)).tolist()
        return [tuple(parents[start:stop].tolist()) for start, stop in pairwise(begin)]

    @cached_property
    def has_required(self) -> NDArray[np.bool_]:
        """Bool (n,); True for variables with required parents."""
        return np.bincount(self._required_edges[0], minlength=self.size) > 0

    @cached_property
    def precedence(self) -> Precedence | None:
        """The order constraints of the required edges; None if no edge is required."""
        return Precedence(*self._required_edges) if len(self._required_edges[0]) else None

    def legalise(self, parents: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        """
        Return the parent sets of a legal network similar to `parents`, which may be illegal or cyclic.

        The network has all required edges. The other edges are added one by one, unless an edge is forbidden, its child
        has the maximum number of parents, or it closes a cycle.
        """
        kept = [list(its_parents) for its_parents in self.required_parents]
        above = _find_ancestors(kept)
        for child, its_parents in enumerate(parents):
            for parent in its_parents:
                fits = self.allowed[child, parent] and parent not in kept[child]
                if fits and len(kept[child]) < self.max_parents[child] and not above[parent] >> child & 1:
                    kept[child].append(parent)
                    new = above[parent] | 1 << parent
                    above = [a | new if v == child or a >> child & 1 else a for v, a in enumerate(above)]
        return [tuple(sorted(its_parents)) for its_parents in kept]


def make_constraints(knowledge: Knowledge, names: Sequence[str]) -> Constraints:
    """
    Return the constraints of background knowledge on the variables `names`.

    All variables of the knowledge must be in `names`. Contradictory knowledge raises an InputError.
    """
    index = {name: i for i, name in enumerate(names)}
    required = np.zeros((len(names), len(names)), dtype=bool)
    for parent, child in knowledge.required:
        required[index[child], index[parent]] = True
    allowed = np.ones_like(required)
    np.fill_diagonal(allowed, False)
    if knowledge.allowed is not None:
        allowed[:] = required
        for parent, child in knowledge.allowed:
            allowed[index[child], index[parent]] = True
    for reason, children, parents in _list_forbidden_blocks(knowledge, index):
        block = np.ix_(children, parents)
        for row, column in np.argwhere(required[block]).tolist():
            edge = f"{names[parents[column]]!r} -> {names[children[row]]!r}"
            raise InputError(f"the knowledge contradicts itself: the edge {edge} is required, but {reason}")
        allowed[block] = False
    _forbid_cycles(required, allowed, names)
    return Constraints(allowed, required, _compute_max_parents(knowledge, index, required))


def _list_forbidden_blocks(
    knowledge: Knowledge, index: Mapping[str, int]
) -> Iterator[tuple[str, list[int], list[int]]]:
    """Yield blocks of forbidden edges: the reason, the children, the parents."""
    for parent, child in knowledge.forbidden:
        yield "it is forbidden", [index[child]], [index[parent]]
    everyone = list(index.values())
    for name in knowledge.roots:
        yield f"{name!r} is a root", [index[name]], everyone
    for name in knowledge.leaves:
        yield f"{name!r} is a leaf", everyone, [index[name]]
    tiers = [[index[name] for name in tier] for tier in knowledge.tiers]
    _check_tiers(knowledge)
    for (i, earlier), (j, later) in combinations(enumerate(tiers), 2):
        yield "it leads to an earlier tier", earlier, later
        if j > i + 1 and not knowledge.across_tiers:
            yield "it skips a tier", later, earlier
    if not knowledge.within_tiers:
        for tier in tiers:
            yield "both are in one tier", tier, tier


def _check_tiers(knowledge: Knowledge) -> None:
    seen: set[str] = set()
    for name in (name for tier in knowledge.tiers for name in tier):
        if name in seen:
            raise InputError(f"the knowledge contradicts itself: {name!r} is listed twice in the tiers: remove one")
        seen.add(name)


def _forbid_cycles(required: NDArray[np.bool_], allowed: NDArray[np.bool_], names: Sequence[str]) -> None:
    """Raise an InputError if required edges form a cycle, and forbid all edges that would close one with them."""
    try:
        base = DAG(names, [np.flatnonzero(row).tolist() for row in required])
    except InputError as error:
        raise InputError(f"the knowledge contradicts itself: among the required edges, {error}") from None
    for variable, above in enumerate(_find_ancestors(base.parents)):
        if above:
            upwards = [v for v in range(len(names)) if above >> v & 1]
            allowed[upwards, variable] = False


def _find_ancestors(parents: Sequence[Sequence[int]]) -> list[int]:
    """Return the ancestors of each variable of an acyclic graph, as bits of an integer."""
    above = [0] * len(parents)
    for v in DAG([str(v) for v in range(len(parents))], parents).order:
        for parent in parents[v]:
            above[v] |= above[parent] | 1 << parent
    return above


def _compute_max_parents(
    knowledge: Knowledge, index: Mapping[str, int], required: NDArray[np.bool_]
) -> NDArray[np.int64]:
    n = len(index)
    limits = np.full(n, max(0, n - 1), dtype=np.int64)
    if isinstance(knowledge.max_parents, Mapping):
        for name, most in knowledge.max_parents.items():
            limits[index[name]] = min(most, n - 1)
    elif knowledge.max_parents is not None:
        limits[:] = np.minimum(limits, knowledge.max_parents)
    for name, variable in index.items():
        needed = int(required[variable].sum())
        if needed > limits[variable]:
            raise InputError(
                f"the knowledge contradicts itself: {name!r} has {needed} required parents, but at most "
                f"{limits[variable]} are allowed"
            )
    return limits
