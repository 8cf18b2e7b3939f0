"""
Compare the score of `learn` with that of all other methods in the same time, and with other programs.

For each table, the program runs `learn` with method "auto" and then with every other method, on one thread, under the
same time budget for candidate table and search together. With `--peer PYTHON` it also runs hill climbing and tabu
search of pgmpy and pyagrum in that interpreter, to their own end. One scorer scores all networks.

`--budget` measures how late `learn` ends with 1,058 variables, `--permute` the effect of the order of the columns, and
`--start` the time of `bnsearch learn` from the shell. Tables are read from BNSEARCH_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bnsearch import learn
from bnsearch.data import Dataset
from bnsearch.graphs import DAG
from bnsearch.learning.methods import METHODS
from bnsearch.networks import load_network, sample
from bnsearch.runs.result import Result
from bnsearch.scores import BIC, Scorer
from counting import data_folder

TABLES = ("alarm", "insurance", "hailfinder", "win95pts", "hepar2", "plants.test", "accidents.test", "book.test")
ROWS = 10_000
PEERS = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, sys.argv[1])
from bnsearch.data import Dataset
from dags import pgmpy_climb, pyagrum_climb
data = Dataset.read(sys.argv[2])
for name, make in (("pyagrum", pyagrum_climb), ("pyagrum, tabu list", lambda data: pyagrum_climb(data, tabu=True)),
                   ("pgmpy", pgmpy_climb)):
    if name == "pgmpy" and data.n_variables > 80:
        continue
    climb = make(data)
    start = time.perf_counter()
    dag = climb()
    print(json.dumps([name, time.perf_counter() - start, dag.edges]), flush=True)
"""


def load_table(name: str) -> Dataset:
    """Return a table from a file, or a sample of a network."""
    if "." in name:
        return Dataset.read(data_folder() / "debd" / f"{name}.csv.gz", header=False)
    return sample(load_network(str(data_folder() / "networks" / f"{name}.bif.gz")), ROWS, 1)


def time_method(data: Dataset, method: str, seconds: float, seed: int = 1) -> tuple[Result, float]:
    """Return the result of a method under a time budget, and the elapsed seconds."""
    start = time.perf_counter()
    result = learn(data, method=method, seconds=seconds, seed=seed, threads=1)
    return result, time.perf_counter() - start


def compare(name: str, seconds: float, peer: str | None, chosen: Sequence[str]) -> None:
    """Measure one table and print the results."""
    data = load_table(name)
    print(f"{name}: {data.n_variables} variables, {data.n_rows:,} rows, {seconds:g} s")
    scores: dict[str, float] = {}
    for method in chosen:
        try:
            result, taken = time_method(data, method, seconds)
        except ValueError as error:
            print(f"  {method:20} {error}", flush=True)
            continue
        scores[method] = result.score
        standing = "optimal" if result.optimal else result.stop
        print(f"  {method:20} {result.score:16.3f}  {taken:6.2f} s  {standing}", flush=True)
    if peer is not None:
        scores |= score_peers(data, peer)
    if "auto" in scores:
        ahead = [f"{m} (+{s - scores['auto']:.3f})" for m, s in scores.items() if s > scores["auto"] + 1e-6]
        print(f"  at least as good as all others: {'holds' if not ahead else 'does not hold: ' + ', '.join(ahead)}")


def score_peers(data: Dataset, python: str) -> dict[str, float]:
    """Return the scores of the networks of other programs, computed by the scorer of this library."""
    scorer, scores = Scorer(data, BIC()), {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        data.write(path)
        call = [python, "-c", PEERS, str(Path(__file__).parent), str(path)]
        done = subprocess.run(call, capture_output=True, text=True, check=False, timeout=1800)
    for line in done.stdout.splitlines():
        name, taken, edges = json.loads(line)
        scores[name] = scorer.network(DAG.from_edges(data.names, [tuple(edge) for edge in edges]))
        print(f"  {name:20} {scores[name]:16.3f}  {taken:6.2f} s", flush=True)
    return scores


def measure_lateness() -> None:
    """Measure the elapsed time of `learn` on a large table."""
    data = load_table("bbc.test")
    for seconds in (5.0, 30.0):
        result, taken = time_method(data, "auto", seconds)
        print(f"bbc.test: budget {seconds:g} s, elapsed {taken:.2f} s, {result.score:.3f}, stop: {result.stop}")


def measure_permutations(seconds: float) -> None:
    """Measure the effect of the order of the columns."""
    for name in ("alarm", "win95pts"):
        data = load_table(name)
        scores = []
        for seed in range(5):
            order = np.random.default_rng(seed).permutation(data.n_variables)
            scores.append(time_method(data.select([data.names[i] for i in order]), "auto", seconds)[0].score)
        spread = (max(scores) - min(scores)) / abs(max(scores))
        print(f"{name}: five orders of the columns, {min(scores):.3f} to {max(scores):.3f}, {100 * spread:.5f}%")


def measure_start() -> None:
    """Measure the time to the first result from the shell with cached kernels; any network reaches the target."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "alarm.csv"
        load_table("alarm").write(path)
        for _ in range(3):
            began = time.perf_counter()
            call = [sys.executable, "-m", "bnsearch", "learn", str(path), "--target", "-1e9", "--json"]
            subprocess.run(call, check=True, capture_output=True)
            print(f"bnsearch learn alarm.csv --target -1e9: {time.perf_counter() - began:.2f} s")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--methods", default=",".join(METHODS), help="names, separated by commas")
    parser.add_argument("--peer", metavar="PYTHON", help="interpreter with pgmpy, pyagrum and this library")
    parser.add_argument("--budget", action="store_true")
    parser.add_argument("--permute", action="store_true")
    parser.add_argument("--start", action="store_true")
    arguments = parser.parse_args()
    time_method(sample(load_network("asia"), 500, 1), "auto", 2.0)  # compiles or loads the kernels
    if arguments.budget:
        measure_lateness()
    if arguments.permute:
        measure_permutations(arguments.seconds)
    if arguments.start:
        measure_start()
    if not (arguments.budget or arguments.permute or arguments.start):
        for name in arguments.tables:
            compare(name, arguments.seconds, arguments.peer, arguments.methods.split(","))


if __name__ == "__main__":
    main()
