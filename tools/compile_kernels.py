"""
Compile the kernels of all methods in parallel processes, so that the tests find them in Numba's cache.

    python tools/compile_kernels.py [--share 2]

Test processes that start at the same time need the same kernels first, and would all compile them. Here each kernel is
compiled once: a process for each core compiles one group of kernels after the other. Some tests have kernels of their
own that contain those of a group; the process of that group runs them, because it has already compiled most of what
they contain. Methods follow, most of whose kernels are then in the cache.

`--share 2` uses half of the cores. If two builds are compiled at the same time, this takes less time in total: kernels
that only other kernels call are not cached, and each process compiles those that it needs.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import multiprocessing
import os
import time
from pathlib import Path

import numpy as np

from bnsearch.data import Dataset
from bnsearch.learning.compilation import GROUPS, compile_group, make_tiny_problem
from bnsearch.learning.learn import learn
from bnsearch.learning.methods import METHODS
from bnsearch.scores import BIC

ROOT = Path(__file__).parents[1]
TESTS = {"chain": "tests/ondemand/test_growth.py", "table": "tests/orderings/test_insertions.py"}
LONGEST = ("exact", "miiga")  # methods with many kernels that are in no group
LATER = ("ginobs", "rinobs", "ges", "tabu", "hillclimb", "auto")  # methods whose kernels are in groups


def prepare() -> None:
    """Prepare a process that compiles: with Python's defaults, garbage collection would be a tenth of the time."""
    gc.set_threshold(100_000, 20, 20)


def compile_kernels(name: str) -> str:
    """Compile a group or a method, and the tests that contain its kernels; return the name and the time."""
    started = time.perf_counter()
    if name in GROUPS:
        compile_group(name, make_tiny_problem(1, BIC()))
    else:
        codes = np.random.default_rng(1).integers(2, size=(100, 8)).cumsum(axis=1) % 3
        learn(Dataset.from_codes(codes), method=name, seconds=0.1, seed=1, threads=1)
    if name in TESTS:
        run_tests(TESTS[name])
    return f"{name} {time.perf_counter() - started:.0f} s"


def run_tests(path: str) -> None:
    """Run tests with few examples."""
    import pytest

    os.environ["HYPOTHESIS_PROFILE"] = "compile"
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # pip may be installing plugins at the same time
    with contextlib.redirect_stdout(io.StringIO()) as output:
        status = pytest.main(["-x", "-p", "no:cacheprovider", str(ROOT / path)])
    if status:
        raise RuntimeError(output.getvalue())


def main() -> None:
    """Compile all groups and methods."""
    parser = argparse.ArgumentParser(description="Compile the kernels of all methods.")
    parser.add_argument("--share", type=int, default=1, help="number of builds that are compiled at the same time")
    processes = max(1, (os.cpu_count() or 1) // parser.parse_args().share)
    others = sorted(set(METHODS) - {*LONGEST, *LATER})
    with multiprocessing.get_context("spawn").Pool(processes, prepare) as pool:
        done = pool.map(compile_kernels, [*GROUPS, *LONGEST], chunksize=1)
        done += pool.map(compile_kernels, [*others, *LATER], chunksize=1)
    print("compiled kernels:", ", ".join(done))


if __name__ == "__main__":
    main()
