"""
Tables of legal sets.

Parents that are not allowed, and limits on the number of parents, only remove rows: if a subset matches or beats a
legal set, then a *legal* subset does. So no set that was pruned from a table is missing.

If parents are required, the legal sets are those that contain them, and only such subsets may prune a set. A search
over orderings needs a last row that every ordering admits. Here this is the empty set with a penalty: a score so low
that every network with this row scores below every legal one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError
from bnsearch.knowledge.constraints import Constraints
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.scorer import Scorer

MARGIN = 1e-3  # margin of a penalty as a share of the sum of all scores


def restricted(table: ParentSets, constraints: Constraints, scorer: Scorer | None = None) -> ParentSets:
    """
    Return the legal part of a table.

    With a scorer, missing sets of just the required parents are scored. Without one, an InputError is raised for a
    variable of which no set contains the required parents.
    """
    if not constraints.has_required.any():
        return table.take(np.flatnonzero(is_wanted(table.child, table.first, table.members, constraints)))
    return legal_table(table.names, table.child, table.scores, table.first, table.members, constraints, scorer=scorer)


def take_legal_rows(table: ParentSets, constraints: Constraints, children: NDArray[np.int64]) -> ParentSets:
    """Return the legal sets of some children that a table has, and the empty sets of all variables."""
    selected = np.zeros(len(table.names), dtype=bool)
    selected[children] = True
    wanted = is_wanted(table.child, table.first, table.members, constraints)
    return table.take(np.flatnonzero((wanted & selected[table.child]) | (table.sizes == 0)))


def legal_table(
    names: Sequence[str],
    child: NDArray[np.int32],
    scores: NDArray[np.float64],
    first: NDArray[np.int64],
    members: NDArray[np.int32],
    constraints: Constraints,
    *,
    scorer: Scorer | None = None,
    threads: int | None = 1,
) -> ParentSets:
    """Make a table of the legal sets among rows in any order, as `ParentSets.build` takes them; see `restricted`."""
    wanted = np.flatnonzero(is_wanted(child, first, members, constraints))
    sizes = np.diff(first)[wanted]
    members = members[np.repeat(first[wanted] - np.cumsum(sizes) + sizes, sizes) + np.arange(sizes.sum())]
    child, scores = child[wanted], scores[wanted].copy()
    for v in np.flatnonzero(constraints.has_required).tolist():
        required = np.array(constraints.required_parents[v])
        own = (child == v) & (sizes > 0)
        if scorer is not None and not (sizes[own] == len(required)).any():
            child, sizes = np.append(child, v).astype(np.int32), np.append(sizes, len(required))
            scores = np.append(scores, scorer.family(v, required.tolist()))
            members = np.append(members, required).astype(np.int32)
            own = (child == v) & (sizes > 0)
        if not own.any():
            missing = ", ".join(repr(names[u]) for u in required.tolist())
            raise InputError(f"no candidate set of {names[v]!r} holds its required parents {missing}")
        scores[(child == v) & (sizes == 0)] = score_below(scores[own])
    table = ParentSets.build(names, child, scores, np.concatenate([[0], np.cumsum(sizes)]), members, threads=threads)
    return with_penalties(table, constraints)


def score_below(scores: NDArray[np.float64]) -> float:
    """
    Return a provisional score for the empty set of a variable with required parents.

    Every given score improves on it by more than the tolerance of `improves`, so the empty set prunes no legal set.
    """
    lowest = float(scores.min())
    return lowest - max(1.0, MARGIN * abs(lowest))


def is_wanted(
    child: NDArray[np.int32], first: NDArray[np.int64], members: NDArray[np.int32], constraints: Constraints
) -> NDArray[np.bool_]:
    """Return bool[rows], True for rows whose set is legal or empty."""
    sizes = np.diff(first)
    owner = np.repeat(child, sizes)
    good: NDArray[np.bool_] = _sums(constraints.allowed[owner, members], first) == sizes
    good &= sizes <= constraints.max_parents[child]
    if constraints.has_required.any():
        needed = np.array([len(required) for required in constraints.required_parents])
        good &= _sums(constraints.required[owner, members], first) == needed[child]
    good |= sizes == 0
    return good


def _sums(flags: NDArray[np.bool_], first: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the number of flagged members of each row."""
    counts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(flags)])
    return counts[first[1:]] - counts[first[:-1]]


def with_penalties(table: ParentSets, constraints: Constraints) -> ParentSets:
    """
    Return a table in which the empty sets of variables with required parents have a penalty as their score.

    A legal network scores no less than the sum of the lowest legal rows, and no more than the sum of the best ones. The
    penalty is the variable's lowest legal row, minus the difference of these sums, minus a margin. So a network with a
    penalty scores below every legal one, more penalties lower the score further, and no score becomes huge.
    """
    needy = constraints.has_required
    if not needy.any():
        return table
    last = table.begin[1:] - 1
    best, lowest = table.scores[table.begin[:-1]], table.scores[last - needy]
    loss = math.fsum(best - lowest) + max(1.0, MARGIN * abs(math.fsum(best)))
    scores = table.scores.copy()
    scores[last[needy]] = lowest[needy] - loss
    return ParentSets(table.names, table.begin, scores, table.first, table.members)
