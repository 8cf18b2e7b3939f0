"""Memory for the families that threads keep."""

from __future__ import annotations

import numpy as np

from bnsearch.parent_sets.assembly import RankedFamilies

MAX_CHUNK = 1 << 20  # families of a chunk, unless one piece needs more
PIECES_PER_CHUNK = 4  # number of pieces for which a new chunk has room


class FamilyChunks:
    """
    Chunks of memory, in which the families of one piece follow those of another.

    The families need not be copied, and chunks are large, so that the system clears few large pages. The part of a
    chunk that is never used takes no memory. A chunk belongs to one thread from `take` to `keep`.
    """

    def __init__(self) -> None:
        self._rests: list[RankedFamilies] = []  # unused parts of chunks

    def reserve(self, number: int, room: int) -> None:
        """
        Make a number of chunks before threads take them, in one block of memory.

        A thread that asks the system for memory may wait for others that do the same, and would hold the interpreter
        lock meanwhile.
        """
        n_new, length = number - sum(len(rest.places) >= room for rest in self._rests), self._length(room)
        if n_new > 0:
            self._rests += [RankedFamilies(*arrays) for arrays in zip(*make_arrays(n_new, length), strict=True)]

    def take(self, room: int) -> RankedFamilies:
        """Return the unused part of a chunk, with room for a number of families."""
        try:
            rest = self._rests.pop()
        except IndexError:
            rest = None
        if rest is not None and len(rest.places) >= room:
            return rest
        return make_arrays(self._length(room))

    def _length(self, room: int) -> int:
        """Return the length of a chunk that has room for a number of families."""
        return max(room, min(MAX_CHUNK, PIECES_PER_CHUNK * room))

    def keep(self, chunk: RankedFamilies, number: int) -> RankedFamilies:
        """Return the first families of the part that was taken; the rest of it can be taken again."""
        self._rests.append(RankedFamilies._make(array[number:] for array in chunk))
        return RankedFamilies._make(array[:number] for array in chunk)


def make_arrays(*shape: int) -> RankedFamilies:
    """Return arrays for families, with undefined values."""
    return RankedFamilies(np.empty(shape, np.int32), np.empty(shape, np.int64), np.empty(shape))
