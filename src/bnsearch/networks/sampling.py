"""Sampling of rows from a network."""

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
"""Number of rows drawn at a time, so that temporary arrays (64 KB) fit into the CPU cache; the result is the same."""


def make_generator(seed: int | np.random.Generator) -> np.random.Generator:
    """Return a generator: `seed` itself, or a new one with this seed."""
    if isinstance(seed, np.random.Generator):
        return seed
    if not isinstance(seed, int | np.integer) or seed < 0:
        raise InputError(f"seed must be a whole number, at least 0, or a numpy Generator, not {seed!r}")
    return np.random.default_rng(int(seed))


def sample(network: BayesianNetwork, rows: int, seed: int | np.random.Generator) -> Dataset:
    """
    Return a Dataset of independent rows drawn by forward sampling.

    Every variable has its own random stream, so the first rows of a long sample are the rows of a shorter sample
    with the same seed. The Dataset has all states of the network, including states that were not drawn. If `seed` is
    a generator, the next call with the same generator draws other rows.
    """
    from bnsearch.data import Dataset

    arities = network.arities.tolist()
    codes = _allocate_codes(arities, rows)
    entropy = make_generator(seed).integers(2**32, size=4).tolist()
    streams = [np.random.default_rng(child) for child in np.random.SeedSequence(entropy).spawn(len(network.names))]
    cumulative = [accumulate_rows(table) for table in network.tables]
    for start in range(0, rows, BLOCK_ROWS):
        block = codes[:, start : start + BLOCK_ROWS]
        for x in network.dag.order:
            uniform = streams[x].random(int(block.shape[1]))
            block[x] = draw_states(cumulative[x], compute_joint_codes(block, arities, network.dag.parents[x]), uniform)
    codes.flags.writeable = False  # a Dataset does not copy read-only arrays
    return Dataset.from_codes(codes.T, names=network.names, states=network.states)


def _allocate_codes(arities: list[int], rows: int) -> NDArray[Any]:
    """Return an empty array uint[n, rows]; raise an InputError if the number of rows is invalid."""
    if not isinstance(rows, int | np.integer) or rows < 1:
        raise InputError(f"rows must be a whole number, at least 1, not {rows!r}")
    try:
        return np.empty((len(arities), rows), dtype=choose_code_type(max(arities, default=1)))
    except (MemoryError, ValueError, OverflowError):
        raise InputError(
            f"{rows:,} rows of {len(arities):,} variables do not fit into memory: reduce the number of rows"
        ) from None


def accumulate_rows(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """
    Return float64[q, w], the cumulative sums of each row; w is the smallest power of two >= the number of states.

    Each row is divided by its last entry. It therefore reaches one exactly at its last state of positive probability,
    and no state of probability zero can be drawn. The padding is infinite.
    """
    states = table.shape[-1]
    running = table.reshape(-1, states).cumsum(axis=1)
    padded = np.full((running.shape[0], 1 << (states - 1).bit_length()), np.inf)
    padded[:, :states] = running / running[:, -1:]
    return padded


def draw_states(
    cumulative: NDArray[np.float64], rows: NDArray[np.intp], uniform: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Return for each uniform number the first state whose cumulative sum exceeds it; `rows` selects the table rows."""
    width = cumulative.shape[1]
    base = rows * width
    position: NDArray[np.intp] = base.copy()
    step = width // 2
    while step:  # binary search for all numbers at once
        position += step * (uniform >= cumulative.take(position + (step - 1)))
        step //= 2
    position -= base
    return position
