"""
Compile the kernels of all methods in parallel processes, so that the tests find them in Numba's cache.

    python tools/compile_kernels.py

Test processes that start at the same time need the same kernels first, and would all compile them. Here each method is
compiled once: a process for each core runs one method after the other on a small table.
"""

from __future__ import annotations

import multiprocessing
import os
import time

import numpy as np

from bnsearch.data import Dataset
from bnsearch.learning.learn import learn
from bnsearch.learning.methods import METHODS

LAST = "auto"  # uses the kernels of other methods, so it is compiled after them
LONGEST = ("ginobs", "rinobs", "ges", "miiga", "exact")  # methods with many kernels, compiled first


def compile_method(name: str) -> str:
    """Run a method on a small table; return the name and the time."""
    started = time.perf_counter()
    codes = np.random.default_rng(1).integers(2, size=(100, 8)).cumsum(axis=1) % 3
    learn(Dataset.from_codes(codes), method=name, seconds=0.1, seed=1, threads=1)
    return f"{name} {time.perf_counter() - started:.0f} s"


def main() -> None:
    """Compile all methods."""
    others = sorted(set(METHODS) - {LAST, *LONGEST})
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        done = list(pool.imap_unordered(compile_method, [*LONGEST, *others], chunksize=1))
        done.append(pool.apply(compile_method, (LAST,)))
    print("compiled kernels:", ", ".join(done))


if __name__ == "__main__":
    main()
