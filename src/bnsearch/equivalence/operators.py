"""
Insert and Delete, the operators of GES, as values, and functions for their validity, gain and effect.

Theorems, corollaries and definitions are those of Chickering (2002), Optimal structure identification with greedy
search, JMLR 3, 507-554. NA(Y, X) denotes the neighbours of Y that are adjacent to X.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.equivalence.bitsets import to_arcs, to_sets
from bnsearch.errors import InputError
from bnsearch.graphs.pdag import PDAG

if TYPE_CHECKING:
    from bnsearch.scores.scorer import Scorer


class Kind(IntEnum):
    """The two kinds of operators, numbered as in the kernels."""

    INSERT = 0
    DELETE = 1


@dataclass(frozen=True)
class Operator:
    """
    A move from one equivalence class to a neighbouring one.

    Insert(x, y, T) adds x -> y. For each t in T, it replaces t - y by t -> y. Delete(x, y, H) removes the edge between
    x and y. For each h in H, it replaces y - h by y -> h, and x - h by x -> h.

    Parameters
    ----------
    kind : Insert or Delete
    x, y : indices of the variables at the ends of the edge
    subset : T, neighbours of y that are not adjacent to x, or H, neighbours of y that are adjacent to x; ascending
    """

    kind: Kind
    x: int
    y: int
    subset: tuple[int, ...] = ()


class Step(NamedTuple):
    """An operator and its gain."""

    operator: Operator
    gain: float


def insert(x: int, y: int, tails: tuple[int, ...] = ()) -> Operator:
    """Return Insert(x, y, T), where T is `tails`: the tails of the edges t -> y."""
    return Operator(Kind.INSERT, x, y, tuple(sorted(tails)))


def delete(x: int, y: int, heads: tuple[int, ...] = ()) -> Operator:
    """Return Delete(x, y, H), where H is `heads`: the heads of the edges y -> h."""
    return Operator(Kind.DELETE, x, y, tuple(sorted(heads)))


def is_defined(operator: Operator, cpdag: PDAG) -> bool:
    """Return True if x and y, and T or H, satisfy the conditions on adjacency in the definition of the operator."""
    x, y = operator.x, operator.y
    if operator.kind == Kind.INSERT:
        fits = x != y and y not in cpdag.adjacent[x]
        largest_subset = cpdag.neighbours[y] - cpdag.adjacent[x]  # T0 of Alonso et al. (2018)
    else:
        fits = x in cpdag.parents[y] | cpdag.neighbours[y]
        largest_subset = cpdag.neighbours[y] & cpdag.adjacent[x]  # H0
    return fits and largest_subset.issuperset(operator.subset)


def is_valid(operator: Operator, cpdag: PDAG) -> bool:
    """
    Return True if the operator can be applied to some DAG of the class.

    Insert(X, Y, T) is valid if NA(Y, X) + T is a clique and every semi-directed path from Y to X has a node in it
    (Theorem 15). Delete(X, Y, H) is valid if NA(Y, X) - H is a clique (Theorem 17).
    """
    from bnsearch.equivalence.kernels_operators import is_valid_delete, is_valid_insert

    if not is_defined(operator, cpdag):
        return False
    n, size = len(cpdag.names), len(operator.subset)
    arguments = to_sets(cpdag.arcs), operator.x, operator.y, _lists_with_subset(operator, n), size
    if operator.kind == Kind.DELETE:
        return bool(is_valid_delete(*arguments))
    return bool(is_valid_insert(*arguments, np.full((n, n), -1, dtype=np.int32)))


def gain(operator: Operator, cpdag: PDAG, scorer: Scorer) -> float:
    """
    Return the gain of a valid operator, the difference of the scores after and before it.

    For Insert(X, Y, T) this is s(Y | B + X) - s(Y | B) with B = Pa(Y) + NA(Y, X) + T (Corollary 16). For
    Delete(X, Y, H) it is s(Y | B) - s(Y | B + X) with B = Pa(Y) + (NA(Y, X) - H) - X (Corollary 18).
    """
    x, y = operator.x, operator.y
    shared = cpdag.neighbours[y] & cpdag.adjacent[x]
    inserts = operator.kind == Kind.INSERT
    kept = shared | set(operator.subset) if inserts else shared - set(operator.subset)
    given = sorted((cpdag.parents[y] | kept) - {x})
    with_x, without = scorer.families([y, y], [[*given, x], given]).tolist()
    return float(with_x - without if inserts else without - with_x)


def apply(operator: Operator, cpdag: PDAG) -> PDAG:
    """Return the CPDAG that a valid operator leads to (Definition 12 for Insert, Definition 13 for Delete)."""
    from bnsearch.equivalence.kernels_graph import apply_operator

    sets = to_sets(cpdag.arcs)
    size = len(operator.subset)
    lists = _lists_with_subset(operator, len(cpdag.names))
    done = is_valid(operator, cpdag) and apply_operator(
        sets, int(operator.kind), operator.x, operator.y, size, np.empty_like(sets), lists
    )
    if not done:
        raise InputError(f"{operator} is not valid: it cannot be applied to any DAG of the class")
    return PDAG(cpdag.names, to_arcs(sets))


def new_lists(n: int) -> NDArray[np.int64]:
    """Return `lists`, the scratch array of the kernels (see kernels_graph), for n variables."""
    return np.zeros((4, n + 2), dtype=np.int64)


def _lists_with_subset(operator: Operator, n: int) -> NDArray[np.int64]:
    """Return scratch lists that contain the T or H of an operator."""
    from bnsearch.equivalence.kernels_graph import SUBSET

    lists = new_lists(n)
    lists[SUBSET, : len(operator.subset)] = operator.subset
    return lists
