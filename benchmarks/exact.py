"""
Measure proofs of exact search and upper bounds, on one thread, in CPU seconds.

For each table, exact search runs until it has a proof or its time is used up. With `--dual`, dual ascent alone searches
for a bound. The program prints the numbers of variables and parent sets, the sets left after fixing by the reduced
costs of a dual ascent (of 2 s without `--dual`), the seconds, the score, the bound, and the gap to the best known
score; then how the proof was found or, with `--dual`, the gap after shorter times. The seconds of exact search include
its search for a first network, but neither reading nor selecting the table. With `--dual`, the best known score is that
of a short RINOBS search or of an earlier one, whichever is higher. Score files and networks are read from BNSEARCH_DATA
or ../shared/data. The candidate tables of networks contain all sets of up to 3 parents under BIC. `barley/1000` has
1,000 rows, `alarm` has 10,000.

The columns before the last have published seconds to the proof (PUBLISHED); - means that none is known here. Those of
GOBNILP 1.6.2, CPBayes and A* (components) come from the runs of the scenario BNSL-2016 of the algorithm selection
library, on one core of an Intel Xeon E5540 with 2.53 GHz, with limits of 2 hours and 30 GB. Their samples of the
networks are not the same as ours, so only orders of magnitude can be compared. ELSA (Trösser, de Givry & Katsirelos
2021, Improved acyclicity reasoning for Bayesian network structure learning with constraint programming) was measured
on some of these score files; its times were not available to us. Lee & van Beek (2017) ran GOBNILP 1.6.2 for 12 hours
on an AMD Opteron 275 with 2.2 GHz, and report scores, not times.
"""

from __future__ import annotations

import argparse
import time

from bnsearch.budgets.budget import Budget
from bnsearch.data import Dataset
from bnsearch.exact import Exact
from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.exact.warm_up import load_bound_kernels, load_cut_kernels, load_order_kernels
from bnsearch.learning.methods import make_method
from bnsearch.learning.search import search
from bnsearch.parent_sets import ParentSets
from bnsearch.parent_sets.jkl import read_scores
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
from bnsearch.scores import BIC
from bnsearch.selection import Sequential
from counting import data_folder, load
from orderings import FILES
from tables import load_table

PROVEN = (
    "child", "water", "insurance", "hepar2", "hailfinder", "alarm", "barley/1000", "mildew/1000", "win95pts",
    "soybean_BIC", "steel_BIC", "diabetes_1000",
)  # fmt: skip
BOUNDED = ("plants.is6", "tmovie.m16k4", "bbc.is6", "accidents.is6", *PROVEN)
# Best scores of longer searches with RINOBS, or proven ones.
BEST = {
    "plants.is6": -48930.5804,
    "tmovie.m16k4": -33717.177379,
    "bbc.is6": -84620.1389,
    "accidents.is6": -73524.5768,
    "steel_BIC": -18805.522906,
    "soybean_BIC": -3122.0629826,
    "diabetes_1000": -268847.007663,
}
MARKS = (1.0, 5.0, 10.0, 20.0, 60.0)
FIXING_SECONDS = 2.0  # time of the dual ascent after exact search
# Seconds of GOBNILP 1.6.2, CPBayes and A* on the instance that is most similar (see above).
PUBLISHED: dict[str, tuple[str, str, str]] = {
    "alarm": ("81.8", "5,224", "249"),  # alarm_10000, BIC, at most 3 parents
    "insurance": ("6.1", "74.0", "17.2"),  # insurance_10000, BIC, at most 3 parents
    "water": ("3.1", "1.0", "18.8"),  # water_10000, BIC, at most 3 parents
    "soybean_BIC": ("2.7", "59.5", "18.6"),  # soybean, BIC
}


def load_data(name: str) -> Dataset:
    """Return the sample of a network: 10,000 rows, or as many as the name says."""
    return load_table(name) if "/" in name else load(name)


def make_table(name: str) -> ParentSets:
    """Return the candidate table with this name."""
    if name in FILES:
        return read_scores(data_folder() / "scores" / FILES[name])
    return Sequential(max_parents=3, seconds=300).select(load_data(name), BIC()).table


def make_budget(seconds: float) -> Budget:
    """Return a budget of CPU seconds."""
    return Budget(max(0.0, seconds), clock=time.process_time)


def compute_gap(bound: float, best: float) -> float:
    """Return a gap in percent."""
    return 100 * (bound - best) / abs(best)


def prove(name: str, table: ParentSets, seconds: float) -> None:
    """Search a table exactly, and print a line."""
    run = Run(Seconds(seconds), seed=1, threads=1, clock=time.process_time)
    began = time.process_time()
    Exact().search(Problem(table=table), run)
    took = time.process_time() - began
    assert run.bound is not None
    best = max(run.progress.score, BEST.get(name, run.progress.score))
    ascent = PricedAscent(table)
    ascent.improve(make_budget(FIXING_SECONDS), best)
    print_line(name, table, ascent.bound, took, run.bound, best, "; ".join(run.notes))


def improve_bound(name: str, table: ParentSets, seconds: float, search_seconds: float) -> None:
    """Search for a bound by dual ascent, and print a line."""
    found = search(Problem(table=table), make_method("rinobs"), stop=Seconds(search_seconds), seed=1, threads=1)
    best = max(found.score, BEST.get(name, found.score))
    began = time.process_time()
    ascent, gaps = PricedAscent(table), []
    for mark in [*(mark for mark in MARKS if mark < seconds), seconds]:
        value = ascent.improve(make_budget(began + mark - time.process_time()), best).value
        gaps.append(f"{mark:g} s {compute_gap(value, best):.4f}")
        if ascent.converged or not value > best + 1e-9 * abs(best):
            break
    took = time.process_time() - began
    print_line(name, table, ascent.bound, took, ascent.bound.value, best, ", ".join(gaps))


def print_line(
    name: str, table: ParentSets, fixing: ClusterBound, took: float, bound: float, best: float, remark: str
) -> None:
    """Print the line of a table; fixing : the bound whose reduced costs fix parent sets."""
    left = int(fixing.mark_open_rows(table, best).sum())
    published = " ".join(f"{each:>8}" for each in PUBLISHED.get(name, ("-", "-", "-")))
    print(
        f"{name:14} {table.n_variables:6,} {table.n_sets:9,} {left:9,} {took:8.2f} {best:16.4f} {bound:16.4f} "
        f"{compute_gap(bound, best):9.4f}  {published}  {remark}",
        flush=True,
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*")
    parser.add_argument("--seconds", type=float, default=60.0, help="CPU seconds for each table")
    parser.add_argument("--search-seconds", type=float, default=10.0, help="with --dual: seconds of the RINOBS search")
    parser.add_argument("--dual", action="store_true", help="dual ascent only")
    arguments = parser.parse_args()
    small = read_scores(data_folder() / "scores" / "iris_BIC.txt")
    for load_kernels in (load_bound_kernels, load_order_kernels, load_cut_kernels):
        load_kernels()
    search(Problem(table=small), make_method("rinobs"), stop=Seconds(0.2), threads=1)
    print(
        f"{'table':14} {'vars':>6} {'sets':>9} {'left':>9} {'seconds':>8} {'score':>16} {'bound':>16} {'gap %':>9}  "
        f"{'GOBNILP':>8} {'CPBayes':>8} {'A*':>8}"
    )
    for name in arguments.tables or (BOUNDED if arguments.dual else PROVEN):
        table = make_table(name)
        if arguments.dual:
            improve_bound(name, table, arguments.seconds, arguments.search_seconds)
        else:
            prove(name, table, arguments.seconds)


if __name__ == "__main__":
    main()
