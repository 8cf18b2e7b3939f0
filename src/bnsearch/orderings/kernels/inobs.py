"""
Hill climbing in the insert neighbourhood: Algorithm 1 of Lee & van Beek (2017), one kernel per neighbour selection.

Each kernel is the loop of lines 3 to 5. `index` and `state` are described in arrays.py. A climb is interrupted after
about `max_evaluations` evaluations, so that the caller can read the clock, and resumed with the same arrays:

untried : int32[n]     a permutation of all variables: first those that were tried in this ordering, as many as
                       counts[TRIED], then the untried ones
counts : int64[5]      TRIED; STEPS, the number of insertions made; for `climb_first`, FERTILE, the number of variables
                       known to have an improving insertion; for `climb_best`, BEST_VARIABLE (-1 for none) and BEST_TO,
                       the best insertion found in this ordering
totals : float64[2]    SCORE of the ordering; BEST_CHANGE, the score change of that insertion, only for `climb_best`
random : uint64[1]     state of the random number generator
tolerance : an improvement must exceed this number times max(1, |score|)

Each kernel returns True if the ordering is a local optimum, and False if it was interrupted.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel
from bnsearch.kernels.random_numbers import draw_below
from bnsearch.orderings.kernels.arrays import EVALUATIONS, POSITION
from bnsearch.orderings.kernels.insertion import find_best_insertion, price_insertion
from bnsearch.orderings.kernels.state import insert_variable

TRIED, FERTILE, STEPS, BEST_VARIABLE, BEST_TO = 0, 1, 2, 3, 4  # entries of `counts`
SCORE, BEST_CHANGE = 0, 1  # entries of `totals`
SLACK = 0.999  # factor on the smallest improvement, because two sums of the same changes may differ by rounding errors


@inlined_kernel
def draw_untried(untried, counts, random):
    """Return a random variable that was not tried since the last insertion, and count it as tried."""
    tried = counts[TRIED]
    pick = tried + draw_below(random, untried.size - tried)
    variable = np.int64(untried[pick])
    untried[pick] = untried[tried]
    untried[tried] = variable
    counts[TRIED] += 1
    return variable


@inlined_kernel
def make_insertion(index, state, variable, to, counts, totals):
    """Insert a variable, add the change to the score, count the step, and mark all variables as untried."""
    change, _, _ = insert_variable(index, state, variable, to)
    totals[SCORE] += change
    counts[TRIED] = 0
    counts[STEPS] += 1


@borrowing_kernel
def climb_hybrid(index, state, untried, counts, totals, random, tolerance, max_evaluations):
    """Make the best insertion of a random variable if it improves the score, until no variable has one (INOBS)."""
    evaluations = state[EVALUATIONS]
    until = evaluations[0] + max_evaluations
    while evaluations[0] < until:
        if counts[TRIED] == untried.size:  # line 3: no insertion of any variable improves the score
            return True
        variable = draw_untried(untried, counts, random)
        evaluations[0] += 1
        _, to = find_best_insertion(index, state, variable, tie_margin(totals[SCORE], tolerance))
        if to != state[POSITION][variable]:
            make_insertion(index, state, variable, to, counts, totals)  # lines 4-5
    return False


@borrowing_kernel
def climb_best(index, state, untried, counts, totals, random, tolerance, max_evaluations):
    """Make the best insertion of all variables, until none improves the score; ties are broken at random."""
    evaluations = state[EVALUATIONS]
    until = evaluations[0] + max_evaluations
    while evaluations[0] < until:
        if counts[TRIED] == untried.size:
            if counts[BEST_VARIABLE] < 0:  # line 3: no insertion of any variable improves the score
                return True
            make_insertion(index, state, counts[BEST_VARIABLE], counts[BEST_TO], counts, totals)  # lines 4-5
            counts[BEST_VARIABLE] = -1
            totals[BEST_CHANGE] = 0.0
            continue
        variable = draw_untried(untried, counts, random)
        evaluations[0] += 1
        min_change = max(totals[BEST_CHANGE], tie_margin(totals[SCORE], tolerance))
        change, to = find_best_insertion(index, state, variable, min_change)
        if to != state[POSITION][variable]:
            counts[BEST_VARIABLE] = variable
            counts[BEST_TO] = to
            totals[BEST_CHANGE] = change
    return False


@borrowing_kernel
def climb_first(index, state, untried, counts, totals, random, tolerance, max_evaluations):
    """
    Draw insertions at random, and make each one that improves the score, until none does.

    All insertions are drawn with the same probability, so each improving one is equally likely to be the first. When a
    variable is drawn for the first time since the last insertion, its best insertion is priced. If that does not
    improve the score, the variable is tried, and not drawn again; otherwise it is fertile. In `untried`, the tried
    variables are followed by the counts[FERTILE] fertile ones.
    """
    position, evaluations = state[POSITION], state[EVALUATIONS]
    n = untried.size
    until = evaluations[0] + max_evaluations
    while evaluations[0] < until:
        tried, known = counts[TRIED], counts[TRIED] + counts[FERTILE]
        if tried == n:  # line 3: no insertion of any variable improves the score
            return True
        pick = tried + draw_below(random, n - tried)
        variable = np.int64(untried[pick])
        min_change = tie_margin(totals[SCORE], tolerance)
        evaluations[0] += 1
        if pick >= known:
            _, to = find_best_insertion(index, state, variable, min_change)
            untried[pick] = untried[known]
            untried[known] = variable
            if to == position[variable]:
                untried[known] = untried[tried]
                untried[tried] = variable
                counts[TRIED] += 1
                continue
            counts[FERTILE] += 1
        to = draw_below(random, n - 1)
        to += to >= position[variable]
        if price_insertion(index, state, variable, to, SLACK * min_change) > SLACK * min_change:
            make_insertion(index, state, variable, to, counts, totals)  # lines 4-5
            counts[FERTILE] = 0
    return False
