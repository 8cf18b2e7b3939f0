"""
Which sets have which candidates, as bits: 64 sets at a look. `index` as in kernels_state.

`listed` is a list of candidates of one variable, by number: int32[...], of which the first so many count.
"""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inlined_kernel


@inlined_kernel
def list_behind(index, position, child, listed):
    """List the candidates of a variable that stand behind it; return how many."""
    cand_begin, cand = index[5], index[6]
    begin = cand_begin[child]
    at = position[child]
    count = 0
    for i in range(begin, cand_begin[child + 1]):
        if position[cand[i]] > at:
            listed[count] = i - begin
            count += 1
    return count


@inlined_kernel
def rows_with_one(bits, words, listed, count):
    """Return a word, of the 64 rows whose words begin here those that have exactly one of the listed candidates."""
    one = np.uint64(0)
    more = np.uint64(0)
    for i in range(count):
        has = bits[words + listed[i]]
        more |= one & has
        one |= has
    return one & ~more
