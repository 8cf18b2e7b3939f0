"""Dynamic programming over subsets of the variables: the best network of a component."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError
from bnsearch.exact.components import Component
from bnsearch.runs.run import Run

LOW_VARIABLES = 12  # a block has all subsets of this many variables: its arrays fit into a core's cache
TASKS_PER_THREAD = 4  # tasks into which a layer is divided, per thread
# Blocks of a kernel call, a few milliseconds: tasks check the clock between calls, and threads rarely wait for the GIL.
BLOCKS_PER_CALL = 8
MAX_VARIABLES = 50  # limit on any machine: 2^50 scores would take 8 PiB
ADVICE = (
    "install highspy for branch and cut (pip install 'bnsearch[exact]'), use the method auto, or reduce their number "
    "by dropping columns, by a lower max_parents or by forbidden edges"
)


class TooLargeError(InputError):
    """Too many variables depend on each other for exact search."""


def solve(component: Component, run: Run) -> NDArray[np.int64] | None:
    """Return the rows of a component's best network; None if the run stops."""
    totals = compute_totals(component, run)
    return None if totals is None else trace_rows(component, totals)


def compute_totals(component: Component, run: Run) -> NDArray[np.float64] | None:
    """Return float64[2^n], the score of the best network of each subset of a component; None if the run stops."""
    from bnsearch.exact.kernels_dynamic import MIN_LOW_VARIABLES, solve_blocks

    missing = max(0, MIN_LOW_VARIABLES - component.size)  # replaced by variables without any parent set
    begin = np.pad(component.begin, (0, missing), mode="edge")
    n = len(begin) - 1
    low = min(n, LOW_VARIABLES)
    sets = _sort_by_high_part(component, low)
    try:
        totals = np.empty((1 << (n - low), 1 << low))
    except MemoryError:
        raise TooLargeError(
            f"exact search of {n} variables that depend on each other takes {2.0 ** (n - 27):,.3g} GiB of memory, "
            f"which is not available: {ADVICE}"
        ) from None

    def solve_task(blocks: NDArray[np.int64]) -> bool:
        best = np.empty((low + 1, 1 << low))
        for start in range(0, len(blocks), BLOCKS_PER_CALL):
            if run.halted():
                return False
            solve_blocks(begin, sets, blocks[start : start + BLOCKS_PER_CALL], totals, best)
        return True

    high_masks = np.arange(1 << (n - low))
    layer_of = np.bitwise_count(high_masks)
    for size in range(n - low + 1):
        if not run.going():
            return None
        layer = high_masks[layer_of == size]
        tasks = np.array_split(layer, min(len(layer), TASKS_PER_THREAD * run.threads))
        if not all(list(run.map(solve_task, tasks))):
            return None
        run.count(evaluations=component.size * len(layer) << min(low, component.size))
    return totals.reshape(-1)[: 1 << component.size]


def _sort_by_high_part(component: Component, low: int) -> tuple[NDArray[np.float64], *tuple[NDArray[np.int64], ...]]:
    """Return the argument `sets` of `solve_blocks`: scores, low parts, high parts, ends of runs of equal high parts."""
    highs = component.small_masks >> low
    child = np.repeat(np.arange(component.size), np.diff(component.begin))
    order = np.lexsort((highs, child))
    highs = highs[order]
    last = np.append((np.diff(highs) != 0) | (np.diff(child) != 0), True)
    ends = np.flatnonzero(last) + 1
    skip = np.repeat(ends, np.diff(ends, prepend=0))
    return component.scores[order], component.small_masks[order] & ((1 << low) - 1), highs, skip


def trace_rows(component: Component, totals: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the rows of a component's best network, found backwards: the last variable of all, then of the others."""
    rows = np.empty(component.size, dtype=np.int64)
    remaining = len(totals) - 1
    while remaining:
        options = []
        for v in range(len(rows)):
            if remaining >> v & 1:
                others = remaining ^ (1 << v)
                entry = component.find_best(v, others)
                options.append((totals[others] + component.scores[entry], v, entry))
        _, v, entry = max(options)
        rows[v] = component.rows[entry]
        remaining ^= 1 << v
    return rows
