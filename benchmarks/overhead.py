"""
Measure what the executor costs with one worker: the same work with and without it, in turns.

One worker process makes the work in two ways. "plain": one call on the worker makes all of it, as without an executor.
"seam": the driver divides it into tasks, the worker makes them one by one, and the driver puts the results together.
Both run in the same process, because two processes with the same work differ by several percent. The order of the two
ways changes from pair to pair. The program prints the median of the ratios of seam to plain, and the range in which the
true median lies with a probability of at least 95 % (order statistics). The CPU time is that of worker and driver
together; other programs hardly change it.

    python benchmarks/overhead.py --pairs 20
"""

from __future__ import annotations

import argparse
import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import comb
from pathlib import Path
from statistics import median
from typing import Any

from bnsearch.data import Dataset
from bnsearch.distributed.island_tasks import search_island
from bnsearch.distributed.parcels import ParcelFolder
from bnsearch.distributed.pools import Parts, Pool
from bnsearch.distributed.selection import WorkerSequential
from bnsearch.distributed.task_queue import TaskQueue
from bnsearch.distributed.workers import ProcessWorkers
from bnsearch.learning.auto import AutoSearch
from bnsearch.learning.distributing import prepare_workers
from bnsearch.learning.warm_up import load_kernels
from bnsearch.runs.problem import Problem
from bnsearch.scores import BIC
from bnsearch.selection import Sequential
from threads import Tables
from workers import Clocks, Speed, Start, prepare_islands, search_several

Way = Callable[[], object]


@dataclass(frozen=True)
class Case:
    """A piece of work in two ways."""

    name: str
    plain: Way
    seam: Way


def select_plainly(_: None, parts: Parts) -> int:
    """Select without an executor, and return the number of families; this function runs on the worker."""
    return Sequential(max_parents=2).select(parts[0], parts[1], threads=1).scored


def make_selection(table: str, data: Dataset, pool: Pool) -> Case:
    """Return the selection of all pairs of parents."""
    bytes_of_memory = itertools.count(4 << 30)  # another number each time, so that the worker counts all sets again

    def select_on_worker() -> object:
        return WorkerSequential(max_parents=2, pool=pool, memory=next(bytes_of_memory)).select(data, BIC(), threads=1)

    return Case(f"selection {table}", lambda: pool.queue.map(select_plainly, [None], [pool.problem]), select_on_worker)


def make_islands(table: str, data: Dataset, pool: Pool, steps: int) -> Case:
    """Return some rounds of islands with a number of steps."""
    begin = Start.climb(Problem(data=data, score=BIC()))
    tasks = begin.make_tasks(pool.problem.key, steps * data.n_variables)
    prepare_islands(pool, tasks[0])
    return Case(
        f"islands {table}",
        lambda: pool.queue.map(search_several, [tasks], [pool.problem]),
        lambda: pool.queue.map(search_island, tasks, [pool.problem]),
    )


def measure(way: Way, pool: Pool) -> Speed:
    """Return the time of the worker and of the driver for some work."""
    clocks = Clocks(pool.queue)
    way()
    return clocks.stop(1)


def interval_of_median(values: list[float]) -> tuple[float, float]:
    """Return the narrowest pair of order statistics that contains the median with a probability of at least 95 %."""
    n, below, rank = len(values), 0.0, 0
    while below + comb(n, rank) / 2**n <= 0.025:  # probability that at most `rank` values are below the median
        below += comb(n, rank) / 2**n
        rank += 1
    ordered = sorted(values)
    return ordered[max(0, rank - 1)], ordered[min(n - 1, n - rank)]


def compare(case: Case, pool: Pool, pairs: int) -> None:
    """Make the work in both ways, in turns, and print the ratios."""
    ratios: dict[str, list[float]] = {"CPU time": [], "elapsed time": []}
    rng, driver = random.Random(1), []
    case.plain(), case.seam()
    for _ in range(pairs):
        ways = [case.plain, case.seam]
        order = rng.sample([0, 1], 2)
        times: dict[int, Speed] = {which: measure(ways[which], pool) for which in order}
        plain, seam = times[0], times[1]
        cpu = [speed.worker_seconds + speed.driver_seconds for speed in (plain, seam)]
        ratios["CPU time"].append(cpu[1] / cpu[0])
        ratios["elapsed time"].append(seam.seconds / plain.seconds)
        driver.append(seam.driver_seconds / cpu[1])
    for name, values in ratios.items():
        low, high = interval_of_median(values)
        print(
            f"{case.name:22} {name:12} {pairs} pairs: seam / plain {median(values):.3f} ({low:.3f} to {high:.3f}), "
            f"driver {median(driver):.1%} of the CPU time",
            flush=True,
        )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--steps", type=int, default=2, help="steps of a round for each variable")
    parser.add_argument("--variables", type=int, help="variables of the selection; all by default")
    parser.add_argument("--only", default="", help="measure the tables whose names contain this text")
    parser.add_argument("--arrays", type=Path, help="folder of .npz files")
    given = parser.parse_args()
    tables = Tables(given.arrays)
    makers: list[tuple[str, int | None, Callable[[str, Dataset, Pool], Case]]] = [
        ("bbc.train", given.variables, make_selection),
        ("bbc.test", None, partial(make_islands, steps=given.steps)),
        ("tmovie.test", None, partial(make_islands, steps=given.steps)),
    ]
    for table, variables, make in makers:
        if given.only not in table:
            continue
        data: Any = tables.load(table, variables)
        load_kernels(Problem(data=data, score=BIC()), AutoSearch())
        with ParcelFolder() as folder, ProcessWorkers(1) as workers, TaskQueue(workers, print) as queue:
            pool = Pool(queue, folder, folder.write((data, BIC(), None)))
            prepare_workers(pool, AutoSearch(), lambda: True)
            compare(make(table, data, pool), pool, given.pairs)


if __name__ == "__main__":
    main()
