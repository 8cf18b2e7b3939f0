"""
Measure how much faster several cores of a machine can be than one: the ceiling of every speed-up by threads.

Cores share caches, memory and power, and two of them may be threads of one physical core. So N independent processes,
which never wait for each other, are less than N times as fast as one. For each case of `threads.py` and each number N,
the program starts N processes. All of them run the case on one thread, at the same time, several times. The speed of a
process is its time alone divided by its time in company; the ceiling is the sum of these speeds. Threads that do the
same work together may share data in caches, so they can be slightly above the ceiling in theory.

    python benchmarks/ceiling.py sequential-accidents sequential-bbc --processes 1 8 16
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path
from statistics import median

from threads import Tables, cases

DEFAULT_CASES = "sequential-accidents", "sequential-baudio", "sequential-bbc"


@dataclass(frozen=True)
class Timing:
    """Median wall-clock and CPU time of a case in one process."""

    seconds: float
    cpu: float


@dataclass(frozen=True)
class Work:
    """What each process does: cases, number of repetitions, folder of tables, and what the others wait for."""

    names: tuple[str, ...]
    repeats: int
    arrays: Path | None
    start: Barrier

    def measure(self) -> list[Timing]:
        """Run all cases, each at the same time as the other processes."""
        timings = []
        for name in self.names:
            case = cases(Tables(self.arrays))[name]()
            case(1)  # loads the kernels and the table
            self.start.wait()
            seconds, cpu = [], []
            for _ in range(self.repeats):
                before = time.process_time()
                seconds.append(case(1)[0])
                cpu.append(time.process_time() - before)
            self.start.wait()  # the next table is read when all processes are ready
            timings.append(Timing(median(seconds), median(cpu)))
        return timings


def run_work(work: Work, results: object) -> None:
    """Put the timings of one process into a queue; this function runs in that process."""
    results.put(work.measure())  # type: ignore[attr-defined]


def measure_together(number: int, given: argparse.Namespace) -> list[list[Timing]]:
    """Return the timings of each case in each of several processes."""
    context = get_context("spawn")
    results = context.Queue()
    work = Work(tuple(given.cases), given.repeats, given.arrays, context.Barrier(number))
    processes = [context.Process(target=run_work, args=(work, results)) for _ in range(number)]
    for process in processes:
        process.start()
    timings = [results.get() for _ in processes]
    for process in processes:
        process.join()
    return [list(of_case) for of_case in zip(*timings, strict=True)]


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", default=list(DEFAULT_CASES), help="names of cases of threads.py")
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2], help="numbers of processes, one first")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--arrays", type=Path, help="folder of .npz files, instead of the public tables")
    given = parser.parse_args()
    alone: list[float] = []
    for number in sorted({1, *given.processes}):
        together = measure_together(number, given)
        alone = alone or [of_case[0].seconds for of_case in together]
        for name, of_case, single in zip(given.cases, together, alone, strict=True):
            seconds, cpu = median(t.seconds for t in of_case), median(t.cpu for t in of_case)
            ceiling = sum(single / t.seconds for t in of_case)
            print(
                f"{name:22} {number:3} processes {seconds:7.3f} s {cpu:7.3f} s CPU  ceiling {ceiling:6.2f}", flush=True
            )


if __name__ == "__main__":
    main()
