"""
Run one structure learner of another package on one table, in its own interpreter.

    python gauntlet_peers.py PEER CODES.npy SCORE THREADS SECONDS

CODES.npy contains a row for each row of the table and a column for each variable. The program prints one line of JSON:
the seconds without imports and compilation, the version of the package, and the directed and undirected edges as pairs
of columns. An alarm signal ends the process after SECONDS of search. This file does not import bnsearch.
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


PEERS: dict[str, tuple[str, Callable[[Codes, str, int], Learner]]] = {
    "pyagrum": ("pyagrum", partial(make_pyagrum, tabu=False)),
    "pyagrum-tabu": ("pyagrum", partial(make_pyagrum, tabu=True)),
    "andrey-ges": ("andrey-core", partial(make_andrey, name="ges")),
    "andrey-hc": ("andrey-core", partial(make_andrey, name="hc")),
    "andrey-boss": ("andrey-core", partial(make_andrey, name="boss")),
    "pgmpy": ("pgmpy", make_pgmpy),
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
    learner = make(np.load(path).astype(np.int64), score, int(threads))
    signal.setitimer(signal.ITIMER_REAL, float(limit))  # its default action also ends compiled code
    start = time.perf_counter()
    directed, undirected = learner()
    seconds = time.perf_counter() - start
    found = {"seconds": seconds, "version": f"{package} {version(package)}", "directed": directed}
    print(json.dumps(found | {"undirected": undirected}), flush=True)


if __name__ == "__main__":
    main()
