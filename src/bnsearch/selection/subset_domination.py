"""Each child's undominated parent sets, from the values of all subsets of the variables."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.scores.score import TOLERANCE

LOW = 12  # number of candidates whose subsets make one block, which fits into a core's cache
CAPACITY = 1 << 16  # number of sets that one call of the kernel can keep; at least those of a block
BLOCKS = 128  # number of blocks that a call takes before the clock is read: a few milliseconds


class LegalSets(NamedTuple):
    """
    The legal parent sets of a child, as masks.

    Attributes
    ----------
    child : mask of the child
    required : mask of its required parents
    candidates : int64[...], masks of its other allowed parents
    max_candidates : largest number of candidates in a set
    """

    child: int
    required: int
    candidates: NDArray[np.int64]
    max_candidates: int

    @property
    def number(self) -> int:
        """Number of legal sets."""
        return sum(comb(len(self.candidates), k) for k in range(min(self.max_candidates, len(self.candidates)) + 1))


class KeptSets(NamedTuple):
    """
    A child's undominated sets.

    Attributes
    ----------
    masks : int64[...]
    scores : float64[...]
    scored : number of sets that were scored
    """

    masks: NDArray[np.int64]
    scores: NDArray[np.float64]
    scored: int


def keep_undominated(
    legal: LegalSets, joint: NDArray[np.float64], parents: NDArray[np.float64], late: Callable[[], bool]
) -> KeptSets | None:
    """
    Return the legal sets of a child that no legal subset matches or beats; None if the time is up.

    Parameters
    ----------
    legal : the legal sets
    joint, parents : float64[2^n], the value of each set as a whole family and as parents; nan for sets that cannot be
        optimal
    late : returns True if the time is up
    """
    from bnsearch.selection.kernels_subset_domination import KEPT, SCORED, keep_sets

    low = min(LOW, len(legal.candidates))
    low_masks, low_sizes = _subsets(legal.candidates[:low])
    high_masks, high_sizes = _subsets(legal.candidates[low:])
    best = np.empty((len(high_masks), len(low_masks)))
    counts = np.zeros(2, dtype=np.int64)
    parts: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = []
    block = 0
    while block < len(high_masks):
        if late():
            return None
        masks, scores = np.empty(CAPACITY, dtype=np.int64), np.empty(CAPACITY)
        counts[KEPT] = 0
        last = min(block + BLOCKS, len(high_masks))
        block = keep_sets(
            joint, parents, legal.child, legal.required, legal.max_candidates, (low_masks, low_sizes),
            (high_masks[:last], high_sizes[:last]), block, TOLERANCE, best, masks, scores, counts,
        )  # fmt: skip
        parts.append((masks[: counts[KEPT]].copy(), scores[: counts[KEPT]].copy()))
    masks, scores = (np.concatenate(each) for each in zip(*parts, strict=True))
    return KeptSets(masks, scores, int(counts[SCORED]))


def _subsets(bits: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the masks and the sizes of all subsets of variables, which are given by their masks."""
    from bnsearch.selection.kernels_subset_domination import spread_bits

    masks, sizes = np.empty(1 << len(bits), dtype=np.int64), np.empty(1 << len(bits), dtype=np.int64)
    spread_bits(bits, masks, sizes)
    return masks, sizes
