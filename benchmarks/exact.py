"""
Measure the upper bounds of cluster inequalities, on one thread.

For each table, the program prints the numbers of variables and parent sets, the number of sets left after fixing by
reduced costs, the CPU seconds, the bound, its gap to the best known score, and the gap after shorter times. The best
known score is that of a short RINOBS search or of an earlier one, whichever is higher. Score files and networks are
read from BNSEARCH_DATA or ../shared/data. The candidate tables of networks contain all sets of up to 3 parents under
BIC, from 10,000 rows.
"""

from __future__ import annotations

import argparse
import time

from bnsearch.budgets.budget import Budget
from bnsearch.exact import DualAscent
from bnsearch.learning.methods import make_method
from bnsearch.learning.search import search
from bnsearch.parent_sets import ParentSets
from bnsearch.parent_sets.jkl import read_scores
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Seconds
from bnsearch.scores import BIC
from bnsearch.selection import Sequential
from counting import data_folder, load
from orderings import FILES

NETWORKS = ("alarm", "insurance", "hailfinder", "hepar2", "win95pts")
SCORE_FILES = (
    "plants.is6",
    "tmovie.m16k4",
    "bbc.is6",
    "accidents.is6",
    "steel_BIC",
    "soybean_BIC",
    "diabetes_1000",
)
# Best scores of longer searches with RINOBS.
BEST = {
    "plants.is6": -48930.5804,
    "tmovie.m16k4": -33717.177379,
    "bbc.is6": -84620.1389,
    "accidents.is6": -73524.5768,
    "steel_BIC": -18805.522906,
    "soybean_BIC": -3122.0629826,
    "diabetes_1000": -270185.485861,
}
MARKS = (1.0, 5.0, 20.0, 60.0)


def make_table(name: str) -> ParentSets:
    """Return the candidate table with this name."""
    if name in FILES:
        return read_scores(data_folder() / "scores" / FILES[name])
    return Sequential(max_parents=3, seconds=300).select(load(name), BIC()).table


def measure(name: str, seconds: float, search_seconds: float) -> None:
    """Print one line for a table."""
    table = make_table(name)
    found = search(Problem(table=table), make_method("rinobs"), stop=Seconds(search_seconds), seed=1, threads=1)
    best = max(found.score, BEST.get(name, found.score))
    began = time.process_time()
    ascent = DualAscent(table)
    gaps = []
    for mark in [*(mark for mark in MARKS if mark < seconds), seconds]:
        remaining = mark - (time.process_time() - began)
        ascent.improve(Budget(remaining, clock=time.process_time), best)
        gaps.append(f"{mark:g} s {100 * (ascent.bound.value - best) / abs(best):.4f}")
    took = time.process_time() - began
    bound = ascent.bound
    left = int(bound.mark_open_rows(table, best).sum())
    print(
        f"{name:14} {table.n_variables:6,} {table.n_sets:9,} {left:9,} {took:8.2f} {bound.value:16.4f} "
        f"{100 * (bound.value - best) / abs(best):9.4f}  {len(bound.orders):,} clusters; {', '.join(gaps)}",
        flush=True,
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=[*NETWORKS, *SCORE_FILES])
    parser.add_argument("--seconds", type=float, default=20.0, help="CPU seconds for each bound")
    parser.add_argument("--search-seconds", type=float, default=10.0, help="seconds of the search for a network")
    arguments = parser.parse_args()
    small = read_scores(data_folder() / "scores" / "iris_BIC.txt")
    DualAscent(small).improve(Budget(60))  # compiles or loads the kernels
    search(Problem(table=small), make_method("rinobs"), stop=Seconds(0.2), threads=1)
    print(f"{'table':14} {'vars':>6} {'sets':>9} {'left':>9} {'seconds':>8} {'bound':>16} {'gap %':>9}")
    for name in arguments.tables:
        measure(name, arguments.seconds, arguments.search_seconds)


if __name__ == "__main__":
    main()
