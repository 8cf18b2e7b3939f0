"""
Compile the kernels of all methods in parallel processes, so that the tests find them in Numba's cache.

    python tools/compile_kernels.py

Test processes that start at the same time need the same kernels first, and would all compile them. Here each method is
compiled once: a process for each core runs one method after the other on a small table. Some tests have kernels of
their own that contain those of a method; the process of that method runs them, because it has already compiled most of
what they contain.
"""

from __future__ import annotations

import contextlib
import gc
import io
import multiprocessing
import os
import time
from pathlib import Path

import numpy as np

from bnsearch.data import Dataset
from bnsearch.learning.learn import learn
from bnsearch.learning.methods import METHODS

ROOT = Path(__file__).parents[1]
LAST = "auto"  # uses the kernels of other methods, so it is compiled after them
LONGEST = ("ginobs", "rinobs", "ges", "miiga", "exact")  # methods with many kernels, compiled first
TESTS = {"ginobs": "tests/ondemand/test_growth.py", "rinobs": "tests/orderings/test_insertions.py"}


def prepare() -> None:
    """Prepare a process that compiles: with Python's defaults, garbage collection would be a sixth of the time."""
    gc.set_threshold(100_000, 20, 20)


def compile_method(name: str) -> str:
    """Run a method on a small table, and the tests that contain its kernels; return the name and the time."""
    started = time.perf_counter()
    codes = np.random.default_rng(1).integers(2, size=(100, 8)).cumsum(axis=1) % 3
    learn(Dataset.from_codes(codes), method=name, seconds=0.1, seed=1, threads=1)
    if name in TESTS:
        run_tests(TESTS[name])
    return f"{name} {time.perf_counter() - started:.0f} s"


def run_tests(path: str) -> None:
    """Run tests with few examples."""
    import pytest

    os.environ["HYPOTHESIS_PROFILE"] = "compile"
    with contextlib.redirect_stdout(io.StringIO()) as output:
        status = pytest.main(["-x", "-p", "no:cacheprovider", str(ROOT / path)])
    if status:
        raise RuntimeError(output.getvalue())


def main() -> None:
    """Compile all methods."""
    others = sorted(set(METHODS) - {LAST, *LONGEST})
    with multiprocessing.get_context("spawn").Pool(os.cpu_count(), prepare) as pool:
        done = list(pool.imap_unordered(compile_method, [*LONGEST, *others], chunksize=1))
        done.append(pool.apply(compile_method, (LAST,)))
    print("compiled kernels:", ", ".join(done))


if __name__ == "__main__":
    main()
