"""
Check claims of two papers on searches over orderings, on one thread.

Lee & van Beek (2017): INOBS is better than OBS and ASOBS; IINOBS is better than MINOBS early, MINOBS late. Perez & Maua
(2016): OBS reaches better average scores from FAS starts than from random ones. Every line shows two means over seeds
and the standard error of their difference.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from bnsearch.learning.methods import make_method
from bnsearch.learning.search import search
from bnsearch.orderings.index import Index
from bnsearch.orderings.obs import SwapClimber
from bnsearch.orderings.starts import make_starts
from bnsearch.orderings.state import ScoredOrdering
from bnsearch.parent_sets import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Seconds
from orderings import FILES, table_of

TABLES = ("soybean_BIC", "steel_BIC", "plants.is6", "accidents.is6", "diabetes_1000", "tmovie.m16k4", "bbc.is6")


def compare(label: str, first: ArrayLike, second: ArrayLike) -> None:
    """Print two means, and whether the first is higher."""
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    error = float(np.sqrt(a.var(ddof=1) / len(a) + b.var(ddof=1) / len(b)))
    difference = float(a.mean() - b.mean())
    verdict = "holds" if difference > 2 * error else "tie" if abs(difference) <= 2 * error else "does not hold"
    print(f"  {label:34} {a.mean():14.2f} {b.mean():14.2f}  difference {difference:+.2f} +- {error:.2f}: {verdict}")


def scores_over_time(table: ParentSets, method: str, seconds: float, seeds: int, marks: Sequence[float]) -> np.ndarray:
    """Return the best score of each seed at each time."""
    runs = [
        search(Problem(table=table), make_method(method), stop=Seconds(seconds), seed=s, threads=1)
        for s in range(seeds)
    ]
    return np.array([[run.trace.score_at(mark) for mark in marks] for run in runs])


def obs_climbs(table: ParentSets, start: str, climbs: int) -> list[float]:
    """Return the scores of OBS climbs from one kind of start, without a tabu list as in Perez & Maua."""
    index, rng = Index(table), np.random.default_rng(0)
    draw, climber = make_starts(start, table), SwapClimber(index)
    found: list[ScoredOrdering] = [
        climber.climb(draw(rng), rng, tabu=0, max_steps=500, ties="first") for _ in range(climbs)
    ]
    return [optimum.score for optimum in found]


def main() -> None:
    """Run the comparisons."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--early", type=float, default=1.0)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--climbs", type=int, default=200)
    arguments = parser.parse_args()
    marks = (arguments.early, arguments.seconds)
    methods = ("obs", "asobs", "inobs", "iinobs", "minobs")
    small = table_of("soybean_BIC", 0.0)
    for method in methods:
        search(Problem(table=small), make_method(method), stop=Seconds(0.2), threads=1)  # compiles or loads the kernels
    for name in arguments.tables:
        assert name in FILES, f"unknown table {name}; the tables are {', '.join(FILES)}"
        table = table_of(name, 0.0)
        found = {m: scores_over_time(table, m, arguments.seconds, arguments.seeds, marks) for m in methods}
        print(f"{name} ({table.n_variables} variables, {table.n_sets:,} sets)")
        compare(f"INOBS over OBS, {marks[1]:g} s", found["inobs"][:, 1], found["obs"][:, 1])
        compare(f"INOBS over ASOBS, {marks[1]:g} s", found["inobs"][:, 1], found["asobs"][:, 1])
        compare(f"IINOBS over MINOBS, {marks[0]:g} s", found["iinobs"][:, 0], found["minobs"][:, 0])
        compare(f"MINOBS over IINOBS, {marks[1]:g} s", found["minobs"][:, 1], found["iinobs"][:, 1])
        climbs = {start: obs_climbs(table, start, arguments.climbs) for start in ("random", "dfs", "fas")}
        compare("OBS climbs, FAS over random starts", climbs["fas"], climbs["random"])
        compare("OBS climbs, DFS over random starts", climbs["dfs"], climbs["random"])


if __name__ == "__main__":
    main()
