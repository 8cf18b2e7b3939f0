"""
Measure candidate selection and islands on worker processes, and the overhead of the executor.

The program measures families per second of the selection of all pairs of parents, and steps per second of rounds of
islands. The work is the same for all numbers of workers. "none" is this work without an executor, on one thread. The
efficiency is the speed with N workers, divided by N times the speed with one worker. Other programs on the machine
change the wall-clock time, so the same numbers are also given by the CPU time of the workers. The last column has the
CPU seconds of the driver. The overhead is the additional time of one worker and its driver compared with no executor.
Tables are read from BNSEARCH_DATA or ../shared/data, or with --arrays from files NAME.npz with the arrays `codes`
(variables x rows) and `arities`.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

from bnsearch.data import Dataset
from bnsearch.distributed.island_rounds import MAX_EXCHANGED
from bnsearch.distributed.island_tasks import IslandTask, search_island
from bnsearch.distributed.networks import describe_network, list_best_families
from bnsearch.distributed.parcels import ParcelFolder
from bnsearch.distributed.pools import Parts, Pool
from bnsearch.distributed.selection import WorkerSequential
from bnsearch.distributed.task_queue import TaskQueue
from bnsearch.distributed.workers import DaskWorkers, ProcessWorkers, Workers
from bnsearch.learning.auto import AutoSearch
from bnsearch.learning.candidates import load_selection_kernels
from bnsearch.learning.distributing import prepare_workers
from bnsearch.learning.warm_up import load_kernels
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
from bnsearch.scores import BIC
from bnsearch.selection import Sequential
from threads import Tables

MEMORY = 1 << 30  # bytes for each island
FIRST_SECONDS = 20.0  # time budget of the first climb
TASKS_PER_WORKER = 4  # rounds of islands for each worker, by the largest number of workers


@dataclass(frozen=True)
class Speed:
    """Work, wall-clock time, CPU time of the workers and of the driver."""

    work: int
    seconds: float
    worker_seconds: float
    driver_seconds: float

    @property
    def rate(self) -> float:
        """Work per second."""
        return self.work / self.seconds

    @property
    def cpu_rate(self) -> float:
        """Work per CPU second of the workers."""
        return self.work / max(1e-9, self.worker_seconds)


def read_cpu(seconds: float) -> tuple[int, float]:
    """Return the number of this process and its CPU time; this function runs on a worker."""
    time.sleep(seconds)
    return os.getpid(), time.process_time()


class Clocks:
    """The clocks of the driver and of the workers since the start."""

    def __init__(self, queue: TaskQueue) -> None:
        self._queue = queue
        self._before = self._read()
        self._started, self._driver = time.perf_counter(), time.process_time()

    def _read(self) -> dict[int, float]:
        """Return the CPU time of each worker process."""
        answers = self._queue.map(read_cpu, [0.05] * (4 * self._queue.workers.number)) or []
        return {process: max(cpu for other, cpu in answers if other == process) for process, _ in answers}

    def stop(self, work: int) -> Speed:
        """Return the speed of some work."""
        seconds, driver = time.perf_counter() - self._started, time.process_time() - self._driver
        after = self._read()
        cpu = sum(after[process] - self._before.get(process, 0.0) for process in after)
        return Speed(work, seconds, cpu, driver)


def select_alone(data: Dataset) -> Speed:
    """Return the speed of a selection without an executor."""
    builder = Sequential(max_parents=2)
    builder.load_kernels(data, 1, None)
    started, cpu = time.perf_counter(), time.process_time()
    found = builder.select(data, BIC(), threads=1)
    cpu = time.process_time() - cpu
    return Speed(found.scored, time.perf_counter() - started, cpu, 0.0)


def select_on(pool: Pool, data: Dataset) -> Speed:
    """Return the speed of a selection on workers; the driver has a thread for each, because it waits for them."""
    clocks = Clocks(pool.queue)
    found = WorkerSequential(max_parents=2, pool=pool).select(data, BIC(), threads=pool.queue.workers.number)
    return clocks.stop(found.scored)


def make_tasks(problem: Problem, key: str, number: int, steps: int) -> list[IslandTask]:
    """Return rounds of islands that begin with the network of a first climb."""
    run = Run(Seconds(FIRST_SECONDS), seed=1, memory=MEMORY)
    model = IslandModel(problem, run, 1, MEMORY)
    model.start()
    chain = model.islands[0].chain
    network = describe_network(chain.best_parents(), chain.best_scores())
    families = list_best_families(chain.families(), problem.size, MAX_EXCHANGED)
    return [
        IslandTask(
            run=1, key=key, seed=i, network=network, families=families, memory=MEMORY, on_demand_only=False, steps=steps
        )
        for i in range(number)
    ]


def search_alone(tasks: list[IslandTask], parts: Parts) -> Speed:
    """Return the speed of islands without an executor."""
    search_island(replace(tasks[0], steps=1), parts)  # counts the pairs of variables, once in a process
    started, cpu = time.perf_counter(), time.process_time()
    reports = [search_island(task, parts) for task in tasks]
    cpu = time.process_time() - cpu
    return Speed(sum(report.iterations for report in reports), time.perf_counter() - started, cpu, 0.0)


def search_on(pool: Pool, tasks: list[IslandTask]) -> Speed:
    """Return the speed of islands on workers."""
    queue, first = pool.queue, replace(tasks[0], steps=1)
    queue.map(search_island, [first] * (4 * queue.workers.number), [pool.problem])
    clocks = Clocks(queue)
    reports = queue.map(search_island, tasks, [pool.problem]) or []
    return clocks.stop(sum(report.iterations for report in reports))


def start(number: int, dask: bool) -> Workers:
    """Return worker processes, or Dask workers."""
    return DaskWorkers(f"local:{number}") if dask else ProcessWorkers(number)


def print_speed(case: str, workers: str, speed: Speed, one: Speed, number: int) -> None:
    """Print one line; `number` is the number of workers as a multiple of that of `one`, and 0 without an executor."""
    values = [
        f"{speed.rate:13,.0f}",
        f"{speed.rate / number / one.rate:10.2f}" if number else " " * 10,
        f"{speed.cpu_rate:13,.0f}",
        f"{speed.cpu_rate / one.cpu_rate:14.2f}" if number else " " * 14,
        f"{speed.worker_seconds:7.1f}",
        f"{speed.driver_seconds:7.1f}",
    ]
    print(f"{case:20} {workers:>7}", *values, flush=True)


def measure(case: str, data: Dataset, given: argparse.Namespace) -> None:
    """Measure one case without an executor and with several numbers of workers, and print the results."""
    problem, numbers = Problem(data=data, score=BIC()), sorted(given.workers)
    load_selection_kernels(problem, 1)
    load_kernels(problem, AutoSearch())
    parts: Parts = (data, BIC(), None)
    with ParcelFolder() as folder:
        parcel = folder.write(parts)
        tasks = make_tasks(problem, parcel.key, TASKS_PER_WORKER * numbers[-1], given.steps * problem.size)
        is_selection = case.startswith("selection")
        alone = one = select_alone(data) if is_selection else search_alone(tasks, parts)
        print_speed(case, "none", alone, alone, 0)
        for number in numbers:
            with start(number, given.dask) as workers, TaskQueue(workers, print) as queue:
                pool = Pool(queue, folder, parcel)
                prepare_workers(pool, AutoSearch(), lambda: True)
                speed = select_on(pool, data) if is_selection else search_on(pool, tasks)
            one = speed if number == numbers[0] else one
            print_speed(case, str(number), speed, one, number // numbers[0])
            if number == 1:
                cpu = (speed.worker_seconds + speed.driver_seconds) / alone.worker_seconds - 1
                print(f"{case:20} overhead: {alone.rate / speed.rate - 1:.1%} of the time, {cpu:.1%} of the CPU time")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="numbers of workers")
    parser.add_argument("--steps", type=int, default=30, help="steps of each round of an island, for each variable")
    parser.add_argument("--dask", action="store_true", help="use a local Dask cluster instead of a process pool")
    parser.add_argument("--arrays", type=Path, help="folder of .npz files")
    parser.add_argument("--only", help="measure the cases whose names contain this text")
    given = parser.parse_args()
    tables = Tables(given.arrays)
    cases = {"selection bbc.train": "bbc.train", "islands bbc.test": "bbc.test", "islands tmovie.test": "tmovie.test"}
    print(f"{'case':20} workers {'per second':>13} efficiency {'per CPU s':>13} CPU efficiency {'CPU s':>7}  driver")
    for case, table in cases.items():
        if given.only is None or given.only in case:
            measure(case, tables.load(table), given)


if __name__ == "__main__":
    main()
