"""Each child's undominated parent sets, when all subsets of the variables have values."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.scores.score import TOLERANCE

LOW = 12  # candidates whose subsets make one block: it stays in a core's cache
CAPACITY = 1 << 16  # sets that one call of the kernel can keep; at least a block
BLOCKS = 128  # blocks between two looks at the clock, a few milliseconds


class LegalSets(NamedTuple):
    """
    The parent sets that a child may have, as masks.

    Attributes
    ----------
    child : the child itself
    required : its required parents
    candidates : int64[...], its other possible parents, one by one
    max_candidates : largest number of candidates in a set
    """

    child: int
    required: int
    candidates: NDArray[np.int64]
    max_candidates: int

    @property
    def number(self) -> int:
        """How many sets there are."""
        return sum(comb(len(self.candidates), k) for k in range(min(self.max_candidates, len(self.candidates)) + 1))


class KeptSets(NamedTuple):
    """
    A child's undominated sets.

    Attributes
    ----------
    masks : int64[...]
    scores : float64[...]
    scored : how many sets were looked at
    """

    masks: NDArray[np.int64]
    scores: NDArray[np.float64]
    scored: int


def keep_undominated(
    legal: LegalSets, joint: NDArray[np.float64], parents: NDArray[np.float64], late: Callable[[], bool]
) -> KeptSets | None:
    """
    Return the legal sets of a child that no legal subset matches or beats; None if late.

    Parameters
    ----------
    legal : the sets to look at
    joint, parents : float64[2^n], the value of each set as a whole family and as parents; not a number where a set is
        known not to matter
    late : tells whether to stop
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
    """Return the masks and the sizes of all subsets of some variables, given by their masks."""
    from bnsearch.selection.kernels_subset_domination import spread_bits

    masks, sizes = np.empty(1 << len(bits), dtype=np.int64), np.empty(1 << len(bits), dtype=np.int64)
    spread_bits(bits, masks, sizes)
    return masks, sizes
