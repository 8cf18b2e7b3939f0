"""The data as the counting kernels see it: columns of codes, and bitmaps of their rarer states."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.data import Dataset
from bnsearch.errors import InputError

REPRESENTATIONS = ("auto", "bitmap", "dense", "sparse")
BITMAP_STATES = 256  # a variable with more states has no bitmaps
SWEEPS_PER_PASS = 170  # AND-popcount sweeps over all rows that cost as much as one histogram pass (measured)
SAMPLE = 4096

Codes = NDArray[np.uint8] | NDArray[np.uint16]


class Columns(NamedTuple):
    """
    The variables that are counted, in ascending order of arity ("places").

    A variable's most frequent state has no bitmap: its counts follow by subtraction. Row r of a bitmap is bit
    r % 64 of word r // 64.
    """

    codes: Codes  # [places, rows] states; equal rows may be merged
    weights: NDArray[np.int32]  # [rows] how often each row of codes occurs
    total: int  # number of rows of the data: the sum of the weights
    arities: NDArray[np.int64]  # [places]
    start: NDArray[np.int64]  # [places + 1] first bitmap of each place; none where start[p + 1] == start[p]
    words: NDArray[np.uint64]  # [items, W] the bitmaps
    sizes: NDArray[np.int64]  # [items] their numbers of ones
    states: NDArray[np.int64]  # [items] the state each stands for
    modes: NDArray[np.int64]  # [places] the state without a bitmap
    most_cells: float  # sets of up to this many cells are counted by bitmaps
    dense: bool  # whether histograms over all cells may be used


class Layout:
    """
    A dataset's variables arranged for counting.

    Parameters
    ----------
    data : the table
    variables : which of its variables; all by default
    representation : "auto" chooses by cost; "bitmap" and "sparse" (rows labelled cell by cell) are forced on every
        set, "dense" (a histogram of all cells) on every set whose histogram is not far larger than the data
    most_states : a variable with more has no bitmaps, unless these are forced
    """

    def __init__(
        self,
        data: Dataset,
        variables: Sequence[int] | None = None,
        representation: str = "auto",
        most_states: int = BITMAP_STATES,
    ) -> None:
        if representation not in REPRESENTATIONS:
            raise InputError(f"representation must be one of {', '.join(REPRESENTATIONS)}, not {representation!r}")
        chosen = np.arange(data.n_variables) if variables is None else np.array(variables, dtype=np.int64)
        # Ascending arity: the variables that a prefix can still take by bitmaps form a leading range.
        self.order = chosen[np.argsort(data.arities[chosen], kind="stable")]
        self.place = np.full(data.n_variables, -1, dtype=np.int64)
        self.place[self.order] = np.arange(len(self.order))
        arities = np.ascontiguousarray(data.arities[self.order])
        codes = data.codes if np.array_equal(self.order, np.arange(data.n_variables)) else data.codes[self.order]
        merged, weights = _merge_rows(codes) if representation == "auto" else (codes, None)
        if weights is None:
            weights = np.ones(data.n_rows, dtype=np.int32)
        start, words, states, modes = _bitmaps(codes, arities, representation, most_states)
        merged = merged.view()
        merged.flags.writeable = False  # always, so that kernels are compiled once
        self.columns = Columns(
            codes=merged,
            weights=weights,
            total=data.n_rows,
            arities=arities,
            start=start,
            words=words,
            sizes=np.bitwise_count(words).sum(axis=1, dtype=np.int64),
            states=states,
            modes=modes,
            most_cells=_most_cells(representation, len(weights) / data.n_rows),
            dense=representation != "sparse",
        )

    def places(self, variables: Sequence[int]) -> NDArray[np.int64]:
        """Return where these variables stand, refusing unknown and repeated ones."""
        asked = np.array(list(variables), dtype=np.int64)
        if asked.size and not (asked.min() >= 0 and asked.max() < len(self.place)):
            raise InputError(f"variable {_outside(asked, len(self.place))} is not one of 0..{len(self.place) - 1}")
        places = self.place[asked]
        if asked.size and places.min() < 0:
            raise InputError(f"variable {asked[places.argmin()]} is not among those counted")
        if len(set(asked.tolist())) != len(asked):
            raise InputError(f"the set {asked.tolist()} holds a variable twice")
        return places


def _outside(asked: NDArray[np.int64], n: int) -> int:
    return int(asked[(asked < 0) | (asked >= n)][0])


def _most_cells(representation: str, distinct: float) -> float:
    """Return the cost model's border: bitmap sweeps run over all rows, histograms over the distinct ones."""
    if representation == "bitmap":
        return np.inf
    return SWEEPS_PER_PASS * distinct if representation == "auto" else 0.0


def _bitmaps(
    codes: Codes,
    arities: NDArray[np.int64],
    representation: str,
    most_states: int,
) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]:
    from bnsearch.counting.kernels_bits import pack_states

    most = {"auto": most_states, "bitmap": np.inf}.get(representation, 0)
    has = arities <= most
    start = np.concatenate([[0], np.cumsum(np.where(has, arities - 1, 0))]).astype(np.int64)
    words = np.zeros((int(start[-1]), -(-codes.shape[1] // 64)), dtype=np.uint64)
    states = np.empty(int(start[-1]), dtype=np.int64)
    modes = np.zeros(len(arities), dtype=np.int64)
    for place, arity in enumerate(arities.tolist()):
        if not has[place]:
            continue
        column = codes[place]
        modes[place] = mode = int(np.bincount(column, minlength=arity).argmax())
        item_of_state = np.arange(start[place], start[place] + arity, dtype=np.int64)
        item_of_state[mode + 1 :] -= 1
        item_of_state[mode] = -1
        states[start[place] : start[place + 1]] = [s for s in range(arity) if s != mode]
        pack_states(column, item_of_state, words)
    return start, words, states, modes


def _merge_rows(
    codes: Codes,
) -> tuple[Codes, NDArray[np.int32] | None]:
    """Return the distinct rows with their numbers, where they are at most half; else the codes and None."""
    from bnsearch.counting.kernels_rows import group_equal_rows

    n, rows = codes.shape
    if rows < 2 or n == 0:
        return codes, None
    sample = codes[:, :: -(-rows // SAMPLE)]
    if len(group_equal_rows(sample)[0]) > 0.95 * sample.shape[1]:
        return codes, None
    first, counts = group_equal_rows(codes)
    if len(first) > rows // 2:
        return codes, None
    merged: Codes = codes[:, first]
    return merged, counts.astype(np.int32)
