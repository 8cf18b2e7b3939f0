"""
The extension rows that a lazy climb knows: its gains of a family's further parents are those of an extension row.

`source` and `rows` as in kernels_rows, `graph` as in dags.kernels_parent_lists, `gains` as `rows` of
dags.kernels_gain_lists.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.dags.kernels_gain_lists import BEGIN, CANDIDATE, COUNT, EXACT, GAIN, OWN, STALE, UNKNOWN, UP_TO_DATE
from bnsearch.dags.kernels_parent_lists import MEMBER, SIZE
from bnsearch.kernels.compare import tie_margin
from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.kernels.sorting import sort_by_score
from bnsearch.ondemand.kernels_row_cache import write_row
from bnsearch.ondemand.kernels_rows import FAMILY, POOL, SCORES, UNFINISHED, hash_family
from bnsearch.scores.score import TOLERANCE


@inner_kernel
def list_known_gains(source, gains, child):
    """Write the improving candidates of a family and their gains, best first; return their number, -1 if unknown."""
    pool, scores = source[POOL], source[SCORES]
    if gains[STALE][child] != UP_TO_DATE or gains[UNKNOWN][child] > 0:
        return np.int64(-1)
    least = tie_margin(gains[OWN][child], TOLERANCE)
    kept = np.int64(0)
    for entry in range(gains[BEGIN][child], gains[BEGIN][child] + gains[COUNT][child]):
        if not gains[EXACT][entry]:
            return np.int64(-1)
        if gains[GAIN][entry] > least:
            pool[kept] = gains[CANDIDATE][entry]
            scores[kept] = gains[GAIN][entry]
            kept += 1
    sort_by_score(pool, scores, kept)
    return kept


@kernel
def cache_known_rows(source, rows, graph, gains, limits):
    """
    Write the extension rows of all families with parents into the cache, as far as all their gains are computed.

    A climb computes no gains of a family with the largest number of parents.

    limits : int64[n]   largest number of parents of each variable
    """
    source[UNFINISHED][FAMILY] = 0  # what follows overwrites the pool and the scores
    for child in range(limits.size):
        size = graph[SIZE][child]
        if 0 < size < limits[child]:
            kept = list_known_gains(source, gains, child)
            if kept >= 0:
                family_hash = hash_family(source, child, graph[MEMBER][child], size)
                write_row(rows, family_hash, gains[OWN][child], source[POOL], source[SCORES], kept)
