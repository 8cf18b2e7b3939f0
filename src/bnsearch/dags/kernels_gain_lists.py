"""
The arrays of lazy gains, and the kernels that write the entries of a row and its bound.

Variables are numbered by place, as in counting.Columns; `graph` as in kernels_parent_lists.

`pricer` holds what gains are computed from:

columns : the fields of Columns, a plain tuple
joint_terms, parent_terms, classes : as in kernels_family_gains
limits : int64[n]           maximum number of parents of each variable
bound : float64[2]          SLOPE and LEVEL of the upper bound of scores.bounds.Bound
allowed : bool[n, n]        [y, x] is True if x may be a parent of y; of size 0 if all edges are allowed
required_begin, required_parent : int64[n + 1], int32[...]   required parents of each variable
single_begin, single_parent, single_gain : the fields begin, parent and gain of PairGains
parent_places, candidates, scores, picked, at : int64[n], int64[n], float64[n], int64[n], int64[n]   scratch; `at` is -1
unfinished : int64[3]       a row of gains of which only a part is computed: its variable, -1 if there is none; number
    of candidates in `candidates`; number of those that have their score in `scores`
scratch : as score_extensions takes it

`rows` are the rows, in a pool of entries:

begin, count, room : int64[n]   first entry of each row, number of its entries, and number of entries that fit there
candidate, gain, exact : int32[pool], float64[pool], bool[pool]   a variable, its gain, True if this is not an estimate
used : int64[1]             number of entries of the pool that were given to rows
own : float64[n]            local scores
bound : float64[n]          upper bound on the gain of each row's legal moves
stale : int8[n]             UP_TO_DATE; what has happened to the family since its row was computed; INCOMPLETE if all
    gains of the family must be computed
batch : int64[n]            number of gains of a family to compute the next time
unknown : int64[n]          number of gains of each family that are not known, neither listed nor computed
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.dags.kernels_parent_lists import DROP, MEMBER, SIZE
from bnsearch.kernels.compile import inner_kernel

(
    COLUMNS, JOINT_TERMS, PARENT_TERMS, CLASSES, LIMITS, PRICER_BOUND, ALLOWED, REQUIRED_BEGIN, REQUIRED_PARENT,
    SINGLE_BEGIN, SINGLE_PARENT, SINGLE_GAIN, PARENT_PLACES, CANDIDATES, SCORES, PICKED, AT, UNFINISHED, SCRATCH,
) = range(19)  # fmt: skip
SLOPE, LEVEL = range(2)  # of the bound
VARIABLE, NUMBER, DONE = range(3)  # of `unfinished`
BEGIN, COUNT, ROOM, CANDIDATE, GAIN, EXACT, USED, OWN, BOUND, STALE, BATCH, UNKNOWN = range(12)
UP_TO_DATE, STARTED, GREW, SHRANK, INCOMPLETE = range(5)  # values of `stale`


@inner_kernel
def write_row(pricer, rows, y, number, is_exact):
    """Write the positive gains of the first candidates as y's row; there must be room in the pool."""
    used = rows[USED]
    kept = 0
    for i in range(number):
        kept += pricer[SCORES][i] > 0.0
    if kept > rows[ROOM][y]:
        rows[BEGIN][y] = used[0]
        rows[ROOM][y] = kept
        used[0] += kept
    e = rows[BEGIN][y]
    for i in range(number):
        if pricer[SCORES][i] > 0.0:
            rows[CANDIDATE][e] = pricer[CANDIDATES][i]
            rows[GAIN][e] = pricer[SCORES][i]
            rows[EXACT][e] = is_exact
            e += 1
    rows[COUNT][y] = kept


@inner_kernel
def remove_losses(rows, y):
    """Remove the entries of y's row whose gains are not positive."""
    candidate, gain, exact = rows[CANDIDATE], rows[GAIN], rows[EXACT]
    to = rows[BEGIN][y]
    for e in range(rows[BEGIN][y], rows[BEGIN][y] + rows[COUNT][y]):
        if gain[e] > 0.0:
            candidate[to], gain[to], exact[to] = candidate[e], gain[e], exact[e]
            to += 1
    rows[COUNT][y] = to - rows[BEGIN][y]


@inner_kernel
def reset_bound(graph, rows, y):
    """Set the bound of y's row to its highest gain, legal or not."""
    top = -np.inf
    for e in range(rows[BEGIN][y], rows[BEGIN][y] + rows[COUNT][y]):
        top = max(top, rows[GAIN][e])
    for i in range(graph[SIZE][y]):
        top = max(top, graph[DROP][y, i])
    rows[BOUND][y] = top


@inner_kernel
def set_bound(graph, rows, y):
    """Set the bound of y's row and of its parents' rows, and mark the row as up to date."""
    reset_bound(graph, rows, y)
    for i in range(graph[SIZE][y]):  # the gains of reversed edges have changed
        reset_bound(graph, rows, np.int64(graph[MEMBER][y, i]))
    rows[STALE][y] = UP_TO_DATE
