"""
Measure the counting and scoring of all families of up to 3 parents on one thread.

For each table, the program prints the number of families scored per second. The score is BIC, and the best family of
each child is kept. If pgmpy and pyagrum are installed, the program prints the same number for their local scores,
measured on a sample of the families. It also prints the cost of one set in units of the cheapest possible operation:
one AND-popcount sweep over the rows (binary tables) or one histogram pass (other tables). Tables are read from
BNSEARCH_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bnsearch.data import Dataset
from bnsearch.kernels.bits import count_and
from bnsearch.kernels.compile import kernel
from bnsearch.networks import load_network, sample
from bnsearch.scores import BIC, AllSets, Scorer

TABLES = ("plants.test", "accidents.test", "baudio.train", "alarm", "barley")
MAX_PARENTS = {"barley": 2}
ROWS = 10_000
Family = tuple[int, list[int]]
PeerScore = Callable[[int, list[int]], float]


def data_folder() -> Path:
    """Return the folder of the public tables."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    return Path(os.environ.get("BNSEARCH_DATA", beside))


def load(name: str) -> Dataset:
    """Return the table with this name, or a sample of the network with this name."""
    table = data_folder() / "debd" / f"{name}.csv.gz"
    if table.exists():
        return Dataset.read(table, header=False)
    return sample(load_network(str(data_folder() / "networks" / f"{name}.bif.gz")), ROWS, 1)


@kernel
def sweep_floor(words: Any, repeats: int) -> int:
    """Count the common bits of pairs of bitmaps."""
    total = 0
    for r in range(repeats):
        for i in range(1, words.shape[0]):
            total += count_and(words[i], words[(i + r) % words.shape[0]])
    return total


@kernel
def histogram_floor(codes: Any, label: Any, arity: int, counts: Any, repeats: int) -> int:
    """Increment one counter for each row."""
    for r in range(repeats):
        column = codes[r % codes.shape[0]]
        for row in range(label.size):
            counts[np.uint32(label[row]) * np.uint32(arity) + np.uint32(column[row])] += 1
    return int(counts[0])


def floor_seconds(table: AllSets) -> tuple[str, float]:
    """Return the name and the seconds of the cheapest possible operation that counts one set."""
    columns = table.sweep.layout.columns
    if columns.arities.max() == 2:
        name, repeats = "sweeps", 50
        calls = repeats * (len(columns.words) - 1)

        def once() -> None:
            sweep_floor(columns.words, repeats)
    else:
        name, repeats = "passes", 200
        calls = repeats
        widest = int(columns.arities.max())
        label = columns.codes[0].astype(np.int32)
        counts = np.zeros(widest * (int(columns.arities[0]) + 1), dtype=np.int32)

        def once() -> None:
            histogram_floor(columns.codes, label, widest, counts, repeats)

    once()
    return name, min(time_call(once) for _ in range(5)) / calls


def time_call(function: Callable[[], object]) -> float:
    """Return the seconds of a call."""
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def random_families(data: Dataset, parents: int, number: int) -> list[Family]:
    """Return random families."""
    random = np.random.default_rng(1)
    drawn = [random.permutation(data.n_variables)[: parents + 1].tolist() for _ in range(number)]
    return [(members[0], members[1:]) for members in drawn]


def pandas_frame(data: Dataset) -> Any:
    """Return a table as a pandas DataFrame of labels, the input of the peers."""
    import pandas as pd

    labels = [np.array(s, dtype=object)[c] for s, c in zip(data.states, data.codes, strict=True)]
    return pd.DataFrame(dict(zip(data.names, labels, strict=True)))


def pgmpy_score(data: Dataset) -> PeerScore:
    """Return the local BIC score of pgmpy for a table."""
    from pgmpy import structure_score

    states = {name: list(labels) for name, labels in zip(data.names, data.states, strict=True)}
    scorer = structure_score.BIC(pandas_frame(data), state_names=states)
    return lambda x, s: float(scorer.local_score(data.names[x], tuple(data.names[p] for p in s)))


def pyagrum_score(data: Dataset) -> PeerScore:
    """Return the local BIC score of pyagrum for a table, in natural logarithms."""
    import pyagrum

    learner = pyagrum.BNLearner(pandas_frame(data))
    learner.useScoreBIC()
    return lambda x, s: float(learner.score(data.names[x], [data.names[p] for p in s])) * float(np.log(2))


def peer_rate(score: PeerScore, families: Sequence[Family], budget: float) -> float:
    """Return the families per second of a peer, measured for `budget` seconds."""
    score(*families[0])
    done = 0
    start = time.perf_counter()
    while time.perf_counter() - start < budget:
        done += 1
        score(*families[done % len(families)])
    return done / (time.perf_counter() - start)


def measure(name: str, repeats: int, budget: float) -> None:
    """Measure one table and print the results."""
    data = load(name)
    parents = MAX_PARENTS.get(name, 3)
    best = float("inf")
    for _ in range(repeats + 1):  # the first run compiles
        start = time.perf_counter()
        table = AllSets(data, BIC(), parents + 1, threads=1)
        counted = time.perf_counter() - start
        table.best_families()
        total = time.perf_counter() - start
        if total < best:
            best, best_counted = total, counted
    sets = sum(table.sweep.count_sets(size) for size in range(1, parents + 2))
    floor_name, floor = floor_seconds(table)
    rate = table.families / best
    print(
        f"{name:15} n={data.n_variables:<4} N={data.n_rows:<6} parents<={parents} {table.families:>9,} families"
        f" {best:7.3f} s {rate / 1e6:7.2f} M/s; a set {best_counted / sets * 1e9:7.0f} ns ="
        f" {best_counted / sets / floor:6.2f} {floor_name} of {floor * 1e9:.0f} ns",
        flush=True,
    )
    scorer = Scorer(data, BIC())
    families = random_families(data, parents, 2000)
    for peer, make in (("pgmpy", pgmpy_score), ("pyagrum", pyagrum_score)):
        try:
            score = make(data)
        except ImportError:
            print(f"{'':15} {peer} is not installed")
            continue
        theirs = peer_rate(score, families, budget)
        ours, other = scorer.family(*families[0]), score(*families[0])
        note = "" if abs(ours - other) < 1e-6 * abs(ours) else f" (its value {other:.3f} differs from ours, {ours:.3f})"
        print(f"{'':15} {peer:8} {theirs:10.0f} families/s: ratio {rate / theirs:12,.0f}{note}", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--repeats", type=int, default=5, help="number of runs, of which the fastest counts")
    parser.add_argument("--budget", type=float, default=5.0, help="seconds for each peer")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.tables:
        measure(name, arguments.repeats, arguments.budget)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory of this process, including peers: {peak:,.0f} MiB")


if __name__ == "__main__":
    main()
