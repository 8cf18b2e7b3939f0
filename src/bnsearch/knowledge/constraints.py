"""Background knowledge by index: which parents a variable may, must, and can have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG

if TYPE_CHECKING:
    from bnsearch.knowledge.knowledge import Knowledge


@dataclass(frozen=True, eq=False)
class Constraints:
    """
    What networks are legal.

    Attributes
    ----------
    allowed : bool (n, n); allowed[child, parent] says that the edge may be there; never one that closes a cycle of
        required edges
    required : bool (n, n); required[child, parent] says that it must
    limits : int64 (n,); the most parents of each variable
    """

    allowed: NDArray[np.bool_]
    required: NDArray[np.bool_]
    limits: NDArray[np.int64]

    @property
    def size(self) -> int:
        """The number of variables."""
        return len(self.limits)

    def permits(self, dag: DAG) -> bool:
        """Tell whether a network is legal."""
        edges = dag.adjacency.T
        return not (
            (edges & ~self.allowed).any() or (self.required & ~edges).any() or (edges.sum(axis=1) > self.limits).any()
        )

    def base(self, names: Sequence[str]) -> DAG:
        """Return the network of the required edges alone."""
        return DAG(names, self.required_parents)

    @property
    def required_parents(self) -> list[tuple[int, ...]]:
        """The parents that each variable must have."""
        return [tuple(np.flatnonzero(row).tolist()) for row in self.required]

    def legalise(self, parents: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
        """
        Return a legal network near some parent sets, which may be illegal and even cyclic.

        The required edges come first; each of the others follows, if it is allowed, its child has room, and it closes
        no cycle.
        """
        kept = [list(its_parents) for its_parents in self.required_parents]
        above = _ancestors(kept)
        for child, its_parents in enumerate(parents):
            for parent in its_parents:
                fits = self.allowed[child, parent] and parent not in kept[child]
                if fits and len(kept[child]) < self.limits[child] and not above[parent] >> child & 1:
                    kept[child].append(parent)
                    new = above[parent] | 1 << parent
                    above = [a | new if v == child or a >> child & 1 else a for v, a in enumerate(above)]
        return [tuple(sorted(its_parents)) for its_parents in kept]


def constraints_of(knowledge: Knowledge, names: Sequence[str]) -> Constraints:
    """Return what knowledge means for some variables, all of which it names being among them; refuse contradictions."""
    index = {name: i for i, name in enumerate(names)}
    required = np.zeros((len(names), len(names)), dtype=bool)
    for parent, child in knowledge.required:
        required[index[child], index[parent]] = True
    allowed = ~np.eye(len(names), dtype=bool)
    if knowledge.allowed is not None:
        allowed[:] = required
        for parent, child in knowledge.allowed:
            allowed[index[child], index[parent]] = True
    for reason, children, parents in _refusals(knowledge, index):
        block = np.ix_(children, parents)
        for row, column in np.argwhere(required[block]).tolist():
            edge = f"{names[parents[column]]!r} -> {names[children[row]]!r}"
            raise InputError(f"the knowledge contradicts itself: the edge {edge} is required, but {reason}")
        allowed[block] = False
    _forbid_cycles(required, allowed, names)
    return Constraints(allowed, required, _limits(knowledge, index, required))


def _refusals(knowledge: Knowledge, index: Mapping[str, int]) -> Iterator[tuple[str, list[int], list[int]]]:
    """Yield why the edges from some parents (last) to some children (before) are forbidden."""
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
            raise InputError(f"the knowledge contradicts itself: {name!r} stands twice in the tiers")
        seen.add(name)


def _forbid_cycles(required: NDArray[np.bool_], allowed: NDArray[np.bool_], names: Sequence[str]) -> None:
    """Refuse required edges with a cycle, and forbid every edge that would close one with them."""
    try:
        base = DAG(names, [np.flatnonzero(row).tolist() for row in required])
    except InputError as error:
        raise InputError(f"the knowledge contradicts itself: among the required edges, {error}") from None
    for variable, above in enumerate(_ancestors(base.parents)):
        if above:
            upwards = [v for v in range(len(names)) if above >> v & 1]
            allowed[upwards, variable] = False


def _ancestors(parents: Sequence[Sequence[int]]) -> list[int]:
    """Return the ancestors of each variable of an acyclic graph, as the bits of a number."""
    above = [0] * len(parents)
    for v in DAG([str(v) for v in range(len(parents))], parents).order:
        for parent in parents[v]:
            above[v] |= above[parent] | 1 << parent
    return above


def _limits(knowledge: Knowledge, index: Mapping[str, int], required: NDArray[np.bool_]) -> NDArray[np.int64]:
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
