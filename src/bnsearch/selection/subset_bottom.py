"""The bottom of a walk over all subsets: the last variables, whose subsets are valued together."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_VARIABLES = 4  # largest number of variables of the bottom
MAX_STATES = 16  # largest number of their joint states; a single variable can have more


def make_bottom(links: NDArray[np.int64], arities: NDArray[np.int64], strides: NDArray[np.int64]) -> tuple[Any, ...]:
    """
    Return the tuple `bottom` of kernels_subset_values.

    Parameters
    ----------
    links : int64[n, suffixes], see kernels_subsets
    arities, strides : int64[n], for the variables in the order of the walk
    """
    count = 1
    while count < min(MAX_VARIABLES, len(arities)) and np.prod(arities[-count - 1 :]) <= MAX_STATES:
        count += 1
    arities, strides = arities[-count:], strides[-count:]
    code_of = np.zeros(1, dtype=np.int64)  # code of the empty suffix behind the last variable
    steps = np.concatenate([[1], np.cumprod(arities)[:-1]])
    for link, step in zip(links[-count:][::-1], steps[::-1].tolist(), strict=True):
        code_of = code_of[link >> 16] + (link & 0xFFFF) * step
    kind_of, differ = code_of, _differences(arities, steps)
    if np.prod(arities) > MAX_STATES:  # a single variable, in which two entries of a cell always differ
        kind_of, differ = np.zeros_like(code_of), np.ones((1, 1), dtype=np.int64)
    holds = _members(count)
    return (
        code_of,
        kind_of,
        differ,
        *_margins(arities, holds),
        holds.sum(axis=1),
        holds @ strides,
        np.prod(np.where(holds, arities, 1), axis=1, dtype=np.float64),
    )


def _members(count: int) -> NDArray[np.bool_]:
    """Return bool[2^count, count], the members of each subset; the first variable has the highest bit."""
    subsets = (1 << count) - 1 - np.arange(1 << count)
    members: NDArray[np.bool_] = (subsets[:, np.newaxis] >> np.arange(count - 1, -1, -1) & 1).astype(bool)
    return members


def _differences(arities: NDArray[np.int64], steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the mask of the variables in which two joint states differ, for all pairs of joint states."""
    codes = np.arange(min(int(np.prod(arities)), MAX_STATES))
    states = codes[:, np.newaxis] // steps % arities
    bits = 1 << np.arange(len(arities) - 1, -1, -1)
    differ: NDArray[np.int64] = (states[:, np.newaxis] != states) @ bits
    return differ


def _margins(arities: NDArray[np.int64], holds: NDArray[np.bool_]) -> tuple[NDArray[np.int64], ...]:
    """Return the begin of each subset's marginal cells, and each cell's summands: first one, step, number."""
    first, source, stride, terms = [0], [], [], []
    for t, own in enumerate(holds):
        if t == 0:
            cells = int(np.prod(arities))
            source, stride, terms = [0] * cells, [0] * cells, [0] * cells
        else:
            dropped = int(np.flatnonzero(~own)[0])
            larger = t ^ (1 << (len(arities) - 1 - dropped))
            step = int(np.prod(arities[:dropped][own[:dropped]]))
            cells = int(np.prod(arities[own]))
            places = np.arange(cells)
            source += (first[larger] + places % step + places // step * step * arities[dropped]).tolist()
            stride += [step] * cells
            terms += [int(arities[dropped])] * cells
        first.append(first[-1] + cells)
    return np.array(first), np.array(source), np.array(stride), np.array(terms)
