"""Background knowledge by the variables' names, as a person states it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bnsearch._tools.registry import suggest
from bnsearch.errors import InputError, require

if TYPE_CHECKING:
    from bnsearch.knowledge.constraints import Constraints

Edge = tuple[str, str]


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """
    What every network must respect. Edges are pairs (parent, child) of names.

    Parameters
    ----------
    required : edges that must be there
    forbidden : edges that must not
    allowed : if given, no other edges may be there, required ones apart
    tiers : groups of variables, earlier ones first: no edge leads from a later group to an earlier one; variables in no
        group are free
    within_tiers : whether edges inside a group are allowed
    across_tiers : whether an edge may skip a group
    roots : variables without parents
    leaves : variables without children
    max_parents : the most parents of any variable, or of some variables by name
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
                self._set(name, tuple(_edge(name, edge) for edge in _listed(name, getattr(self, name))))
        self._set("tiers", tuple(_names("tiers", tier) for tier in _listed("tiers", self.tiers)))
        for name in ("roots", "leaves"):
            self._set(name, _names(name, getattr(self, name)))
        if isinstance(self.max_parents, Mapping):
            for variable, most in self.max_parents.items():
                require(f"max_parents of {variable!r}", most, at_least=0, whole=True)
        elif self.max_parents is not None:
            require("max_parents", self.max_parents, at_least=0, whole=True)

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Knowledge:
        """Read a file of constraints, as Benchpress writes them (JSON)."""
        from bnsearch.knowledge.files import read_knowledge

        return read_knowledge(path, Knowledge)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a file of constraints that `read` reads."""
        from bnsearch.knowledge.files import write_knowledge

        write_knowledge(self, path)

    def constraints(self, names: Sequence[str]) -> Constraints:
        """Return what this means for some variables; a contradiction or an unknown name is refused."""
        from bnsearch.knowledge.constraints import constraints_of

        self._check_names(names)
        return constraints_of(self, names)

    def _check_names(self, names: Sequence[str]) -> None:
        known = set(names)
        for where, name in self._mentioned():
            if name not in known:
                raise InputError(
                    f"the knowledge names an unknown variable {name!r} in {where}{suggest(name, [*names])}"
                )

    def _mentioned(self) -> Iterator[tuple[str, str]]:
        """Yield where which variable is named."""
        for where in ("required", "forbidden", "allowed", "tiers"):
            for group in getattr(self, where) or ():
                yield from ((where, name) for name in group)
        for where in ("roots", "leaves"):
            yield from ((where, name) for name in getattr(self, where))
        if isinstance(self.max_parents, Mapping):
            yield from (("max_parents", name) for name in self.max_parents)


def _listed(where: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise InputError(f"{where} must be a list, not {values!r}")
    return list(values)


def _edge(where: str, edge: Any) -> Edge:
    names = _names(where, edge)
    if len(names) != 2:
        raise InputError(f"an edge in {where} must be a pair (parent, child) of names, not {edge!r}")
    if names[0] == names[1]:
        raise InputError(f"an edge in {where} leads from {names[0]!r} to itself")
    return names[0], names[1]


def _names(where: str, names: Any) -> tuple[str, ...]:
    found = tuple(_listed(where, names))
    for name in found:
        if not isinstance(name, str):
            raise InputError(f"{where} must name variables by text, not {name!r}")
    return found
