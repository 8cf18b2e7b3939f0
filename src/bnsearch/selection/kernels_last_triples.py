"""
The families over sets of three binary variables that no subset of their parents matches or beats.

With 1,000 variables, all pairs of parents are 500 million families. The values of their sets are computed and compared
in small blocks, which stay in the processor's cache.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.counting.kernels_triples import project_on_item, sweep_triples
from bnsearch.kernels.compile import kernel
from bnsearch.selection.kernels_last_size import keep_last_of_top

BLOCK = 1 << 15  # number of sets of a block: 256 KiB


@kernel
def keep_triples(
    words, sizes, total, binomial, ones, at, terms, bottom, top, lowest, highest,
    parents, class_of, before, tolerance, kept_child, kept_rank, kept_score,
):  # fmt: skip
    """
    Do the same as sweep_piece and keep_families for sets of three variables of the last size.

    All variables must be binary and have bitmaps, and f of every count must be tabulated.

    words ... highest : as in sweep_piece (kernels_lattice)
    parents ... kept_score : as in keep_families (kernels_walk)

    Returns the number of kept families; if it exceeds the capacity, the last ones were not written.
    """
    kept = np.int64(0)
    values = np.empty(max(BLOCK, top))
    paired = np.empty(total + 4)
    for t in range(bottom, top + 1):
        stop = min(highest, t)
        projected, by_word = project_on_item(words, sizes, t, stop)
        second = max(lowest, 1)
        while second < stop:
            begin, until = binomial[second, 2], second + 1
            while until < stop and binomial[until + 1, 2] - begin <= values.size:
                until += 1
            sweep_triples(
                projected, by_word, total, binomial, ones, at, terms, np.int64(0), t, second, until, False, -begin,
                paired, values,
            )  # fmt: skip
            kept = keep_last_of_top(
                np.int64(3), t, second, until, binomial[t, 3] + begin, binomial, values, parents, class_of, before,
                tolerance, kept, kept_child, kept_rank, kept_score,
            )  # fmt: skip
            second = until
    return kept
