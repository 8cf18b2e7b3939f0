"""
Insert and Delete, the operators of GES, as values; validity, gain and effect are functions.

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
    A move from one equivalence class to a neighbouring one; variables are numbers.

    Parameters
    ----------
    kind : Kind.INSERT: Insert(x, y, subset) adds x -> y and turns t - y into t -> y for each t of the subset,
        neighbours of y that are not adjacent to x. Kind.DELETE: Delete(x, y, subset) removes the edge between x and y
        and turns y - h into y -> h and x - h into x -> h for each h of the subset, neighbours of y adjacent to x
    x, y : the ends of the edge
    subset : T or H, ascending
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
    """Return Insert(x, y, tails)."""
    return Operator(Kind.INSERT, x, y, tuple(sorted(tails)))


def delete(x: int, y: int, heads: tuple[int, ...] = ()) -> Operator:
    """Return Delete(x, y, heads)."""
    return Operator(Kind.DELETE, x, y, tuple(sorted(heads)))


def is_defined(operator: Operator, cpdag: PDAG) -> bool:
    """Return True if an operator fits the graph: the edge is absent or present, T or H are neighbours as required."""
    x, y = operator.x, operator.y
    inserts = operator.kind == Kind.INSERT
    fits = y not in cpdag.adjacent[x] if inserts else x in cpdag.parents[y] | cpdag.neighbours[y]
    near = cpdag.neighbours[y] - cpdag.adjacent[x] if inserts else cpdag.neighbours[y] & cpdag.adjacent[x]
    return x != y and fits and near.issuperset(operator.subset)


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
    """Return the scratch lists of variables that the kernels take (see kernels_graph)."""
    return np.zeros((4, n + 2), dtype=np.int64)


def _lists_with_subset(operator: Operator, n: int) -> NDArray[np.int64]:
    from bnsearch.equivalence.kernels_graph import SUBSET

    lists = new_lists(n)
    lists[SUBSET, : len(operator.subset)] = operator.subset
    return lists
