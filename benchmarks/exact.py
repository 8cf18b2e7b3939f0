"""
Measure upper bounds and proofs, on one thread.

For each table, the program prints the numbers of variables and parent sets, the number of sets left after fixing by
reduced costs, the CPU seconds, the bound, its gap to the best known score, and the gap after shorter times. Dual ascent
is followed by branch and cut, unless `--dual` is given. The best known score is that of a short RINOBS search or of an
earlier one, whichever is higher. Score files and networks are read from BNSEARCH_DATA or ../shared/data. The candidate
tables of networks contain all sets of up to 3 parents under BIC, from 10,000 rows.

The last columns have the seconds that papers report for the same score files (PUBLISHED); - means that none is known
here. Trösser, de Givry & Katsirelos (2021, Improved acyclicity reasoning for Bayesian network structure learning with
constraint programming) compare GOBNILP, CPBayes and ELSA on many score files. Lee & van Beek (2017) ran GOBNILP 1.6.2
for 12 hours on an AMD Opteron 275 with 2.2 GHz, and report scores, not times.
"""

from __future__ import annotations

import argparse
import math
import time

from bnsearch.budgets.budget import Budget
from bnsearch.exact.cut_bound import CutBound
from bnsearch.exact.incumbents import find_rows
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.exact.warm_up import load_bound_kernels, load_cut_kernels
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
MARKS = (1.0, 5.0, 10.0, 20.0, 60.0)
DUAL_SHARE = 0.15  # share of the time for dual ascent if branch and cut follows
# Seconds of GOBNILP, CPBayes and ELSA by score file, and the machine, from the papers above.
PUBLISHED: dict[str, tuple[str, str, str, str]] = {}


def make_table(name: str) -> ParentSets:
    """Return the candidate table with this name."""
    if name in FILES:
        return read_scores(data_folder() / "scores" / FILES[name])
    return Sequential(max_parents=3, seconds=300).select(load(name), BIC()).table


def measure(name: str, seconds: float, search_seconds: float, with_cuts: bool) -> None:
    """Print one line for a table."""
    table = make_table(name)
    found = search(Problem(table=table), make_method("rinobs"), stop=Seconds(search_seconds), seed=1, threads=1)
    best = max(found.score, BEST.get(name, found.score))
    began = time.process_time()
    ascent, cuts, value = PricedAscent(table), None, math.inf
    gaps = []
    for mark in [*(mark for mark in MARKS if mark < seconds), seconds]:
        if with_cuts and cuts is None and (mark > DUAL_SHARE * seconds or ascent.converged):
            ascent.improve(make_budget(began + DUAL_SHARE * seconds), best)
            rows = find_rows(table, found.dag)
            assert rows is not None
            cuts = CutBound(table, rows, ascent.bound)
        value = (
            ascent.improve(make_budget(began + mark), best).value
            if cuts is None
            else cuts.improve(make_budget(began + mark))
        )
        best = best if cuts is None else max(best, table.scores[cuts.rows].sum())
        gaps.append(f"{mark:g} s {100 * (value - best) / abs(best):.4f}")
        if not value > best + 1e-9 * abs(best):
            break
    took = time.process_time() - began
    left = int(ascent.bound.mark_open_rows(table, best).sum())
    published = " ".join(f"{each:>8}" for each in PUBLISHED.get(name, ("-", "-", "-", "-")))
    print(
        f"{name:14} {table.n_variables:6,} {table.n_sets:9,} {left:9,} {took:8.2f} {value:16.4f} "
        f"{100 * (value - best) / abs(best):9.4f}  {published}  {', '.join(gaps)}",
        flush=True,
    )


def make_budget(end: float) -> Budget:
    """Return a budget that ends at a CPU time."""
    return Budget(max(0.0, end - time.process_time()), clock=time.process_time)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=[*NETWORKS, *SCORE_FILES])
    parser.add_argument("--seconds", type=float, default=20.0, help="CPU seconds for each bound")
    parser.add_argument("--search-seconds", type=float, default=10.0, help="seconds of the search for a network")
    parser.add_argument("--dual", action="store_true", help="dual ascent only, no branch and cut")
    arguments = parser.parse_args()
    small = read_scores(data_folder() / "scores" / "iris_BIC.txt")
    load_bound_kernels()
    load_cut_kernels()
    search(Problem(table=small), make_method("rinobs"), stop=Seconds(0.2), threads=1)
    print(
        f"{'table':14} {'vars':>6} {'sets':>9} {'left':>9} {'seconds':>8} {'bound':>16} {'gap %':>9}  "
        f"{'GOBNILP':>8} {'CPBayes':>8} {'ELSA':>8} {'machine':>8}"
    )
    for name in arguments.tables:
        measure(name, arguments.seconds, arguments.search_seconds, not arguments.dual)


if __name__ == "__main__":
    main()
