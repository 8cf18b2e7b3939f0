"""Draw rows from a network, parents first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.data.coding import choose_code_type
from bnsearch.errors import InputError
from bnsearch.networks.family_codes import compute_joint_codes

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.networks.network import BayesianNetwork

BLOCK_ROWS = 1 << 13
"""Rows drawn at a time: temporary arrays stay in the cache (64 KB each). The result does not depend on it."""


def make_generator(seed: int | np.random.Generator) -> np.random.Generator:
    """Return the generator itself, or one made from a seed."""
    if isinstance(seed, np.random.Generator):
        return seed
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number, at least 0, or a numpy Generator, not {seed!r}")
    return np.random.default_rng(int(seed))


def sample(network: BayesianNetwork, rows: int, seed: int | np.random.Generator) -> Dataset:
    """
    Draw independent rows from a network by forward sampling.

    Every variable has a random stream of its own, so the first rows of a long sample are the rows of a short
    one with the same seed. All declared states are carried over, drawn or not. A generator handed in moves
    on: the next call with it draws other rows.
    """
    from bnsearch.data import Dataset

    arities = network.arities.tolist()
    codes = _allocate_codes(arities, rows)
    entropy = make_generator(seed).integers(2**32, size=4).tolist()
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(entropy).spawn(len(network.names))]
    cumulative = [_accumulate_rows(table) for table in network.tables]
    for start in range(0, rows, BLOCK_ROWS):
        block = codes[:, start : start + BLOCK_ROWS]
        for x in network.dag.order:
            uniform = streams[x].random(int(block.shape[1]))
            block[x] = _draw_states(cumulative[x], compute_joint_codes(block, arities, network.dag.parents[x]), uniform)
    codes.flags.writeable = False  # so that the Dataset takes it over without a copy
    return Dataset.from_codes(codes.T, names=network.names, states=network.states)


def _allocate_codes(arities: list[int], rows: int) -> NDArray[Any]:
    """Check the number of rows and return an array for them, uint[n, rows]."""
    if not isinstance(rows, int | np.integer) or rows < 1:
        raise InputError(f"rows must be a whole number, at least 1, not {rows!r}")
    try:
        return np.empty((len(arities), rows), dtype=choose_code_type(max(arities, default=1)))
    except (MemoryError, ValueError, OverflowError):
        raise InputError(f"{rows:,} rows of {len(arities):,} variables do not fit in memory: ask for fewer") from None


def _accumulate_rows(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """
    Return float64[q, w]: the running sums of each row, w being the number of states or the next power of two.

    Divided by its last entry a row reaches one exactly at its last state of positive probability, so no state
    of probability zero can be drawn; the padding stands beyond every uniform number.
    """
    states = table.shape[-1]
    running = table.reshape(-1, states).cumsum(axis=1)
    padded = np.full((running.shape[0], 1 << (states - 1).bit_length()), np.inf)
    padded[:, :states] = running / running[:, -1:]
    return padded


def _draw_states(
    cumulative: NDArray[np.float64], rows: NDArray[np.intp], uniform: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Return for each uniform number the first state whose running sum, in its table row, lies above it."""
    width = cumulative.shape[1]
    base = rows * width
    position: NDArray[np.intp] = base.copy()
    step = width // 2
    while step:  # bisection, all numbers at once
        position += step * (uniform >= cumulative.take(position + (step - 1)))
        step //= 2
    position -= base
    return position
