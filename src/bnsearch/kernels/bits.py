"""Bits of 64-bit words: counting, testing and finding them."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from bnsearch.kernels.compile import borrowing_kernel, inlined_kernel, kernel


@intrinsic
def popcount(typing_context: Any, word: Any) -> Any:
    """Return the number of set bits of a uint64: one instruction on current machines."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = builder.module.declare_intrinsic("llvm.ctpop", [arguments[0].type])
        return builder.call(function, arguments)

    return types.uint64(types.uint64), generate


@borrowing_kernel
def has_bit(words, i):
    """Return True if bit i of a bitmap, uint64[W], is set."""
    return (words[i >> 6] >> np.uint64(i & 63)) & np.uint64(1) != np.uint64(0)


@inlined_kernel
def set_bit(words, i):
    """Set bit i of a bitmap, uint64[W]."""
    words[i >> 6] |= np.uint64(1) << np.uint64(i & 63)


@inlined_kernel
def lowest_bit(word):
    """Return the position of the lowest set bit of a uint64 that is not zero."""
    return np.int64(popcount(~word & (word - np.uint64(1))))


@kernel
def count_ones(words):
    """Return the number of set bits of a bitmap, uint64[W]."""
    total = np.uint64(0)
    for w in range(words.size):
        total += popcount(words[w])
    return np.int64(total)


@kernel
def count_and(left, right):
    """Return the number of bits that are set in both of two bitmaps, uint64[W]."""
    total = np.uint64(0)
    for w in range(left.size):
        total += popcount(left[w] & right[w])
    return np.int64(total)
