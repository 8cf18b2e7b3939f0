"""The parent sets of a child that no subset matches or beats, from the values of all sets."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

import numpy as np

from bnsearch.kernels.compare import improves_on
from bnsearch.kernels.compile import inner_kernel, kernel

STEP = 8  # number of sets that differ only in the first variables and are treated together
KEPT, SCORED = 0, 1  # indices into `counts`


@inner_kernel
def best_of_blocks(best, block):
    """Set the best score of each set of a block to that of the sets without one of its high variables."""
    own = best[block]
    for i in range(own.size):
        own[i] = -np.inf
    left = block
    while left > 0:
        bit = left & -left
        left ^= bit
        other = best[block ^ bit]
        for i in range(own.size):
            own[i] = other[i] if other[i] > own[i] else own[i]


@kernel
def spread_bits(bits, masks, sizes):
    """
    Write the mask and the size of each subset of some variables.

    bits : int64[k]      mask of each variable
    masks, sizes : int64[2^k]   written
    """
    masks[0] = 0
    sizes[0] = 0
    for i in range(bits.size):
        half = np.int64(1) << i
        for j in range(half):
            masks[half + j] = masks[j] | bits[i]
            sizes[half + j] = sizes[j] + 1


@kernel
def keep_sets(
    joint, parents, child, required, max_candidates, lows, highs, first, tolerance, best, kept_mask, kept_score, counts
):
    """
    Keep a child's parent sets that improve on all of their legal subsets, block after block.

    A set consists of the required parents, a subset of the child's low candidates and one of its high candidates. A
    block holds the sets with the same high candidates.

    joint, parents : float64[2^n]   value of each set as a whole family and as parents; nan if it is not known
    child, required : int64         masks
    max_candidates : largest number of parents in addition to the required ones
    lows, highs : (int64[...], int64[...])   masks and sizes of all subsets of the low and of the high candidates
    first : the first block
    best : float64[blocks, sets]    best score over each set and its subsets; written
    kept_mask, kept_score : int64[capacity], float64[capacity]   written
    counts : int64[2]               numbers of sets kept and scored; changed

    Returns the next block: the call ends when the sets of one more block may not fit.
    """
    low_masks, low_sizes = lows
    high_masks, high_sizes = highs
    kept, scored = counts[KEPT], counts[SCORED]
    sets = low_masks.size
    step = min(STEP, sets)
    block = first
    while block < high_masks.size and kept + sets <= kept_mask.size:
        best_of_blocks(best, block)
        own = best[block]
        above = high_masks[block] | required
        for base in range(0, sets, step):
            bit = np.int64(step)
            while bit <= base:
                if base & bit:
                    other = base ^ bit
                    for i in range(step):
                        own[base + i] = own[other + i] if own[other + i] > own[base + i] else own[base + i]
                bit <<= 1
            for i in range(step):
                place = base + i
                below = own[place]
                bit = np.int64(1)
                while bit <= i:
                    if i & bit and own[place ^ bit] > below:
                        below = own[place ^ bit]
                    bit <<= 1
                mask = low_masks[place] | above
                score = joint[mask | child] - parents[mask]
                if not np.isnan(score) and low_sizes[place] + high_sizes[block] <= max_candidates:
                    scored += 1
                    if below == -np.inf or improves_on(score, below, tolerance):
                        kept_mask[kept] = mask
                        kept_score[kept] = score
                        kept += 1
                        below = score
                own[place] = below
        block += 1
    counts[KEPT] = kept
    counts[SCORED] = scored
    return block


@kernel
def write_members(masks, variables, first, members):
    """
    Write the members of some sets.

    masks : int64[sets]
    variables : int64[n]       variable of each bit
    first : int64[sets + 1]    written: index of each set's first member
    members : int32[...]       written
    """
    at = 0
    first[0] = 0
    for i in range(masks.size):
        for b in range(variables.size):
            if masks[i] >> b & 1:
                members[at] = variables[b]
                at += 1
        first[i + 1] = at
