"""
Tables of legal sets.

Parents that are not allowed, and limits on how many there may be, only take rows away: a legal set that a subset
matches or beats is one that a *legal* subset matches or beats, so that what was pruned from a table is not missed.

Where parents are required the legal sets are those that hold them, and only such subsets may prune one. A search over
orderings needs a last row that every ordering admits: here the empty set with a penalty, a score that no network which
uses it can make up for.
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

MARGIN = 1e-3  # of all scores together, by which a penalty is more than what can be made up for


def restricted(table: ParentSets, constraints: Constraints, scorer: Scorer | None = None) -> ParentSets:
    """
    Return the legal part of a table.

    With a scorer, sets of just the required parents that the table lacks are scored; without, a variable of which no
    set holds its required parents is refused.
    """
    if not constraints.has_required.any():
        return table.take(np.flatnonzero(is_wanted(table.child, table.first, table.members, constraints)))
    return legal_table(table.names, table.child, table.scores, table.first, table.members, constraints, scorer=scorer)


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

    Every given score improves on it by more than the tolerance of `improves`, which grows with the scores: so the empty
    set prunes no legal set.
    """
    lowest = float(scores.min())
    return lowest - max(1.0, MARGIN * abs(lowest))


def is_wanted(
    child: NDArray[np.int32], first: NDArray[np.int64], members: NDArray[np.int32], constraints: Constraints
) -> NDArray[np.bool_]:
    """Tell of each row whether its set is legal, or empty."""
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
    """Return how many members of each row are flagged."""
    counts: NDArray[np.int64] = np.concatenate([[0], np.cumsum(flags)])
    return counts[first[1:]] - counts[first[:-1]]


def with_penalties(table: ParentSets, constraints: Constraints) -> ParentSets:
    """
    Return a table in which the empty sets of variables with required parents have a penalty for their score.

    No network scores less than each variable's lowest legal row, nor more than each one's best. What lies between, for
    all variables together, and a margin are taken from the lowest row: so a network with a penalty scores less than
    every legal one, one with more of them still less, and all of it stays of the size of the scores.
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
