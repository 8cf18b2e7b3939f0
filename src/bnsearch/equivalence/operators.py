"""Insert and Delete, the moves between equivalence classes: values; validity, gain and effect (Chickering 2002)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch.equivalence.bitsets import to_arcs, to_sets
from bnsearch.errors import InputError
from bnsearch.graphs.pdag import PDAG

if TYPE_CHECKING:
    from bnsearch.scores.scorer import Scorer


class Kind(IntEnum):
    """What an operator does; as in the kernels."""

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


def insert(x: int, y: int, tails: tuple[int, ...] = ()) -> Operator:
    """Return Insert(x, y, tails)."""
    return Operator(Kind.INSERT, x, y, tuple(sorted(tails)))


def delete(x: int, y: int, heads: tuple[int, ...] = ()) -> Operator:
    """Return Delete(x, y, heads)."""
    return Operator(Kind.DELETE, x, y, tuple(sorted(heads)))


def is_defined(operator: Operator, cpdag: PDAG) -> bool:
    """Tell whether an operator names what it needs: an absent or present edge, the right kind of neighbours of y."""
    x, y = operator.x, operator.y
    inserts = operator.kind == Kind.INSERT
    fits = y not in cpdag.adjacent[x] if inserts else x in cpdag.parents[y] | cpdag.neighbours[y]
    near = cpdag.neighbours[y] - cpdag.adjacent[x] if inserts else cpdag.neighbours[y] & cpdag.adjacent[x]
    return x != y and fits and near.issuperset(operator.subset)


def is_valid(operator: Operator, cpdag: PDAG) -> bool:
    """Tell whether some DAG of the class can make the move: Theorem 15 for Insert, Theorem 17 for Delete."""
    from bnsearch.equivalence.kernels_graph import SUBSET
    from bnsearch.equivalence.kernels_operators import is_valid_delete, is_valid_insert

    if not is_defined(operator, cpdag):
        return False
    n, size = len(cpdag.names), len(operator.subset)
    lists = new_lists(n)
    lists[SUBSET, :size] = operator.subset
    arguments = to_sets(cpdag.arcs), operator.x, operator.y, lists, size
    if operator.kind == Kind.DELETE:
        return bool(is_valid_delete(*arguments))
    return bool(is_valid_insert(*arguments, np.full((n, n), -1, dtype=np.int32)))


def gain(operator: Operator, cpdag: PDAG, scorer: Scorer) -> float:
    """Return how much a valid operator adds to the score: Corollary 16 for Insert, 18 for Delete."""
    x, y = operator.x, operator.y
    shared = cpdag.neighbours[y] & cpdag.adjacent[x]
    inserts = operator.kind == Kind.INSERT
    kept = shared | set(operator.subset) if inserts else shared - set(operator.subset)
    given = sorted((cpdag.parents[y] | kept) - {x})
    with_x, without = scorer.families([y, y], [[*given, x], given]).tolist()
    return float(with_x - without if inserts else without - with_x)


def apply(operator: Operator, cpdag: PDAG) -> PDAG:
    """Return the CPDAG that a valid operator leads to."""
    from bnsearch.equivalence.kernels_graph import SUBSET, apply_operator

    sets = to_sets(cpdag.arcs)
    size = len(operator.subset)
    lists = new_lists(len(cpdag.names))
    lists[SUBSET, :size] = operator.subset
    done = is_valid(operator, cpdag) and apply_operator(
        sets, int(operator.kind), operator.x, operator.y, size, np.empty_like(sets), lists
    )
    if not done:
        raise InputError(f"{operator} is not valid: no DAG of the class can make this move")
    return PDAG(cpdag.names, to_arcs(sets))


def new_lists(n: int) -> NDArray[np.int64]:
    """Return the scratch lists of variables that the kernels take."""
    return np.zeros((4, n + 2), dtype=np.int64)
