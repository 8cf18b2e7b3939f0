"""
Measure the searches over orderings, on one thread.

For each table, the program prints the milliseconds and the mean score of an INOBS climb from a random ordering and, if
known, the time of the published C++ program on a machine of this kind. Then it prints the best score of every method
after 1, 10 and 60 seconds. Score files and data are read from BNSEARCH_DATA or ../shared/data. A table named x.auto is
selected from the data x by `Auto`.
"""

from __future__ import annotations

import argparse
import resource
import time

import numpy as np

from bnsearch.learning.methods import make_method
from bnsearch.learning.search import search
from bnsearch.orderings.index import Index
from bnsearch.orderings.inobs import InsertionClimber
from bnsearch.parent_sets import ParentSets
from bnsearch.parent_sets.jkl import read_scores
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Seconds
from bnsearch.scores import BIC
from bnsearch.selection import Auto
from counting import data_folder, load

FILES = {
    "soybean_BIC": "soybean_BIC.txt",
    "steel_BIC": "steel_BIC.txt.gz",
    "diabetes_1000": "diabetes_1000.scores.gz",
    "nltcs.is6": "nltcs.test.is6.jkl.gz",
    "tretail.is6": "tretail.test.is6.jkl.gz",
    "plants.is6": "plants.test.is6.jkl.gz",
    "accidents.is6": "accidents.test.is6-t330.jkl.gz",
    "tmovie.m16k4": "tmovie.test.m16k4.jkl.gz",
    "bbc.is6": "bbc.test.is6.jkl.gz",
}
AUTO = ("plants.test.auto", "accidents.test.auto", "tmovie.test.auto", "bbc.test.auto")
# CPU milliseconds of a hybrid climb of the published program, its best score, and the seconds of that run.
PUBLISHED = {
    "soybean_BIC": (6.6, -3122.063, 10),
    "steel_BIC": (106.0, -18813.438, 20),
    "diabetes_1000": (224.0, -288010.955, 60),
    "nltcs.is6": (4.3, -20078.487, 10),
    "tretail.is6": (6.8, -48807.737, 10),
    "plants.is6": (65.0, -48930.580, 60),
    "accidents.is6": (None, -73524.577, 60),
    "tmovie.m16k4": (677.0, -33831.338, 21),
    "bbc.is6": (1970.0, -84688.669, 300),
}
METHODS = ("obs", "asobs", "inobs", "iinobs", "minobs", "rinobs")
MARKS = (1.0, 10.0, 60.0)


def table_of(name: str, seconds: float) -> ParentSets:
    """Return the candidate table with this name."""
    if name in FILES:
        return read_scores(data_folder() / "scores" / FILES[name])
    return Auto(seconds=seconds).select(load(name.removesuffix(".auto")), BIC()).table


def measure_climbs(name: str, table: ParentSets, climbs: int) -> None:
    """Print the time and the mean score of a climb."""
    climber, rng = InsertionClimber(Index(table)), np.random.default_rng(0)
    climber.climb(rng.permutation(table.n_variables).astype(np.int32), rng)
    seconds, scores = [], []
    for _ in range(climbs):
        order = rng.permutation(table.n_variables).astype(np.int32)
        began = time.process_time()
        found = climber.climb(order, rng)
        seconds.append(time.process_time() - began)
        scores.append(found.score)
    cost = 1e3 * float(np.median(seconds))
    published = PUBLISHED.get(name, (None, None, None))[0]
    against = f"; published {published:g} ms: {published / cost:.0f} times" if published else ""
    print(
        f"{name:20} {table!r}\n{'':20} INOBS climb {cost:8.3f} ms, mean score {np.mean(scores):.1f}{against}",
        flush=True,
    )


def measure_methods(name: str, table: ParentSets, methods: tuple[str, ...], seconds: float, seed: int) -> None:
    """Print the best scores of every method over time."""
    _, score, took = PUBLISHED.get(name, (None, None, None))
    if score is not None:
        print(f"{'':20} {'published':10} {score:.3f} after {took} s", flush=True)
    for method in methods:
        result = search(Problem(table=table), make_method(method), stop=Seconds(seconds), seed=seed, threads=1)
        marks = "  ".join(f"{mark:g} s {result.trace.score_at(mark):.3f}" for mark in MARKS if mark <= seconds)
        print(
            f"{'':20} {method:10} {marks}  ({result.iterations:,} iterations, {result.seconds:.2f} s,"
            f" gap {100 * (result.gap or 0):.3g}%)",
            flush=True,
        )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=[*FILES, *AUTO])
    parser.add_argument("--methods", nargs="*", default=METHODS)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--auto-seconds", type=float, default=20.0, help="seconds for the selection of parent sets")
    parser.add_argument("--climbs", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    small = read_scores(data_folder() / "scores" / "iris_BIC.txt")
    for method in arguments.methods:
        search(Problem(table=small), make_method(method), stop=Seconds(0.2), threads=1)  # compiles or loads the kernels
    for name in arguments.tables:
        table = table_of(name, arguments.auto_seconds)
        measure_climbs(name, table, arguments.climbs)
        measure_methods(name, table, tuple(arguments.methods), arguments.seconds, arguments.seed)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
