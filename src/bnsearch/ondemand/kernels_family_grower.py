"""
Growth of the parents of one variable through sets that score less.

The kernels take these tuples:

family : `columns`, `child`, `joint`, `others` and `scratch` as in `score_extensions`
rules : what may become a parent
    legal, required   bool[places]        True for the places that may, and that must be parents
    variable          int64[places]       variable at each place: the order in which parents are exchanged
    limits            int64[1]            maximum number of parents
    bound             float64[4]          slope, level and `smallest` of `scores.bounds.Bound`; states of the child
state : the growth so far
    grown, best       int64[places + 1]   the last set of the path, and the best set so far
    counts            int64[4]            GROWN and BEST: sizes of these sets; NEXT: index of the next parent of the
                                          best set to exchange; EVALUATIONS: number of local scores computed
    values            float64[1]          score of the best set
    candidates        int64[places]       scratch
    scores            float64[places]     scratch
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_columns import ARITIES
from bnsearch.counting.kernels_expand import occupied_cells, score_extensions
from bnsearch.kernels.compare import improves_on
from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.scores.kernels_bounds import ceiling
from bnsearch.scores.score import TOLERANCE

GROWN, BEST, NEXT, EVALUATIONS = 0, 1, 2, 3  # entries of `counts`


@inner_kernel
def score_set(family, parents, state):
    """Return the score of the variable with some parents; nan if they have too many cells."""
    columns, child, joint, others, scratch = family
    _, _, counts, _, candidates, scores = state
    counts[EVALUATIONS] += 1
    if parents.size == 0:
        return score_extensions(columns, child, parents, candidates[:0], joint, others, scratch, scores[:0])
    last = parents.size - 1
    candidates[0] = parents[last]
    score_extensions(columns, child, parents[:last], candidates[:1], joint, others, scratch, scores[:1])
    return scores[0]


@inner_kernel
def find_best_addition(family, legal, parents, state):
    """Return the place whose addition to the parents gives the highest score, and this score; -1 if there is none."""
    columns, child, joint, others, scratch = family
    _, _, counts, _, candidates, scores = state
    number = 0
    for place in range(legal.size):
        is_free = legal[place]
        for i in range(parents.size):
            is_free = is_free and parents[i] != place
        if is_free:
            candidates[number] = place
            number += 1
    best, highest = np.int64(-1), -np.inf
    if number > 0:
        score_extensions(columns, child, parents, candidates[:number], joint, others, scratch, scores[:number])
        counts[EVALUATIONS] += number
        for i in range(number):
            if scores[i] > highest:  # not if it is nan
                best, highest = candidates[i], scores[i]
    return best, highest


@inner_kernel
def prune_parents(family, rules, state):
    """Remove parents from the best set whose removal does not decrease its score, and sort it by variable."""
    _, required, variable, _, _ = rules
    grown, best, counts, values, _, _ = state
    i = 0
    while i < counts[BEST]:
        if not required[best[i]]:
            rest = 0
            for j in range(counts[BEST]):
                if j != i:
                    grown[rest] = best[j]
                    rest += 1
            score = score_set(family, grown[:rest], state)
            if not improves_on(values[0], score, TOLERANCE):
                best[:rest] = grown[:rest]
                counts[BEST], values[0] = rest, score
                continue
        i += 1
    for i in range(1, counts[BEST]):
        place, j = best[i], i
        while j > 0 and variable[best[j - 1]] > variable[place]:
            best[j] = best[j - 1]
            j -= 1
        best[j] = place


@kernel
def start_growth(family, state):
    """Score the set `grown`, which is the best set so far."""
    grown, best, counts, values, _, _ = state
    best[: counts[GROWN]] = grown[: counts[GROWN]]
    counts[BEST], counts[NEXT] = counts[GROWN], 0
    values[0] = score_set(family, grown[: counts[GROWN]], state)


@kernel
def grow_further(family, rules, state, target, max_evaluations):
    """
    Add the best next parent, also if the score decreases, until no larger set can beat the best one and `target`.

    max_evaluations : number of local scores after which to return

    Returns True if the growth has ended.
    """
    columns, child, _, _, scratch = family
    legal, _, _, limits, bound = rules
    grown, best, counts, values, _, _ = state
    until = counts[EVALUATIONS] + max_evaluations
    while counts[GROWN] < limits[0]:
        if counts[EVALUATIONS] >= until:
            return False
        parents = grown[: counts[GROWN]]
        occupied, cells = np.int64(0), 1.0
        if bound[1] > 0.0:
            occupied = occupied_cells(columns, child, parents, scratch)
        for place in parents:
            cells *= columns[ARITIES][place]
        highest = ceiling(bound[0], bound[1], bound[3], cells * bound[2], occupied)
        if not improves_on(highest, max(values[0], target), TOLERANCE):
            return True
        place, score = find_best_addition(family, legal, parents, state)
        if place < 0:
            return True
        grown[counts[GROWN]] = place
        counts[GROWN] += 1
        if improves_on(score, values[0], TOLERANCE):
            best[: counts[GROWN]] = grown[: counts[GROWN]]
            counts[BEST], values[0] = counts[GROWN], score
    return True


@kernel
def end_growth(family, rules, state):
    """Remove useless parents from the best set."""
    prune_parents(family, rules, state)


@kernel
def exchange_further(family, rules, state, max_evaluations):
    """
    Exchange one parent of the best set after the other, as long as the score increases.

    After each exchange, useless parents are removed, and the first parent is tried again.

    Returns True if no exchange increases the score.
    """
    legal, required, _, _, _ = rules
    grown, best, counts, values, _, _ = state
    until = counts[EVALUATIONS] + max_evaluations
    while counts[NEXT] < counts[BEST]:
        if counts[EVALUATIONS] >= until:
            return False
        at = counts[NEXT]
        counts[NEXT] += 1
        if required[best[at]]:
            continue
        rest = 0
        for i in range(counts[BEST]):
            if i != at:
                grown[rest] = best[i]
                rest += 1
        place, score = find_best_addition(family, legal, grown[:rest], state)
        if place >= 0 and improves_on(score, values[0], TOLERANCE):
            best[:rest] = grown[:rest]
            best[rest] = place
            values[0] = score
            prune_parents(family, rules, state)
            counts[NEXT] = 0
    return True
