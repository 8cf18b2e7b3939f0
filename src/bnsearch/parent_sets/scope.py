"""The networks that an upper bound covers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scope:
    """
    The networks that an upper bound covers.

    Attributes
    ----------
    text : str
        The networks in words.
    is_complete : bool
        True if no network of the problem is left out. Only then is a network whose score reaches the bound optimal.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> str(bnsearch.learn(data, seconds=10, seed=1).scope)
    'all networks'
    """

    text: str
    is_complete: bool

    def __str__(self) -> str:
        return self.text


ALL_NETWORKS = Scope("all networks", True)
GIVEN_SETS = Scope("networks over the given parent sets", True)
KEPT_SETS = Scope("networks over the parent sets kept", False)


def limit_scope(max_parents: int) -> Scope:
    """Return the scope of a table with all parent sets of up to a size, and some larger ones."""
    if max_parents < 1:
        return KEPT_SETS
    return Scope(f"all networks with at most {max_parents} parent{'' if max_parents == 1 else 's'}", False)
