"""
Worker process of the gauntlet: measure cells one after the other.

Each line of the standard input is one cell as JSON, and each line of the standard output is one record as JSON. One
process measures many cells, so that kernels are loaded once.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bnsearch import learn
from bnsearch.data import Dataset
from bnsearch.graphs import DAG, PDAG, extension
from bnsearch.scores import BIC, BDeu, Scorer
from bnsearch.scores.score import Score
from gauntlet_tables import load_table

MAX_STARTUP = 60.0  # seconds that a peer may take to import, compile and read the table
WARM_UP = 0.3  # seconds of the first run of a method in this process
SCORES: dict[str, Score] = {"bic": BIC(), "bdeu": BDeu(ess=10.0)}
Record = dict[str, Any]


@lru_cache(maxsize=1)
def cached_table(name: str) -> Dataset:
    """Return a table, cached until another one is requested."""
    return load_table(name)


@lru_cache(maxsize=1)
def cached_scorer(table: str, score: str) -> Scorer:
    """Return the scorer of a table, cached until another one is requested."""
    return Scorer(cached_table(table), SCORES[score])


@cache
def warm_up(method: str, score: str, item_size: int, threads: int) -> None:
    """Load the kernels of a method for codes of `item_size` bytes by a short run on a small table."""
    codes = np.random.default_rng(1).integers(2, size=(200, 8)).cumsum(axis=1) % 3
    wide = np.arange(200) % (300 if item_size > 1 else 3)
    small = Dataset.from_codes(np.column_stack([codes, wide]))
    learn(small, method=method, score=SCORES[score], seconds=WARM_UP, seed=1, threads=threads)


def measure_own(cell: Record) -> Record:
    """Run `learn` with a method of the library."""
    data = cached_table(cell["table"])
    warm_up(cell["method"], cell["score"], data.codes.dtype.itemsize, cell["threads"])
    start = time.perf_counter()
    result = learn(
        data,
        method=cell["method"],
        score=SCORES[cell["score"]],
        seconds=cell["budget"],
        seed=cell["seed"],
        threads=cell["threads"],
    )
    wall = time.perf_counter() - start
    record: Record = {"seconds": result.seconds, "wall": wall, "stop": result.stop, "optimal": result.optimal}
    if cell["method"] == "auto":
        record["trace"] = [(round(point.seconds, 3), point.score) for point in result.trace]
        record["notes"] = result.notes
    return record | {"value": cached_scorer(cell["table"], cell["score"]).network(result.dag)}


def measure_peer(cell: Record, python: str) -> Record:
    """Run a peer in its own interpreter, until it ends or the time limit has passed."""
    data = cached_table(cell["table"])
    threads = str(cell["threads"])
    limits = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), threads)
    environment = os.environ | limits | {"ANDREY_NUM_WORKERS": threads, "ANDREY_BACKEND": "cpu"}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "codes.npy"
        np.save(path, data.codes.T)
        script = Path(__file__).with_name("peers.py")
        call = [python, str(script), cell["method"], str(path), cell["score"], threads, str(cell["limit"])]
        try:
            done = subprocess.run(
                call, capture_output=True, text=True, check=False, timeout=cell["limit"] + MAX_STARTUP, env=environment
            )
        except subprocess.TimeoutExpired:
            return {"error": f"did not end within {cell['limit']:g} s"}
    if done.returncode == -signal.SIGPROF:
        return {"error": f"did not end within {cell['limit']:g} s"}
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
        return {"error": lines[-1][:300]}
    found = json.loads(done.stdout.splitlines()[-1])
    dag = as_dag(data.names, found["directed"], found["undirected"])
    value = cached_scorer(cell["table"], cell["score"]).network(dag)
    return {"seconds": found["seconds"], "version": found["version"], "value": value}


def as_dag(names: tuple[str, ...], directed: list[list[int]], undirected: list[list[int]]) -> DAG:
    """Return the DAG with the edges of a peer, or a DAG of their equivalence class."""
    arcs = [(names[a], names[b]) for a, b in directed]
    if not undirected:
        return DAG.from_edges(names, arcs)
    return extension(PDAG.from_edges(names, arcs, [(names[a], names[b]) for a, b in undirected]))


def main() -> None:
    """Measure the cells of the standard input."""
    for line in sys.stdin:
        cell = json.loads(line)
        python = cell.pop("python")
        data = cached_table(cell["table"])
        try:
            found = measure_own(cell) if python is None else measure_peer(cell, python)
        except Exception as error:  # one failure must not end the other measurements
            found = {"error": f"{type(error).__name__}: {error}"[:300]}
        print(json.dumps(cell | {"variables": data.n_variables, "rows": data.n_rows} | found), flush=True)


if __name__ == "__main__":
    main()
