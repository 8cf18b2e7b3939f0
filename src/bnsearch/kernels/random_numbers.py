"""Random numbers inside kernels: SplitMix64, a generator whose state is one word (Steele, Lea & Flood 2014)."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compile import inlined_kernel

INCREMENT = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio, made odd: the published increment


@inlined_kernel
def draw(random):
    """Return the next 64 random bits; random : uint64[1], updated."""
    random[0] += INCREMENT
    return mix_bits(random[0])


@inlined_kernel
def mix_bits(word):
    """Return a word each of whose bits depends on all bits of the given one: the output function of SplitMix64."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@inlined_kernel
def hash_number(number):
    """Return 64 bits that stand for a whole number: the draw of that number from a SplitMix64 generator of seed 0."""
    return mix_bits(np.uint64(number) * INCREMENT)


@inlined_kernel
def draw_below(random, n):
    """Return a random whole number from 0 to n - 1; n is far below 2**64, so that all are as likely."""
    return np.int64(draw(random) % np.uint64(n))
