"""
Count what checkpoints and executors add to a run that uses neither, and list what the run imports of them.

A run without a checkpoint and without an executor executes only this code of them: it reads `run.checkpoint`, which is
None, and it takes the locks that let another thread copy a chain or an enumeration. The program counts both during a
run of `learn`, measures the time of each, and prints the share of the run. The share is far below what a comparison of
two runs could show, because two runs of the same code differ by several percent.

    python benchmarks/default_path.py --seconds 10
"""

from __future__ import annotations

import argparse
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bnsearch
import bnsearch.ondemand.chain as chain_module
import bnsearch.selection.walk as walk_module
from bnsearch.runs.run import Run
from threads import Tables

PACKAGES = "bnsearch.distributed", "bnsearch.checkpoints", "distributed", "dask", "mpi4py", "ray", "loky"
MODULES = "multiprocessing.pool", "concurrent.futures.process"
REPEATS = 1_000_000


class CountingLock:
    """A lock that counts how often it is taken; each kind of lock has one counter."""

    taken = 0

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        self._lock.acquire()
        CountingLock.taken += 1

    def __exit__(self, *_: object) -> None:
        self._lock.release()


class CountedValue:
    """The attribute `checkpoint` of runs, which counts how often it is read."""

    reads = 0

    def __get__(self, run: Any, _: type | None = None) -> None:
        CountedValue.reads += 1

    def __set__(self, run: Any, value: object) -> None:
        assert value is None


def count(data: bnsearch.Dataset, seconds: float, threads: int) -> float:
    """Run `learn` with counters, and return its elapsed time."""
    locks = SimpleNamespace(**{**vars(threading), "RLock": CountingLock, "Lock": CountingLock})
    chain_module.threading = walk_module.threading = locks  # type: ignore[assignment, attr-defined]
    Run.checkpoint = CountedValue()  # type: ignore[assignment]
    return bnsearch.learn(data, seconds=seconds, seed=1, threads=threads).seconds


def measure_lock() -> float:
    """Return the seconds for taking and releasing a lock."""
    lock = threading.RLock()
    started = time.perf_counter()
    for _ in range(REPEATS):
        with lock:
            pass
    return (time.perf_counter() - started) / REPEATS


def measure_read() -> float:
    """Return the seconds for reading an attribute and comparing it with None."""
    run = SimpleNamespace(checkpoint=None)
    started = time.perf_counter()
    for _ in range(REPEATS):
        if run.checkpoint is not None:
            raise AssertionError
    return (time.perf_counter() - started) / REPEATS


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=["accidents.test", "bbc.test"])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--arrays", type=Path, help="folder of .npz files, instead of the public tables")
    given = parser.parse_args()
    for table in given.tables:
        CountingLock.taken = CountedValue.reads = 0
        elapsed = count(Tables(given.arrays).load(table), given.seconds, given.threads)
        cost = CountingLock.taken * measure_lock() + CountedValue.reads * measure_read()
        print(
            f"{table}: {elapsed:.1f} s, run.checkpoint was read {CountedValue.reads} times, locks were taken "
            f"{CountingLock.taken} times: {cost * 1e3:.3f} ms, {cost / elapsed:.5%} of the time",
            flush=True,
        )
    names = [name for name in sys.modules if name in MODULES or name.startswith(tuple(f"{p}." for p in PACKAGES))]
    print(
        "imported modules of executors and checkpoints:",
        ", ".join([*names, *(p for p in PACKAGES if p in sys.modules)]) or "none",
    )


if __name__ == "__main__":
    main()
