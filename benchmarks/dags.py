"""
Measure hill climbing and tabu search against the hill climbing of pgmpy and pyagrum, on one thread.

Every program gets the same sample and maximises BIC from the empty graph; all networks are scored by the same scorer.
Prints seconds, these as a multiple of one climb of this library (hill climbing without restarts), and the score. A peer
that is not installed is left out; so is a network that is neither under BNSEARCH_DATA (or ../shared/data) nor among the
names that `load_network` knows. pgmpy needs minutes for the larger networks: `--slow` lets it try those too.
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
SHORT = 2.0  # seconds
SLOW = 100  # variables from which on pgmpy is not asked
Program = Callable[[], DAG]


def network(name: str) -> BayesianNetwork | None:
    """Read a network of the repository, None where it is absent."""
    path = data_folder() / "networks" / f"{name}.bif.gz"
    try:
        return load_network(str(path) if path.exists() else name)
    except InputError:
        return None


def ours(data: Dataset, method: Method) -> Program:
    """Return one of this library's methods as a program, which begins with nothing cached."""
    return lambda: search(Problem(data=data, score=BIC()), method, seed=1, threads=1).dag


def pgmpy_climb(data: Dataset) -> Program:
    """Return pgmpy's hill climbing."""
    from pgmpy.causal_discovery import HillClimbSearch

    frame = pandas_frame(data)

    def climb() -> DAG:
        learner = HillClimbSearch(scoring_method="bic-d", return_type="dag", show_progress=False)
        graph = learner.fit(frame).causal_graph_
        return DAG.from_edges(data.names, list(graph.edges()))

    return climb


def pyagrum_climb(data: Dataset, tabu: bool = False) -> Program:
    """Return pyagrum's greedy hill climbing, or its local search with a tabu list."""
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


def programs(data: Dataset, slow: bool) -> dict[str, Program]:
    """Return what is to be measured, ours first."""
    found = {
        "one climb": ours(data, HillClimb(restarts=0)),
        "hillclimb": ours(data, HillClimb()),
        "tabu": ours(data, Tabu()),
    }
    if importlib.util.find_spec("pyagrum"):
        found["pyagrum"] = pyagrum_climb(data)
        found["pyagrum, tabu list"] = pyagrum_climb(data, tabu=True)
    if importlib.util.find_spec("pgmpy") and (slow or data.n_variables < SLOW):
        found["pgmpy"] = pgmpy_climb(data)
    return found


def timed(program: Program) -> tuple[DAG, float]:
    """Return a program's graph and seconds: the best of three runs where one is short, which others disturb most."""
    best = math.inf
    for _ in range(3):
        start = time.perf_counter()
        dag = program()
        best = min(best, time.perf_counter() - start)
        if best > SHORT:
            break
    return dag, best


def measure(name: str, rows: int, seed: int, slow: bool) -> None:
    """Measure one network and print its lines."""
    truth = network(name)
    if truth is None:
        print(f"{name}: not here")
        return
    data = sample(truth, rows, seed)
    scorer = Problem(data=data, score=BIC()).scorer
    print(f"{name}: {data.n_variables} variables, {rows} rows, seed {seed}; truth {scorer.network(truth.dag):.2f}")
    base = 0.0
    for label, program in programs(data, slow).items():
        dag, taken = timed(program)
        base = base or taken
        print(f"  {label:25} {taken:9.3f} s  {taken / base:8.1f} x  {scorer.network(dag):14.2f}", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=NETWORKS)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, nargs="*", default=[1])
    parser.add_argument("--slow", action="store_true", help="let slow peers try networks of 100 variables and more")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # peers warn about their own future
    for name in ("asia", "greenhouse"):
        warm = Problem(data=sample(load_network(name), 5000, 1), score=BIC())
        search(warm, Tabu(), seed=1, threads=1)  # kernels are compiled here
    for name in arguments.networks:
        for seed in arguments.seeds:
            measure(name, arguments.rows, seed, arguments.slow)


if __name__ == "__main__":
    main()
