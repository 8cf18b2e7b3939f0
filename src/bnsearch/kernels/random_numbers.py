"""Random numbers inside kernels: a generator that is one word."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inlined_kernel


@inlined_kernel
def draw(random):
    """Return the next 64 random bits of SplitMix64 (Steele, Lea & Flood 2014); random : uint64[1], updated."""
    random[0] += np.uint64(0x9E3779B97F4A7C15)
    word = random[0]
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inlined_kernel
def draw_below(random, n):
    """Return a random whole number from 0 to n - 1; n is far below 2**64, so that all are as likely."""
    return np.int64(draw(random) % np.uint64(n))
