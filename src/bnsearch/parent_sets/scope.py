"""The networks that an upper bound covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Scope:
    """
    The networks that an upper bound covers. `str` returns them in words.

    Attributes
    ----------
    networks : str
        The networks in words, without the restrictions below.
    is_complete : bool
        True if no network of the problem is left out. Only then is a network whose score reaches the bound optimal:
        none of the networks in the scope has a higher score.
    max_parents : int or None
        Only networks in which each variable has at most this number of parents; None without such a limit.
    by_knowledge : bool
        True if only networks that the background knowledge allows are in the scope.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> str(bnsearch.learn(data, seconds=10, seed=1).scope)
    'all networks'
    >>> str(bnsearch.learn(data, max_parents=1, seconds=10, seed=1).scope)
    'all networks with at most 1 parent'
    """

    networks: str
    is_complete: bool
    max_parents: int | None = None
    by_knowledge: bool = False

    @property
    def text(self) -> str:
        """The networks in words."""
        allowed = " that the knowledge allows" if self.by_knowledge else ""
        if self.max_parents is None:
            return f"{self.networks}{allowed}"
        parents = f"{self.max_parents} parent{'' if self.max_parents == 1 else 's'}"
        return f"{self.networks}{allowed} with at most {parents}"

    def __str__(self) -> str:
        return self.text

    def restrict(self, max_parents: int | None, *, by_knowledge: bool) -> Scope:
        """
        Return the scope with the restrictions of a problem, each of which is None or False if there is none.

        The limit on parents is left out of a scope that is not complete: it covers fewer networks anyway.
        """
        limits = [limit for limit in (self.max_parents, max_parents) if limit is not None]
        limit = min(limits, default=None) if self.is_complete else self.max_parents
        return replace(self, max_parents=limit, by_knowledge=self.by_knowledge or by_knowledge)


ALL_NETWORKS = Scope("all networks", True)
GIVEN_SETS = Scope("networks over the given parent sets", True)
KEPT_SETS = Scope("networks over the parent sets kept", False)


def limit_scope(max_parents: int) -> Scope:
    """Return the scope of a table with all parent sets of up to a size, and some larger ones."""
    return KEPT_SETS if max_parents < 1 else replace(ALL_NETWORKS, is_complete=False, max_parents=max_parents)


def encode_scope(scope: Scope) -> dict[str, Any]:
    """Return a scope as the facts of a checkpoint."""
    return {
        "scope": scope.networks,
        "covers all": scope.is_complete,
        "max parents": scope.max_parents,
        "by knowledge": scope.by_knowledge,
    }


def decode_scope(facts: Mapping[str, Any]) -> Scope:
    """Return the scope from the facts of a checkpoint; older ones have no restrictions of their own."""
    limit = facts.get("max parents")
    return Scope(
        str(facts["scope"]),
        bool(facts["covers all"]),
        None if limit is None else int(limit),
        bool(facts.get("by knowledge", False)),
    )
