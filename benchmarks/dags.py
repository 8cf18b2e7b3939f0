"""
Compare hill climbing and tabu search with the hill climbing of pgmpy and pyagrum, on one thread.

All programs get the same sample and maximise BIC from the empty graph. One scorer scores all networks. The program
prints the seconds, the seconds in units of one climb of this library (hill climbing without restarts), and the score.
Peers that are not installed are skipped, and so are networks that are neither in BNSEARCH_DATA (or ../shared/data) nor
known to `load_network`. pgmpy needs minutes for large networks, which it runs only with `--slow`.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import time
import warnings
from collections.abc import Callable

from bnsearch.dags import HillClimb, Tabu
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs import DAG
from bnsearch.learning.search import search
from bnsearch.networks import BayesianNetwork, load_network, sample
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.scores import BIC
from counting import data_folder, pandas_frame

NETWORKS = ("alarm", "insurance", "win95pts", "andes")
SHORT = 2.0  # seconds below which a run is repeated, because noise matters most in short runs
SLOW = 100  # number of variables from which pgmpy runs only with --slow
Program = Callable[[], DAG]


def find_network(name: str) -> BayesianNetwork | None:
    """Return a network of the repository, or None if it is not available."""
    path = data_folder() / "networks" / f"{name}.bif.gz"
    try:
        return load_network(str(path) if path.exists() else name)
    except InputError:
        return None


def wrap_method(data: Dataset, method: Method) -> Program:
    """Return a method of this library as a program that starts with an empty cache."""
    return lambda: search(Problem(data=data, score=BIC()), method, seed=1, threads=1).dag


def pgmpy_climb(data: Dataset) -> Program:
    """Return the hill climbing of pgmpy."""
    from pgmpy.causal_discovery import HillClimbSearch

    frame = pandas_frame(data)

    def climb() -> DAG:
        learner = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
        graph = learner.fit(frame).causal_graph_
        return DAG.from_edges(data.names, list(graph.edges()))

    return climb


def pyagrum_climb(data: Dataset, tabu: bool = False) -> Program:
    """Return the greedy hill climbing of pyagrum, or its local search with a tabu list."""
    import pyagrum

    frame = pandas_frame(data)

    def climb() -> DAG:
        learner = pyagrum.BNLearner(frame)
        learner.setNumberOfThreads(1)
        learner.useScoreBIC()
        if tabu:
            learner.useLocalSearchWithTabuList(100, 100)
        else:
            learner.useGreedyHillClimbing()
        graph = learner.learnDAG()
        names = [learner.nameFromId(i) for i in range(len(data.names))]
        return DAG.from_edges(data.names, [(names[a], names[b]) for a, b in graph.arcs()])

    return climb


def list_programs(data: Dataset, slow: bool) -> dict[str, Program]:
    """Return the programs to be measured, those of this library first."""
    found = {
        "one climb": wrap_method(data, HillClimb(restarts=0)),
        "hillclimb": wrap_method(data, HillClimb()),
        "tabu": wrap_method(data, Tabu()),
    }
    if importlib.util.find_spec("pyagrum"):
        found["pyagrum"] = pyagrum_climb(data)
        found["pyagrum, tabu list"] = pyagrum_climb(data, tabu=True)
    if importlib.util.find_spec("pgmpy") and (slow or data.n_variables < SLOW):
        found["pgmpy"] = pgmpy_climb(data)
    return found


def time_program(program: Program) -> tuple[DAG, float]:
    """Return the graph and the seconds of a program; the seconds of a short run are the least of three."""
    best = math.inf
    for _ in range(3):
        start = time.perf_counter()
        dag = program()
        best = min(best, time.perf_counter() - start)
        if best > SHORT:
            break
    return dag, best


def measure(name: str, rows: int, seed: int, slow: bool) -> None:
    """Measure one network and print the results."""
    truth = find_network(name)
    if truth is None:
        print(f"{name}: not available")
        return
    data = sample(truth, rows, seed)
    scorer = Problem(data=data, score=BIC()).scorer
    print(f"{name}: {data.n_variables} variables, {rows} rows, seed {seed}; truth {scorer.network(truth.dag):.2f}")
    base = 0.0
    for label, program in list_programs(data, slow).items():
        dag, taken = time_program(program)
        base = base or taken
        print(f"  {label:25} {taken:9.3f} s  {taken / base:8.1f} x  {scorer.network(dag):14.2f}", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1])
    parser.add_argument("--slow", action="store_true", help="run pgmpy also on networks of 100 or more variables")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # peers print deprecation warnings
    for name in ("asia", "greenhouse"):
        warm = Problem(data=sample(load_network(name), 5000, 1), score=BIC())
        search(warm, Tabu(), seed=1, threads=1)  # compiles or loads the kernels
    for name in arguments.networks:
        for seed in arguments.seeds:
            measure(name, arguments.rows, seed, arguments.slow)


if __name__ == "__main__":
    main()
