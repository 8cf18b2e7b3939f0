"""
Run one structure learner of another package on one table, in its own interpreter.

    python peers.py PEER CODES.npy SCORE THREADS SECONDS

CODES.npy contains a row for each row of the table and a column for each variable. The program prints one line of JSON:
the CPU seconds without imports and compilation, the version of the package, and the directed and undirected edges as
pairs of columns. A signal ends the process after SECONDS of CPU time. This file does not import bnsearch.
"""

from __future__ import annotations

import importlib
import json
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_CELLS = 100_000  # cells of a table of counts; more states are numbered again
MAX_MEMORY = 8 << 30  # bytes of address space
Codes = NDArray[np.int64]
Edges = list[tuple[int, int]]
Learner = Callable[[], tuple[Edges, Edges]]


def make_frame(codes: Codes) -> Any:
    """Return a pandas DataFrame of labels; the columns are named by their numbers."""
    pandas = importlib.import_module("pandas")
    return pandas.DataFrame({f"v{i}": [f"s{code}" for code in column] for i, column in enumerate(codes.T.tolist())})


def make_pyagrum(codes: Codes, score: str, threads: int, tabu: bool) -> Learner:
    """Return the greedy hill climbing of pyagrum, or its local search with a tabu list."""
    pyagrum = importlib.import_module("pyagrum")
    frame = make_frame(codes)

    def learn() -> tuple[Edges, Edges]:
        learner = pyagrum.BNLearner(frame)
        learner.setNumberOfThreads(threads)
        if score == "bic":
            learner.useScoreBIC()
        else:
            learner.useScoreBDeu()
        if tabu:
            learner.useLocalSearchWithTabuList(100, 100)
        else:
            learner.useGreedyHillClimbing()
        column = [int(learner.nameFromId(i)[1:]) for i in range(codes.shape[1])]
        return [(column[a], column[b]) for a, b in learner.learnDAG().arcs()], []

    return learn


def make_pgmpy(codes: Codes, score: str, threads: int) -> Learner:
    """Return the hill climbing of pgmpy."""
    discovery = importlib.import_module("pgmpy.causal_discovery")
    frame = make_frame(codes)

    def learn() -> tuple[Edges, Edges]:
        name = "bic-d" if score == "bic" else "bdeu"
        learner = discovery.HillClimbSearch(scoring_method=name, return_type="dag", show_progress=False)
        graph = learner.fit(frame).causal_graph_
        return [(int(a[1:]), int(b[1:])) for a, b in graph.edges()], []

    return learn


def make_andrey(codes: Codes, score: str, threads: int, name: str) -> Learner:
    """Return a search of andrey over classes (`ges`), DAGs (`hc`) or orderings (`boss`)."""
    andrey = importlib.import_module("andrey")
    search = getattr(andrey, name)
    objective = "local_score_BIC_categorical" if score == "bic" else "local_score_BDeu"

    def learn() -> tuple[Edges, Edges]:
        edges = search(codes.astype(np.float64), score_func=objective).structure.oriented_edges(index=True)
        unknown = {kind for _, _, kind in edges} - {"directed", "undirected"}
        if unknown:
            raise ValueError(f"edges of an unexpected kind: {', '.join(sorted(unknown))}")
        parts: list[Edges] = [
            [(int(a), int(b)) for a, b, k in edges if k == kind] for kind in ("directed", "undirected")
        ]
        return parts[0], parts[1]

    return learn


def make_causal_learn(codes: Codes, score: str, threads: int) -> Learner:
    """Return the greedy equivalence search of causal-learn, which has BDeu but no BIC for categorical data."""
    module = importlib.import_module("causallearn.search.ScoreBased.GES")
    if score != "bdeu":
        raise SystemExit(f"causal-learn has no score {score} for categorical data")

    def learn() -> tuple[Edges, Edges]:
        graph = module.ges(codes, score_func="local_score_BDeu")["G"].graph  # [j, i] = 1, [i, j] = -1: i -> j
        pairs = [(i, j) for i in range(len(graph)) for j in range(len(graph)) if graph[i, j] == -1]
        directed = [(i, j) for i, j in pairs if graph[j, i] == 1]
        return directed, [(i, j) for i, j in pairs if i < j and graph[j, i] == -1]

    return learn


def make_xges(codes: Codes, score: str, threads: int) -> Learner:
    """Return the search of XGES, which has no score for categorical data: a NumPy function computes BIC."""
    xges, scorers = importlib.import_module("xges"), importlib.import_module("xges.scorer")
    if score != "bic":
        raise SystemExit(f"this adapter of xges has no score {score}")
    arities = codes.max(axis=0) + 1

    class CategoricalBIC(scorers.ScorerInterface):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.n_variables, self._known = codes.shape[1], dict[tuple[int, frozenset[int]], float]()

        def local_score(self, target: int, parents: set[int]) -> float:
            key = target, frozenset(parents)
            if key not in self._known:
                self._known[key] = self._compute(target, sorted(parents))
            return self._known[key]

        def _compute(self, target: int, parents: list[int]) -> float:
            rows = np.zeros(len(codes), dtype=np.int64)  # the number of the parents' states in each row
            for parent in parents:
                rows = rows * arities[parent] + codes[:, parent]
                if rows.max() > MAX_CELLS:
                    rows = np.unique(rows, return_inverse=True)[1]
            states = int(arities[target])
            counts = np.bincount(rows * states + codes[:, target], minlength=(int(rows.max()) + 1) * states)
            table = counts.reshape(-1, states).astype(np.float64)
            table = table[table.sum(axis=1) > 0]
            shares = np.divide(table, table.sum(axis=1, keepdims=True), where=table > 0, out=np.ones_like(table))
            free = (arities[target] - 1) * np.prod(arities[parents], dtype=np.float64)
            return float((table * np.log(shares)).sum() - np.log(len(codes)) / 2 * free)

    def learn() -> tuple[Edges, Edges]:
        search = xges.XGES()
        search.fit(codes.astype(np.float64), scorer=CategoricalBIC())
        nodes = range(codes.shape[1])
        directed = [(i, j) for i in nodes for j in nodes if search.pdag.has_directed_edge(i, j)]
        return directed, [(i, j) for i in nodes for j in nodes if i < j and search.pdag.has_undirected_edge(i, j)]

    return learn


PEERS: dict[str, tuple[str, Callable[[Codes, str, int], Learner]]] = {
    "pyagrum": ("pyagrum", partial(make_pyagrum, tabu=False)),
    "pyagrum-tabu": ("pyagrum", partial(make_pyagrum, tabu=True)),
    "andrey-ges": ("andrey-core", partial(make_andrey, name="ges")),
    "andrey-hc": ("andrey-core", partial(make_andrey, name="hc")),
    "andrey-boss": ("andrey-core", partial(make_andrey, name="boss")),
    "pgmpy": ("pgmpy", make_pgmpy),
    "causal-learn": ("causal-learn", make_causal_learn),
    "xges": ("xges", make_xges),
}
"""The package and the function that prepares its learner, by the name of the peer."""


def main() -> None:
    """Run one peer."""
    name, path, score, threads, limit = sys.argv[1:]
    warnings.simplefilter("ignore")  # peers print deprecation warnings
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    package, make = PEERS[name]
    tiny = np.array([[0, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1], [0, 1, 1]] * 20)
    make(tiny, score, int(threads))()  # imports and compiles everything that the search needs
    codes = np.load(path).astype(np.int64)
    kept = np.flatnonzero(np.ptp(codes, axis=0))  # some packages reject columns with one state, which have no edges
    learner = make(codes[:, kept], score, int(threads))
    signal.setitimer(signal.ITIMER_PROF, float(limit))  # its default action also ends compiled code
    start = time.process_time()
    directed, undirected = learner()
    seconds = time.process_time() - start
    edges = {"directed": directed, "undirected": undirected}
    found = {kind: [(int(kept[a]), int(kept[b])) for a, b in pairs] for kind, pairs in edges.items()}
    print(json.dumps(found | {"seconds": seconds, "version": f"{package} {version(package)}"}), flush=True)


if __name__ == "__main__":
    main()
