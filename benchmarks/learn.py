"""
Measure the effect of the order of the columns on `learn`, and the time of `bnsearch learn` from the shell.

The plans in `experiments/own` compare `learn` with other methods and programs, and its budgets with each other. Tables
are read from BNSEARCH_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bnsearch import learn
from bnsearch.data import Dataset
from bnsearch.networks import load_network, sample
from counting import data_folder

ROWS = 10_000


def load_table(name: str) -> Dataset:
    """Return a sample of a network."""
    return sample(load_network(str(data_folder() / "networks" / f"{name}.bif.gz")), ROWS, 1)


def find_score(data: Dataset, seconds: float) -> float:
    """Return the score of the network that `learn` finds on one thread."""
    return learn(data, seconds=seconds, seed=1, threads=1).score


def measure_permutations(seconds: float) -> None:
    """Measure the effect of the order of the columns."""
    for name in ("alarm", "win95pts"):
        data = load_table(name)
        scores = []
        for seed in range(5):
            order = np.random.default_rng(seed).permutation(data.n_variables)
            scores.append(find_score(data.select([data.names[i] for i in order]), seconds))
        spread = (max(scores) - min(scores)) / abs(max(scores))
        print(f"{name}: five orders of the columns, {min(scores):.3f} to {max(scores):.3f}, {100 * spread:.5f}%")


def measure_start() -> None:
    """Measure the time to the first result from the shell with cached kernels; any network reaches the target."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "alarm.csv"
        load_table("alarm").write(path)
        for _ in range(3):
            began = time.perf_counter()
            call = [sys.executable, "-m", "bnsearch", "learn", str(path), "--target", "-1e9", "--json"]
            subprocess.run(call, check=True, capture_output=True)
            print(f"bnsearch learn alarm.csv --target -1e9: {time.perf_counter() - began:.2f} s")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="time budget of each order of the columns")
    arguments = parser.parse_args()
    find_score(sample(load_network("asia"), 500, 1), 2.0)  # compiles or loads the kernels
    measure_start()
    measure_permutations(arguments.seconds)


if __name__ == "__main__":
    main()
