"""
Hill climbing in the insert neighbourhood: Algorithm 1 of Lee & van Beek (2017), one kernel per neighbour selection.

`climb_hybrid`, `climb_best` and `climb_first` are the loop of lines 3 to 5. Each returns True if the ordering is a
local optimum, and False if it was interrupted. A climb is interrupted when the number of evaluations reaches `until`,
so that the caller can read the clock, and resumed with the same arrays.

`run_hybrid_climbs`, `run_best_climbs` and `run_first_climbs` make several climbs, one from each start. On small tables
a climb takes a tenth of a millisecond, and Python code between two climbs would take a large part of the time.

`index` and `state` are described in arrays.py. `climbs` is a tuple with these entries:

ORDERS : int32[k, n]   the starts; after a climb, the ordering that it has reached
ROWS : int64[k, n]     the chosen row of each variable in this ordering
INITIAL : float64[k]   score of each start
STEPS : int64[k]       number of insertions of each climb
UNTRIED : int32[n]     a permutation of all variables: first those that were tried in this ordering, as many as
                       COUNTS[TRIED], then the untried ones
COUNTS : int64[6]      N_STARTS and FINISHED, the numbers of starts and of finished climbs; TRIED, which is -1 if the
                       next climb has not begun; for `climb_first`, FERTILE, the number of variables known to have an
                       improving insertion; for `climb_best`, BEST_VARIABLE (-1 for none) and BEST_TO, the best
                       insertion found in this ordering
TOTALS : float64[2]    SCORE of the ordering; BEST_CHANGE, the score change of that insertion, only for `climb_best`
RANDOM : uint64[1]     state of the random number generator

tolerance : an improvement must exceed this number times max(1, |score|)
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel, inner_borrowing_kernel
from bnsearch.kernels.random_numbers import draw_below
from bnsearch.orderings.kernels.arrays import CHOICE, EVALUATIONS, ORDER, POSITION
from bnsearch.orderings.kernels.insertion import find_best_insertion, price_insertion
from bnsearch.orderings.kernels.state import initialise_state, insert_variable

ORDERS, ROWS, INITIAL, STEPS, UNTRIED, COUNTS, TOTALS, RANDOM = 0, 1, 2, 3, 4, 5, 6, 7  # entries of `climbs`
N_STARTS, FINISHED, TRIED, FERTILE, BEST_VARIABLE, BEST_TO = 0, 1, 2, 3, 4, 5  # entries of COUNTS
SCORE, BEST_CHANGE = 0, 1  # entries of TOTALS
SLACK = 0.999  # factor on the smallest improvement, because two sums of the same changes may differ by rounding errors


@inlined_kernel
def begin_climb(index, state, climbs):
    """Lines 1 and 2: begin a climb from the next start unless one was interrupted; return False if no start is left."""
    counts, totals, start = climbs[COUNTS], climbs[TOTALS], climbs[COUNTS][FINISHED]
    if start == counts[N_STARTS]:
        return False
    if counts[TRIED] < 0:
        for i in range(climbs[UNTRIED].size):
            climbs[UNTRIED][i] = climbs[ORDERS][start, i]
            state[ORDER][i] = climbs[ORDERS][start, i]
        totals[SCORE] = initialise_state(index, state)
        totals[BEST_CHANGE] = 0.0
        climbs[INITIAL][start] = totals[SCORE]
        climbs[STEPS][start] = 0
        counts[TRIED] = 0
        counts[FERTILE] = 0
        counts[BEST_VARIABLE] = -1
    return True


@inlined_kernel
def save_climb(state, climbs, is_optimum, min_score):
    """
    Line 6: save the ordering of a climb that has ended or was interrupted, and count the climb if it has ended.

    Returns False if the kernel is to return now: the climb was interrupted, or its score exceeds `min_score`.
    """
    counts = climbs[COUNTS]
    for i in range(climbs[UNTRIED].size):
        climbs[ORDERS][counts[FINISHED], i] = state[ORDER][i]
        climbs[ROWS][counts[FINISHED], i] = state[CHOICE][i]
    if not is_optimum:
        return False
    counts[FINISHED] += 1
    counts[TRIED] = -1
    return climbs[TOTALS][SCORE] <= min_score


@inlined_kernel
def draw_untried(climbs):
    """Return a random variable that was not tried since the last insertion, and count it as tried."""
    untried, counts = climbs[UNTRIED], climbs[COUNTS]
    tried = counts[TRIED]
    pick = tried + draw_below(climbs[RANDOM], untried.size - tried)
    variable = np.int64(untried[pick])
    untried[pick] = untried[tried]
    untried[tried] = variable
    counts[TRIED] += 1
    return variable


@inlined_kernel
def make_insertion(index, state, climbs, variable, to):
    """Insert a variable, add the change to the score, count the step, and mark all variables as untried."""
    change, _, _ = insert_variable(index, state, variable, to)
    climbs[TOTALS][SCORE] += change
    climbs[STEPS][climbs[COUNTS][FINISHED]] += 1
    climbs[COUNTS][TRIED] = 0


@inner_borrowing_kernel
def climb_hybrid(index, state, climbs, tolerance, until):
    """Make the best insertion of a random variable if it improves the score, until no variable has one (INOBS)."""
    evaluations, counts, totals = state[EVALUATIONS], climbs[COUNTS], climbs[TOTALS]
    while evaluations[0] < until:
        if counts[TRIED] == climbs[UNTRIED].size:  # line 3: no insertion of any variable improves the score
            return True
        variable = draw_untried(climbs)
        evaluations[0] += 1
        _, to = find_best_insertion(index, state, variable, tie_margin(totals[SCORE], tolerance))
        if to != state[POSITION][variable]:
            make_insertion(index, state, climbs, variable, to)  # lines 4-5
    return False


@inner_borrowing_kernel
def climb_best(index, state, climbs, tolerance, until):
    """Make the best insertion of all variables, until none improves the score; ties are broken at random."""
    evaluations, counts, totals = state[EVALUATIONS], climbs[COUNTS], climbs[TOTALS]
    while evaluations[0] < until:
        if counts[TRIED] == climbs[UNTRIED].size:
            if counts[BEST_VARIABLE] < 0:  # line 3: no insertion of any variable improves the score
                return True
            make_insertion(index, state, climbs, counts[BEST_VARIABLE], counts[BEST_TO])  # lines 4-5
            counts[BEST_VARIABLE] = -1
            totals[BEST_CHANGE] = 0.0
            continue
        variable = draw_untried(climbs)
        evaluations[0] += 1
        min_change = max(totals[BEST_CHANGE], tie_margin(totals[SCORE], tolerance))
        change, to = find_best_insertion(index, state, variable, min_change)
        if to != state[POSITION][variable]:
            counts[BEST_VARIABLE] = variable
            counts[BEST_TO] = to
            totals[BEST_CHANGE] = change
    return False


@inner_borrowing_kernel
def climb_first(index, state, climbs, tolerance, until):
    """
    Draw insertions at random, and make each one that improves the score, until none does.

    All insertions are drawn with the same probability, so each improving one is equally likely to be the first. When a
    variable is drawn for the first time since the last insertion, its best insertion is priced. If that does not
    improve the score, the variable is tried, and not drawn again; otherwise it is fertile. In `untried`, the tried
    variables are followed by the counts[FERTILE] fertile ones.
    """
    position, evaluations = state[POSITION], state[EVALUATIONS]
    untried, counts, totals, random = climbs[UNTRIED], climbs[COUNTS], climbs[TOTALS], climbs[RANDOM]
    n = untried.size
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
            make_insertion(index, state, climbs, variable, to)  # lines 4-5
            counts[FERTILE] = 0
    return False


@borrowing_kernel
def run_hybrid_climbs(index, state, climbs, tolerance, min_score, max_evaluations):
    """Climb by `climb_hybrid` from the starts that are left; return after a climb that ends above `min_score`."""
    until = state[EVALUATIONS][0] + max_evaluations
    while begin_climb(index, state, climbs):  # lines 1-2
        is_optimum = climb_hybrid(index, state, climbs, tolerance, until)  # lines 3-5
        if not save_climb(state, climbs, is_optimum, min_score):  # line 6
            return


@borrowing_kernel
def run_best_climbs(index, state, climbs, tolerance, min_score, max_evaluations):
    """Climb by `climb_best` from the starts that are left; return after a climb that ends above `min_score`."""
    until = state[EVALUATIONS][0] + max_evaluations
    while begin_climb(index, state, climbs):  # lines 1-2
        is_optimum = climb_best(index, state, climbs, tolerance, until)  # lines 3-5
        if not save_climb(state, climbs, is_optimum, min_score):  # line 6
            return


@borrowing_kernel
def run_first_climbs(index, state, climbs, tolerance, min_score, max_evaluations):
    """Climb by `climb_first` from the starts that are left; return after a climb that ends above `min_score`."""
    until = state[EVALUATIONS][0] + max_evaluations
    while begin_climb(index, state, climbs):  # lines 1-2
        is_optimum = climb_first(index, state, climbs, tolerance, until)  # lines 3-5
        if not save_climb(state, climbs, is_optimum, min_score):  # line 6
            return
