"""Background knowledge that refers to variables by name."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bnsearch._tools.registry import suggest
from bnsearch._tools.wording import listed
from bnsearch.errors import InputError, require

if TYPE_CHECKING:
    from bnsearch.knowledge.constraints import Constraints

Edge = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """
    Background knowledge that every learned network respects. Edges are pairs (parent, child) of names.

    Parameters
    ----------
    required : tuple of Edge, optional
        Edges that every network has.
    forbidden : tuple of Edge, optional
        Edges that no network has.
    allowed : tuple of Edge, optional
        If not None, a network may only have these edges and the required ones.
    tiers : tuple of tuple of str, optional
        Groups of variables in temporal order: no edge leads from a later group to an earlier one. Variables in no
        group are not restricted.
    within_tiers : bool, default True
        Whether edges within a group are allowed.
    across_tiers : bool, default True
        Whether an edge may skip a group.
    roots : tuple of str, optional
        Variables without parents.
    leaves : tuple of str, optional
        Variables without children.
    max_parents : int or mapping of str to int, optional
        Largest number of parents, for all variables or by name.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> known = bnsearch.Knowledge(required=[("smoke", "lung")], roots=["smoke"], max_parents=2)
    >>> result = bnsearch.learn(data, knowledge=known, seconds=10)
    >>> ("smoke", "lung") in result.dag.edges
    True
    """

    required: tuple[Edge, ...] = ()
    forbidden: tuple[Edge, ...] = ()
    allowed: tuple[Edge, ...] | None = None
    tiers: tuple[tuple[str, ...], ...] = ()
    within_tiers: bool = True
    across_tiers: bool = True
    roots: tuple[str, ...] = ()
    leaves: tuple[str, ...] = ()
    max_parents: int | Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        for name in ("required", "forbidden", "allowed"):
            if getattr(self, name) is not None:
                self._set(name, tuple(_parse_edge(name, edge) for edge in _parse_list(name, getattr(self, name))))
        self._set("tiers", tuple(_parse_names("tiers", tier) for tier in _parse_list("tiers", self.tiers)))
        for name in ("roots", "leaves"):
            self._set(name, _parse_names(name, getattr(self, name)))
        if isinstance(self.max_parents, Mapping):
            for variable, most in self.max_parents.items():
                require(f"max_parents of {variable!r}", most, at_least=0, whole=True)
        elif self.max_parents is not None:
            require("max_parents", self.max_parents, at_least=0, whole=True)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Knowledge:
        """Read a JSON file in the format of the edge constraints of Benchpress."""
        from bnsearch.knowledge.files import read_knowledge

        return read_knowledge(path, Knowledge)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON file that `read` can read."""
        from bnsearch.knowledge.files import write_knowledge

        write_knowledge(self, path)

    def constraints(self, names: Sequence[str]) -> Constraints:
        """Return the constraints on the variables `names`; a contradiction or an unknown name raises an InputError."""
        from bnsearch.knowledge.constraints import make_constraints

        self._check_names(names)
        return make_constraints(self, names)

    def _check_names(self, names: Sequence[str]) -> None:
        known = set(names)
        for where, name in self._list_names():
            if name not in known:
                raise InputError(
                    f"the knowledge names an unknown variable {name!r} in {where}{suggest(name, [*names])}; "
                    f"the variables are {listed(names)}"
                )

    def _list_names(self) -> Iterator[tuple[str, str]]:
        """Yield the field and the name of each mention of a variable."""
        for where in ("required", "forbidden", "allowed", "tiers"):
            for group in getattr(self, where) or ():
                yield from ((where, name) for name in group)
        for where in ("roots", "leaves"):
            yield from ((where, name) for name in getattr(self, where))
        if isinstance(self.max_parents, Mapping):
            yield from (("max_parents", name) for name in self.max_parents)


def _parse_list(where: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{where} must be a list, not {values!r}")
    return list(values)


def _parse_edge(where: str, edge: Any) -> Edge:
    names = _parse_names(where, edge)
    if len(names) != 2:
        raise InputError(f"an edge in {where} must be a pair (parent, child) of names, not {edge!r}")
    if names[0] == names[1]:
        raise InputError(f"an edge in {where} leads from {names[0]!r} to itself")
    return names[0], names[1]


def _parse_names(where: str, names: Any) -> tuple[str, ...]:
    found = tuple(_parse_list(where, names))
    for name in found:
        if not isinstance(name, str):
            raise InputError(f"{where} must name variables by text, not {name!r}")
    return found
