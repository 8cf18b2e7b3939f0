"""Bitmaps with one bit for each row and 64 rows in a word: packing and projection."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.bits import popcount
from bnsearch.kernels.compile import kernel


@kernel
def pack_states(codes, item_of_state, words):
    """
    Set the bit of every row in the bitmap of its state.

    codes : uint8|uint16[rows]      states of one variable
    item_of_state : int64[arity]    row of `words` for each state, or -1 for a state without a bitmap
    words : uint64[items, W]        zeroed; written
    """
    for row in range(codes.size):
        item = item_of_state[codes[row]]
        if item >= 0:
            words[item, row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@kernel
def plan_projection(mask, moves):
    """
    Prepare the projection of bitmaps on the rows where `mask` is one.

    The bits of a word move right in six steps of 1, 2, 4, ... 32 places; `moves[i]` marks those that take step i. They
    are found once for a mask by the parallel-prefix method of Warren, Hacker's Delight, section 7-4.

    mask : uint64[W]
    moves : uint64[6, W]   written
    """
    for w in range(mask.size):
        kept = mask[w]
        zeros_right = (~kept) << np.uint64(1)
        for i in range(6):
            parity = zeros_right ^ (zeros_right << np.uint64(1))
            parity ^= parity << np.uint64(2)
            parity ^= parity << np.uint64(4)
            parity ^= parity << np.uint64(8)
            parity ^= parity << np.uint64(16)
            parity ^= parity << np.uint64(32)
            moving = parity & kept
            moves[i, w] = moving
            kept = (kept ^ moving) | (moving >> np.uint64(1 << i))
            zeros_right &= ~parity


@kernel
def project(column, mask, moves, scratch, out):
    """
    Write the bits of `column` at the rows where `mask` is one, side by side, into `out`.

    column, mask, scratch : uint64[W]
    moves : uint64[6, W]     from plan_projection(mask)
    out : uint64[ceil(ones of mask / 64)]   written
    """
    for w in range(mask.size):
        bits = column[w] & mask[w]
        moving = bits & moves[0, w]
        bits = (bits ^ moving) | (moving >> np.uint64(1))
        moving = bits & moves[1, w]
        bits = (bits ^ moving) | (moving >> np.uint64(2))
        moving = bits & moves[2, w]
        bits = (bits ^ moving) | (moving >> np.uint64(4))
        moving = bits & moves[3, w]
        bits = (bits ^ moving) | (moving >> np.uint64(8))
        moving = bits & moves[4, w]
        bits = (bits ^ moving) | (moving >> np.uint64(16))
        moving = bits & moves[5, w]
        scratch[w] = (bits ^ moving) | (moving >> np.uint64(32))
    word = np.uint64(0)
    filled = 0
    at = 0
    for w in range(mask.size):
        ones = np.int64(popcount(mask[w]))
        word |= scratch[w] << np.uint64(filled & 63)
        if filled + ones >= 64:
            out[at] = word
            at += 1
            word = scratch[w] >> np.uint64(64 - filled) if filled > 0 else np.uint64(0)
            filled += ones - 64
        else:
            filled += ones
    if filled > 0:
        out[at] = word
