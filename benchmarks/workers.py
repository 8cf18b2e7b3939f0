"""
Measure candidate selection and islands on worker processes, and the overhead of the executor.

The program measures families per second of the selection of all pairs of parents, and islands in three ways:

steps : steps per second of rounds with a number of steps, which the queue gives to the workers
apart : the same rounds, which each worker makes one after the other. The processes of a machine share its memory and
    caches, so the efficiency of islands apart is the most that the queue can reach
time : CPU milliseconds per second of the workers in the rounds of `learn` under a time budget, with the exchange of
    networks and families. Their steps are of several kinds, whose shares depend on the time, so they are not counted

The work of a selection is the same for all numbers of workers, that of islands is the same for each worker. "none" is
the work of one worker without an executor, on one thread. The efficiency is the speed with N workers, divided by N
times the speed with one worker. Other programs on the machine change the wall-clock time, so the same numbers are also
given by the CPU time of the workers. The last column has the CPU seconds of the driver. The overhead is the additional
time of one worker and its driver compared with no executor. Tables are read from BNSEARCH_DATA or ../shared/data, or
with --arrays from files NAME.npz with the arrays `codes` (variables x rows) and `arities`.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass, replace
from pathlib import Path

from bnsearch.data import Dataset
from bnsearch.distributed.island_rounds import MAX_EXCHANGED, IslandRounds
from bnsearch.distributed.island_tasks import IslandTask, search_island
from bnsearch.distributed.networks import ScoredNetwork, describe_network, list_best_families
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
from bnsearch.ondemand.source import Source
from bnsearch.parent_sets.rows import Families
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
from bnsearch.scores import BIC
from bnsearch.selection import Sequential
from threads import Tables

MEMORY = 1 << 28  # bytes for each island: the default of `learn` with 16 workers
FIRST_SECONDS = 10.0  # time budget of the first climb
TASKS_PER_WORKER = 4  # rounds of islands by steps for each worker
REPEATS = 2  # selections with each number of workers, of which the fastest counts
CASES = ("selection", "bbc.train"), ("islands", "bbc.test"), ("islands", "tmovie.test")


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


@dataclass(frozen=True)
class Start:
    """The problem, as kernels take it, and the network of a first climb, with which all islands begin."""

    problem: Problem
    source: Source
    network: ScoredNetwork
    families: Families

    @classmethod
    def climb(cls, problem: Problem) -> Start:
        """Return the start of a problem, after the first climb."""
        run = Run(Seconds(FIRST_SECONDS), seed=1, memory=MEMORY)
        model = IslandModel(problem, run, 1, MEMORY)
        model.start()
        chain = model.islands[0].chain
        network = describe_network(chain.best_parents(), chain.best_scores())
        families = list_best_families(chain.families(), problem.size, MAX_EXCHANGED)
        return cls(problem, model.source, network, families)

    def make_tasks(self, key: str, steps: int) -> list[IslandTask]:
        """Return the rounds by steps of one worker, which begin with the network."""
        task = IslandTask(
            run=1, key=key, seed=0, network=self.network, families=self.families, memory=MEMORY, on_demand_only=False,
            steps=steps,
        )  # fmt: skip
        return [replace(task, seed=seed) for seed in range(TASKS_PER_WORKER)]

    def make_rounds(self, pool: Pool, run: Run) -> IslandRounds:
        """Return the rounds of `learn` with islands that begin with the network."""
        keeper = IslandModel(self.problem, run, 1, MEMORY, source=self.source).islands[0]
        keeper.add_network(self.network.make_dag(self.problem.names), self.network.scores)
        return IslandRounds(pool, run, keeper, MEMORY, on_demand_only=False)


def search_several(tasks: list[IslandTask], parts: Parts) -> int:
    """Make some rounds one after the other, and return the number of steps; this function runs on a worker."""
    return sum(search_island(task, parts).iterations for task in tasks)


def search_alone(tasks: list[IslandTask], parts: Parts) -> Speed:
    """Return the speed of islands without an executor."""
    search_island(replace(tasks[0], steps=1), parts)  # counts the pairs of variables, once in a process
    started, cpu = time.perf_counter(), time.process_time()
    steps = search_several(tasks, parts)
    cpu = time.process_time() - cpu
    return Speed(steps, time.perf_counter() - started, cpu, 0.0)


def search_steps(pool: Pool, tasks: list[IslandTask]) -> Speed:
    """Return the speed of rounds that the queue gives to the workers."""
    clocks = prepare_islands(pool, tasks[0])
    reports = pool.queue.map(search_island, tasks * pool.queue.workers.number, [pool.problem]) or []
    return clocks.stop(sum(report.iterations for report in reports))


def search_apart(pool: Pool, tasks: list[IslandTask]) -> Speed:
    """Return the speed of workers that make their rounds without the queue."""
    clocks = prepare_islands(pool, tasks[0])
    found = pool.queue.map(search_several, [tasks] * pool.queue.workers.number, [pool.problem]) or []
    return clocks.stop(sum(found))


def search_rounds(pool: Pool, tasks: list[IslandTask], start: Start, seconds: float) -> Speed:
    """Return the CPU milliseconds per second of islands by time, with the exchange between rounds."""
    clocks = prepare_islands(pool, tasks[0])
    run = Run(Seconds(2.0 * seconds), seed=1, memory=MEMORY)  # the rest of the time is for the last reports
    start.make_rounds(pool, run).search_seconds(seconds, lambda: None)
    found = clocks.stop(0)
    return replace(found, work=int(1000 * found.worker_seconds))


def prepare_islands(pool: Pool, task: IslandTask) -> Clocks:
    """Count the pairs of variables on all workers, then start the clocks."""
    pool.queue.map(search_island, [replace(task, steps=1)] * (4 * pool.queue.workers.number), [pool.problem])
    return Clocks(pool.queue)


def start(number: int, dask: bool) -> Workers:
    """Return worker processes, or Dask workers."""
    return DaskWorkers(f"local:{number}") if dask else ProcessWorkers(number)


class Report:
    """
    Prints a line for each number of workers.

    Parameters
    ----------
    case : name of the measurement
    """

    def __init__(self, case: str) -> None:
        self._case = case
        self._alone: Speed | None = None
        self._first: tuple[int, Speed] | None = None  # the smallest number of workers and its speed

    def add_alone(self, speed: Speed) -> None:
        """Print the speed without an executor."""
        self._alone = speed
        self._print("none", speed, " " * 10, " " * 14)

    def add(self, number: int, speed: Speed) -> None:
        """Print the speed with a number of workers, and the overhead of one worker."""
        fewest, first = self._first = self._first or (number, speed)
        efficiency = speed.rate * fewest / number / max(1e-9, first.rate)
        self._print(str(number), speed, f"{efficiency:10.2f}", f"{speed.cpu_rate / max(1e-9, first.cpu_rate):14.2f}")
        if number == 1 and self._alone is not None:
            time_of_one, cpu = speed.seconds, speed.worker_seconds + speed.driver_seconds
            share = time_of_one / self._alone.seconds - 1, cpu / self._alone.worker_seconds - 1
            print(f"{self._case:20} overhead: {share[0]:.1%} of the time, {share[1]:.1%} of the CPU time", flush=True)

    def _print(self, workers: str, speed: Speed, efficiency: str, cpu_efficiency: str) -> None:
        seconds = f"{speed.seconds:7.2f} {speed.worker_seconds:7.2f} {speed.driver_seconds:7.2f}"
        rates = f"{speed.rate:13,.0f} {efficiency} {speed.cpu_rate:13,.0f} {cpu_efficiency}"
        print(f"{self._case:20} {workers:>7} {rates} {seconds}", flush=True)


def measure_selection(table: str, data: Dataset, given: argparse.Namespace) -> None:
    """Measure a selection without an executor and with several numbers of workers, and print the results."""
    load_selection_kernels(Problem(data=data, score=BIC()), 1)
    report = Report(f"selection {table}")
    report.add_alone(select_alone(data))
    with ParcelFolder() as folder:
        for number in sorted(given.workers):
            with start(number, given.dask) as workers, TaskQueue(workers, print) as queue:
                pool = Pool(queue, folder, folder.write((data, BIC(), None)))
                prepare_workers(pool, AutoSearch(), lambda: True)
                report.add(number, max((select_on(pool, data) for _ in range(REPEATS)), key=lambda speed: speed.rate))


def measure_islands(table: str, data: Dataset, given: argparse.Namespace) -> None:
    """Measure islands with several numbers of workers, and print the results."""
    problem = Problem(data=data, score=BIC())
    load_kernels(problem, AutoSearch())
    parts: Parts = (data, BIC(), None)
    begin = Start.climb(problem)
    by_steps, apart, by_time = (Report(f"{table} {kind}") for kind in ("steps", "apart", "time"))
    with ParcelFolder() as folder:
        parcel = folder.write(parts)
        tasks = begin.make_tasks(parcel.key, given.steps * problem.size)
        by_steps.add_alone(search_alone(tasks, parts))
        for number in sorted(given.workers):
            with start(number, given.dask) as workers, TaskQueue(workers, print) as queue:
                pool = Pool(queue, folder, parcel)
                prepare_workers(pool, AutoSearch(), lambda: True)
                by_steps.add(number, search_steps(pool, tasks))
                apart.add(number, search_apart(pool, tasks))
                by_time.add(number, search_rounds(pool, tasks, begin, given.seconds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2], help="numbers of workers")
    parser.add_argument("--steps", type=int, default=10, help="steps of a round for each variable")
    parser.add_argument("--seconds", type=float, default=3.0, help="time of the islands by time")
    parser.add_argument("--dask", action="store_true", help="use a local Dask cluster instead of a process pool")
    parser.add_argument("--arrays", type=Path, help="folder of .npz files")
    parser.add_argument("--only", help="measure the cases whose names contain this text")
    given = parser.parse_args()
    tables = Tables(given.arrays)
    heading = f"{'per second':>13} efficiency {'per CPU s':>13} CPU efficiency"
    print(f"{'case':20} workers {heading} {'seconds':>7} {'CPU s':>7}  driver")
    for kind, table in CASES:
        if given.only is None or given.only in f"{kind} {table}":
            (measure_selection if kind == "selection" else measure_islands)(table, tables.load(table), given)


if __name__ == "__main__":
    main()
