"""
Compare the searches over equivalence classes with Tables 3 to 5 of Alonso et al. (2018), on one thread.

For each network, the program draws ten samples of 10,000 rows and runs GES, iGES, GRESP, VNGES and ILGES with the
parameters of the paper: BDeu with ess 10 and the kappa prior. It prints the mean score, CPU seconds, local scores
requested, distinct families among them and set values computed, and whether a method falls below GES. `--results FILE`
stores each search as one line of JSON. A search that is stored is not run again, so an interrupted run can be
continued.

`--large` runs GES on pigs, link and munin (5,000 rows). `--peer PYTHON` compares GES with the GES of causal-learn,
which must be installed for that interpreter. Networks are read from BNSEARCH_DATA or ../shared/data.

States that do not occur in a sample are dropped, because a program that reads a table does not know them. The prior
penalises every declared state, so this changes the scores where many states are rare. GES on samples 1 and 2:

             all states            observed states       paper
    mildew   -494,375, -493,611    -489,025, -486,168    -487,043   (72 and 83 of 616 states do not occur)
    water    -130,301, -130,228    -129,434, -129,365    -129,503   (37 and 37 of 116)
    barley   -546,323, -547,362    -544,593, -546,318    -545,412   (8 and 7 of 421)

In the other networks at most one state does not occur. Without the prior the score of mildew would be about -448,000.

The calls to the metric in the paper, computed or retrieved from a cache of local scores, are the distinct families.
Counting them takes up to a fifth of the seconds. One set value of this library is used for all families over the set.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bnsearch.data import Dataset
from bnsearch.equivalence import GES, GRESP, IGES, ILGES, VNGES
from bnsearch.graphs import PDAG, extension
from bnsearch.learning.search import search
from bnsearch.networks import load_network, sample
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.result import Result
from bnsearch.scores import BDeu
from bnsearch.scores.score import Score, improves
from counting import data_folder

ROWS = 10_000
PAPER_SCORE = BDeu(ess=10.0, prior=True)  # section 5.1
METHODS: tuple[Method, ...] = tuple(kind(count_families=True) for kind in (GES, IGES, GRESP, VNGES, ILGES))
Record = dict[str, Any]  # network, sample, method, score, seconds, asked, families, computed

# Tables 3 (BDeu), 4 (seconds) and 5 (calls): GES, GRESP, VNGES, ILGES.
IN_PAPER = ("ges", "gresp", "vnges", "ilges")
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

# The BDeu of causal-learn always includes a structure prior of about log(1 / (n - 2)) for each edge.
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
    """Return a sample of a network of the repository."""
    return sample(load_network(data_folder() / "networks" / f"{name}.bif.gz"), rows, seed)


def measure(data: Dataset, method: Method, score: Score = PAPER_SCORE) -> tuple[Result, float]:
    """Return the result of a search with an empty cache and its CPU seconds, including the setup."""
    began = time.process_time()
    result = search(Problem(data=data, score=score), method, seed=1, threads=1)
    return result, time.process_time() - began


def drop_unobserved_states(data: Dataset) -> Dataset:
    """Return a table without the states that do not occur in it."""
    found = [np.unique(codes, return_inverse=True) for codes in data.codes]
    states = [[its[i] for i in kept] for its, (kept, _) in zip(data.states, found, strict=True)]
    return Dataset.from_codes(np.stack([codes for _, codes in found], axis=1), names=data.names, states=states)


def read_results(path: Path | None) -> list[Record]:
    """Return the records of a file; incomplete lines of interrupted runs are ignored."""
    records = []
    for line in path.read_text().splitlines() if path and path.exists() else []:
        try:
            records.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return records


def append_record(record: Record, path: Path | None) -> None:
    """Append the record of a search to the file."""
    if path:
        with path.open("a+") as file:
            file.seek(0)
            text = file.read()
            file.write("\n" * (text != "" and text[-1] != "\n") + json.dumps(record) + "\n")


def run_all(networks: list[str], samples: int, known: list[Record], path: Path | None) -> Iterator[Record]:
    """Yield the record of every search, sample by sample; searches that are not in `known` are run."""
    done = {(r["network"], r["sample"], r["method"]): r for r in known}
    for sample_number in range(1, samples + 1):
        for name in networks:
            todo = [m for m in METHODS if (name, sample_number, m.name) not in done]
            yield from (done[name, sample_number, m.name] for m in METHODS if m not in todo)
            data = drop_unobserved_states(draw(name, ROWS, sample_number)) if todo else None
            for method in todo:
                assert data is not None
                result, seconds = measure(data, method)
                record = {"network": name, "sample": sample_number, "method": method.name, "score": result.score}
                record |= {"seconds": seconds, "asked": result.evaluations}
                record |= {"families": result.families, "computed": result.computed}
                append_record(record, path)
                yield record


def select_column(records: list[Record], network: str, method: str, what: str) -> dict[int, float]:
    """Return one measure of a method on a network, by sample."""
    return {r["sample"]: r[what] for r in records if (r["network"], r["method"]) == (network, method)}


def print_tables(records: list[Record], networks: list[str]) -> None:
    """Print one line for each network and method."""
    print("\nin brackets: Alonso et al. (2018), other samples of the same networks, Java on a 3 GHz Xeon")
    for name in networks:
        for method in METHODS:
            scores = list(select_column(records, name, method.name, "score").values())
            if not scores:
                continue
            seconds, asked, families, computed = (
                np.mean(list(select_column(records, name, method.name, what).values()))
                for what in ("seconds", "asked", "families", "computed")
            )
            paper = ["-"] * 3
            if method.name in IN_PAPER:
                paper = [f"{table[IN_PAPER.index(method.name)]:,}" for table in PAPER[name]]
            score = np.mean(scores)
            print(
                f"{name:11}{method.name:6}{len(scores):3} samples{score:10,.0f} ({paper[0]:>8}){score / ROWS:9.4f} "
                f"a row {seconds:8.3f} s ({paper[1]:>6} s) {asked:11,.0f} asked "
                f"{families:8,.0f} families ({paper[2]:>7}) {computed:7,.0f} computed"
            )


def print_relations(records: list[Record], networks: list[str]) -> None:
    """Print, for each network, whether the mean score of a method is at least that of GES."""
    print("\nGES <= method, by the mean of the samples that both have (samples above, below GES)")
    for name in networks:
        base = select_column(records, name, "ges", "score")
        parts = []
        for method in METHODS[1:]:
            other = select_column(records, name, method.name, "score")
            both = sorted(base.keys() & other.keys())
            if not both:
                continue
            gain = float(np.mean([other[i] - base[i] for i in both]))
            mean = float(np.mean([base[i] for i in both]))
            above = sum(improves(other[i], base[i]) for i in both)
            below = sum(improves(base[i], other[i]) for i in both)
            holds = "does not hold" if improves(mean, mean + gain) else "holds"
            parts.append(f"{method.name} {holds} {gain:+.1f} ({above}, {below})")
        print(f"{name:11}" + "; ".join(parts))


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
    """Print the results of GES and of causal-learn on one sample, both scored with BDeu (ess 1, no prior)."""
    data = drop_unobserved_states(draw(name, rows, 1))
    score = BDeu(ess=1.0)
    with tempfile.TemporaryDirectory() as folder:
        table, graph = Path(folder, "table.csv"), Path(folder, "graph.txt")
        np.savetxt(table, data.codes.T, fmt="%d", delimiter=",")
        done = subprocess.run([python, "-c", PEER, table, graph], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            print(f"{name}: causal-learn is not available for {python}: {done.stderr.strip().splitlines()[-1]}")
            return
        ends = np.loadtxt(graph)
    theirs = extension(PDAG(data.names, ends == -1))  # -1 at [i, j]: the edge has its tail, or no mark, at i
    problem = Problem(data=data, score=score)
    rescored = problem.scorer.network(theirs)
    result, seconds = min((measure(data, GES(), score) for _ in range(3)), key=lambda pair: pair[1])
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
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="file of JSON lines for the results; stored results are not measured again",
    )
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--peer", metavar="PYTHON")
    parser.add_argument("--peer-rows", type=int, default=1000)
    arguments = parser.parse_args()
    networks = arguments.networks
    if unknown := set(networks) - set(PAPER):
        parser.error(f"these networks are not in the paper: {', '.join(sorted(unknown))}")
    for method in METHODS:
        measure(draw("child", 100, 1), method)  # compiles or loads the kernels
    if arguments.peer:
        for name in ("alarm", "child"):
            compare_with_peer(name, arguments.peer_rows, arguments.peer)
    elif arguments.large:
        for name in LARGE:
            run_large(name)
    else:
        records = []
        for record in run_all(networks, arguments.samples, read_results(arguments.results), arguments.results):
            records.append(record)
            print(
                "{network:11} sample {sample:2} {method:6} {score:13.1f} {seconds:8.3f} s".format(**record), flush=True
            )
        print_tables(records, networks)
        print_relations(records, networks)


if __name__ == "__main__":
    main()
