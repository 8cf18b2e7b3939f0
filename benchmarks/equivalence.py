"""
Measure the searches over equivalence classes on one thread, beside Tables 3 to 5 of Alonso et al. (2018).

For each network: samples of 10,000 rows, BDeu with ess 10 and the kappa prior; the mean score, CPU seconds, local
scores asked for and set values computed by GES, GRESP, VNGES and ILGES with the paper's parameters. `--large` runs GES
on pigs, link and munin (5,000 rows); `--peer PYTHON` compares GES with that of causal-learn, installed for that
interpreter. Networks come from BNSEARCH_DATA, or ../shared/data.

The paper's calls were counted by a cache of local scores; one of our set values serves every family over the set.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from bnsearch.data import Dataset
from bnsearch.equivalence import DEFAULT_SCORE, GES, GRESP, ILGES, VNGES
from bnsearch.graphs import PDAG, extension
from bnsearch.networks import load_network, sample
from bnsearch.problem import Problem
from bnsearch.result import Result
from bnsearch.scores import BDeu
from bnsearch.scores.score import Score
from bnsearch.searching import Method, search
from counting import data_folder

ROWS = 10_000
METHODS: tuple[Method, ...] = (GES(), GRESP(), VNGES(), ILGES())

# Tables 3 (BDeu), 4 (seconds) and 5 (calls): GES, GRESP, VNGES, ILGES.
PAPER = {
    "alarm": ((-106986, -106710, -106678, -106670), (10, 422, 230, 366), (5514, 21809, 23403, 27605)),
    "barley": ((-545412, -545216, -544393, -544244), (99, 5944, 7410, 9045), (7678, 22063, 41733, 51823)),
    "child": ((-123201, -123201, -123201, -123201), (8, 150, 23, 119), (3473, 8113, 4918, 7858)),
    "hailfinder": ((-500102, -500065, -500073, -500077), (36, 1712, 2070, 2951), (16790, 38378, 62695, 75408)),
    "hepar2": ((-327302, -327284, -327271, -327274), (27, 1927, 4414, 2902), (17072, 56862, 129962, 121577)),
    "insurance": ((-134606, -133999, -134293, -134212), (7, 397, 137, 326), (3277, 13856, 11016, 14499)),
    "mildew": ((-487043, -487043, -487043, -487043), (42, 5131, 1097, 3781), (3202, 10032, 14402, 20157)),
    "water": ((-129503, -129497, -129486, -129488), (9, 102, 55, 155), (3324, 9912, 16159, 27263)),
    "win95pts": ((-93031, -92954, -92899, -92878), (91, 11341, 17709, 9563), (60521, 112946, 255534, 222572)),
}
LARGE = {"pigs": 271, "link": 1329, "munin": 3729}  # published seconds of GES (Java) on 5,000 rows

# causal-learn's BDeu always has a structure prior of its own: each edge counts log(1 / (n - 2)) or about that.
PEER = """
import sys, time, warnings
import numpy as np
warnings.filterwarnings("ignore")
from causallearn.search.ScoreBased.GES import ges
table = np.loadtxt(sys.argv[1], delimiter=",", dtype=int)
began = time.process_time()
found = ges(table, score_func="local_score_BDeu")
print(time.process_time() - began)
np.savetxt(sys.argv[2], found["G"].graph, fmt="%d")
"""


def draw(name: str, rows: int, seed: int) -> Dataset:
    """Sample a network of the repository."""
    return sample(load_network(data_folder() / "networks" / f"{name}.bif.gz"), rows, seed)


def measure(data: Dataset, method: Method, score: Score = DEFAULT_SCORE) -> tuple[Result, float]:
    """Search from scratch, with a cache of its own; return the result and the CPU seconds, setting up included."""
    began = time.process_time()
    result = search(Problem(data=data, score=score), method, seed=1, threads=1)
    return result, time.process_time() - began


def compare_with_paper(name: str, samples: int) -> None:
    """Print one network's lines."""
    tables = [draw(name, ROWS, seed) for seed in range(1, samples + 1)]
    for i, method in enumerate(METHODS):
        runs = [measure(data, method) for data in tables]
        score = np.mean([result.score for result, _ in runs])
        seconds = np.mean([seconds for _, seconds in runs])
        asked = np.mean([result.evaluations for result, _ in runs])
        computed = np.mean([result.computed for result, _ in runs])
        paper = [table[i] for table in PAPER[name]]
        print(
            f"{name:11}{method.name:6}{score:12.0f} ({paper[0]:8}) {score / ROWS:9.4f} a row {seconds:9.3f} s "
            f"({paper[1]:6} s) {asked:12,.0f} asked {computed:9,.0f} computed ({paper[2]:8,})",
            flush=True,
        )


def run_large(name: str) -> None:
    """Print GES on one large network."""
    result, seconds = measure(draw(name, 5000, 1), GES())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    print(
        f"{name:11}ges   {result.score:14.1f} {seconds:9.1f} s (published {LARGE[name]} s) "
        f"{len(result.dag.edges)} edges, {result.iterations} steps, {result.evaluations:,} asked, "
        f"{result.computed:,} computed, peak {peak:.0f} MB",
        flush=True,
    )


def compare_with_peer(name: str, rows: int, python: str) -> None:
    """Print GES beside causal-learn's on one sample, both rescored with BDeu (ess 1, no prior)."""
    data = draw(name, rows, 1)
    score = BDeu(ess=1.0)
    with tempfile.TemporaryDirectory() as folder:
        table, graph = Path(folder, "table.csv"), Path(folder, "graph.txt")
        np.savetxt(table, data.codes.T, fmt="%d", delimiter=",")
        done = subprocess.run([python, "-c", PEER, table, graph], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{name}: no causal-learn for {python}: {done.stderr.strip().splitlines()[-1]}")
            return
        ends = np.loadtxt(graph)
    theirs = extension(PDAG(data.names, ends == -1))  # -1 at [i, j]: the edge has its tail, or no mark, at i
    problem = Problem(data=data, score=score)
    rescored = problem.scorer.network(theirs)
    result, seconds = measure(data, GES(), score)
    slower = float(done.stdout) / seconds
    print(
        f"{name:11}{rows} rows: ges {result.score:.2f} in {seconds:.3f} s; causal-learn {rescored:.2f} in "
        f"{float(done.stdout):.1f} s ({slower:.0f} times as long)",
        flush=True,
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("networks", nargs="*", default=list(PAPER))
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("--peer-rows", type=int, default=1000)
    arguments = parser.parse_args()
    measure(draw("child", 100, 1), ILGES(iterations=1))  # kernels are compiled here
    if arguments.peer:
        for name in ("alarm", "child"):
            compare_with_peer(name, arguments.peer_rows, arguments.peer)
    elif arguments.large:
        for name in LARGE:
            run_large(name)
    else:
        print("in brackets: Alonso et al. (2018), other samples of the same networks, Java on a 3 GHz Xeon")
        for name in arguments.networks:
            compare_with_paper(name, arguments.samples)


if __name__ == "__main__":
    main()
