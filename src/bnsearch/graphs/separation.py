"""d-separation and Markov blankets in DAGs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from bnsearch._tools.registry import suggest
from bnsearch._tools.wording import listed, shown
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG


def find_indices(names: Sequence[str], wanted: str | Iterable[str], role: str) -> list[int]:
    """
    Return the indices of one or several variables given by name.

    An InputError is raised if a name is unknown or occurs twice; `role` says what the names are, such as "targets".
    """
    chosen = [wanted] if isinstance(wanted, str) else wanted
    if not isinstance(chosen, Iterable):
        raise InputError(f"{role} must be the name of a variable or a list of names, not {wanted!r}")
    index = {name: i for i, name in enumerate(names)}
    found: list[int] = []
    for name in chosen:
        if not isinstance(name, str):
            raise InputError(f"{role}: a variable is given by its name, which is text, not {name!r}")
        if name not in index:
            raise InputError(
                f"{role}: there is no variable {shown(name)}{suggest(name, list(names))}; "
                f"the variables are {listed(names)}"
            )
        if index[name] in found:
            raise InputError(f"{role}: the variable {shown(name)} occurs twice")
        found.append(index[name])
    return found


def find_ancestors(parents: Sequence[Collection[int]], variables: Iterable[int]) -> set[int]:
    """Return the variables and all their ancestors."""
    found: set[int] = set()
    waiting = list(variables)
    while waiting:
        x = waiting.pop()
        if x not in found:
            found.add(x)
            waiting += parents[x]
    return found


def find_connected(dag: DAG, sources: Iterable[int], given: Collection[int]) -> set[int]:
    """
    Return the variables that an active path connects with a source, including the sources; none of them is in `given`.

    The search visits each variable at most twice: from a child, and from a parent. A path continues through a variable

    - to its parents and children, if it comes from a child and the variable is not given,
    - to its children, if it comes from a parent and the variable is not given,
    - to its parents, if it comes from a parent and the variable or one of its descendants is given (a collider).

    References
    ----------
    Koller & Friedman (2009), "Probabilistic graphical models", Algorithm 3.1.
    """
    opened = find_ancestors(dag.parents, given)  # the colliders that the given variables open
    blocked = set(given)
    waiting = [(x, False) for x in sources]  # a source is treated as if it were reached from a child
    visited: set[tuple[int, bool]] = set()
    while waiting:
        reached = waiting.pop()
        if reached in visited:
            continue
        visited.add(reached)
        x, from_parent = reached
        if x not in blocked:
            waiting += [(child, True) for child in dag.children[x]]
        if (x in opened) if from_parent else (x not in blocked):
            waiting += [(parent, False) for parent in dag.parents[x]]
    return {x for x, _ in visited} - blocked


def is_d_separated(dag: DAG, left: str | Iterable[str], right: str | Iterable[str], given: str | Iterable[str]) -> bool:
    """Return True if the given variables d-separate two groups of variables; all are given by name."""
    roles = ("the first variables", "the second variables", "given")
    groups = [find_indices(dag.names, wanted, role) for wanted, role in zip((left, right, given), roles, strict=True)]
    if common := [dag.names[x] for i, group in enumerate(groups) for other in groups[:i] for x in group if x in other]:
        raise InputError(f"d-separation needs disjoint groups of variables: {listed(common)} occurs in two of them")
    return find_connected(dag, groups[0], groups[2]).isdisjoint(groups[1])


def find_markov_blanket(dag: DAG, variable: int) -> list[int]:
    """Return the parents, the children and the other parents of the children of a variable, in ascending order."""
    children = dag.children[variable]
    found = {*dag.parents[variable], *children, *(p for child in children for p in dag.parents[child])}
    return sorted(found - {variable})
