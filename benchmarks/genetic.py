"""
Repeat the comparisons of Dai et al. (2020) with the genetic algorithms and their baselines, on one thread.

Tables 3, 4 and 9 of the paper: MIIGA, CGA, DGA, BNC-PSO, K2, IK2vMB, MMHC and BNPC on samples of five networks of the
repository, two tiled networks and seven random ones. Tables 5 to 7: ablations of MIIGA on some of them.

The program prints, for each method, the mean and the standard deviation over seeds of these measures: the BIC score,
CPU seconds, the generation of the best individual, the best score of the first generation, the structural Hamming
distance to the true network (between DAGs as in the paper, and between classes), and the coverage (Fig. 8). Then it
prints the claims of the paper and whether they hold (p < 0.05, Mann-Whitney). `--intervals` prints 95 % confidence
intervals instead of deviations (Fig. 5). `--curves FILE` writes the mean best score by generation with such intervals
(Figs. 6 and 7).

Every run is stored as one line in the file of results and is not run again. Networks are read from BNSEARCH_DATA or
../shared/data.
"""

from __future__ import annotations

import argparse
import csv
import json
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import mannwhitneyu

from bnsearch.dags import K2
from bnsearch.data import Dataset
from bnsearch.genetic.bncpso import BNCPSO
from bnsearch.genetic.cga import CGA
from bnsearch.genetic.dga import DGA
from bnsearch.genetic.miiga import MIIGA
from bnsearch.graphs.compare import compare
from bnsearch.independence import BNPC, MMHC, IK2vMB
from bnsearch.knowledge import Knowledge
from bnsearch.learning.search import search
from bnsearch.networks import BayesianNetwork, load_network, random_network, sample, tile
from bnsearch.runs.averages import interval, mean_scores_by_iteration
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.result import Result
from bnsearch.runs.stop import Iterations, Progress
from bnsearch.runs.trace import Trace
from bnsearch.scores import BIC
from counting import data_folder

REPOSITORY = {"asia": 1000, "insurance": 2000, "alarm": 5000, "hailfinder": 5000, "win95pts": 5000}  # rows
RANDOM = {"bn48": 68, "bn70": 96, "bn80": 104, "bn90": 125, "bn110": 150, "bn120": 161, "bn130": 202}  # edges: Table 8
TILED = {"child3": (3, 4), "child5": (5, 1)}  # copies of child, and edges between them: 79 and 126 edges, Table 8
MADE_ROWS = 5000
TABLES = (*REPOSITORY, *TILED, *RANDOM)
POPULATIONS: dict[str, MIIGA | CGA | DGA | BNCPSO] = {
    "MIIGA": MIIGA(distinct=False),
    "MIIGA, distinct": MIIGA(distinct=True),
    "CGA": CGA(),
    "DGA": DGA(),
    "BNC-PSO": BNCPSO(),
}
RIVALS = ("CGA", "DGA", "BNC-PSO")
OTHERS: dict[str, Method] = {
    "K2": K2(),
    "IK2vMB": IK2vMB(),
    "MMHC": MMHC(),
    "BNPC": BNPC(),
}
LIMITED = (K2, IK2vMB, MMHC)  # methods that have at most five parents for each variable, as the populations
PARTS: dict[str, dict[str, Any]] = {
    "-InitMI": {"start": "random"},
    "-PR": {"recombination": "conventional"},
    "+FixA": {"binding": "fixed", "mutation": "related"},
    "+RdA": {"binding": "random"},
}
WHOLES = {"MIIGA": False, "MIIGA, distinct": True}
VARIANTS = PARTS | {"+related": {"mutation": "related"}}  # exactly Algorithm 3, line 27
ABLATIONS = {w + part: MIIGA(distinct=d, **change) for w, d in WHOLES.items() for part, change in VARIANTS.items()}
COLUMNS = {
    "score": "BIC",
    "seconds": "CPU s",
    "best_at": "generation",
    "first": "first BIC",
    "shd": "SHD",
    "shd_cpdag": "of classes",
    "coverage": "coverage",
}
DIGITS = {"seconds": 2, "coverage": 3}


@dataclass(frozen=True)
class Record:
    """
    One run of one method on one table.

    `best_at` and `first` are None without generations; `curve` has the generation and score of each improvement.
    """

    table: str
    method: str
    generations: int
    seed: int
    score: float
    seconds: float
    best_at: int | None
    first: float | None
    shd: int
    shd_cpdag: int
    coverage: float | None = None
    curve: Sequence[tuple[int, float]] = ()

    @property
    def key(self) -> tuple[str, str, int, int]:
        """The table, method, generations and seed."""
        return self.table, self.method, self.generations, self.seed


@cache
def truth(table: str) -> BayesianNetwork:
    """Return the network that a table is sampled from."""
    if table in TILED:
        return tile(truth("child"), *TILED[table], seed=1)
    if table in RANDOM:
        n = int(table[2:])
        return random_network(n, RANDOM[table] / n, 4, n, max_parents=3)
    return load_network(str(data_folder() / "networks" / f"{table}.bif.gz"))


@cache
def draw_rows(table: str) -> Dataset:
    """Return the sample of a network that all methods use."""
    return sample(truth(table), REPOSITORY.get(table, MADE_ROWS), 1)


def measure(table: str, label: str, method: Method, generations: int, seed: int) -> Record:
    """Return the record of a search with an empty cache; the seconds include the setup."""
    data = draw_rows(table)
    began = time.process_time()
    known = Knowledge(max_parents=5) if isinstance(method, LIMITED) else None
    result = search(Problem(data=data, score=BIC(), knowledge=known), method, seed=seed, threads=1)
    seconds = time.process_time() - began
    difference = compare(truth(table).dag, result.dag)
    evolves = hasattr(method, "generations")
    best_at, first = summarise_history(result) if evolves else (None, None)
    return Record(
        table, label, generations, seed, result.score, seconds, best_at, first, difference.shd, difference.shd_cpdag,
        difference.coverage, [(p.iterations, p.score) for p in result.trace] if evolves else (),
    )  # fmt: skip


def summarise_history(result: Result) -> tuple[int, float]:
    """Return the generation of the best individual, and the best score of the first generation."""
    improvements = result.trace.points[:-1]
    return improvements[-1].iterations, max(point.score for point in improvements if point.iterations == 0)


def plan_runs(
    tables: Iterable[str], ablated: Sequence[str], generations: int, seeds: int
) -> Iterator[tuple[str, str, Method, int]]:
    """Yield the runs, seed by seed, so that an interrupted program has results of all methods."""
    for seed in range(1, seeds + 1):
        for table in tables:
            for label, method in (POPULATIONS | (ABLATIONS if table in ablated else {})).items():
                yield table, label, replace(method, generations=generations), seed
            for label, other in OTHERS.items():
                if seed == 1 or label != "BNPC":  # BNPC is deterministic
                    yield table, label, other, seed


def read_records(path: Path) -> dict[tuple[str, str, int, int], Record]:
    """Return the stored runs."""
    lines = path.read_text().splitlines() if path.exists() else []
    records = [Record(**json.loads(line)) for line in lines]
    return {record.key: record for record in records}


def print_results(records: Sequence[Record], tables: Iterable[str], ablated: Sequence[str], intervals: bool) -> None:
    """Print a table of results for each sample."""
    titles = "".join(f"{title:>19}" for title in COLUMNS.values())
    for table in tables:
        here = [r for r in records if r.table == table]
        if not here:
            continue
        problem = Problem(data=draw_rows(table), score=BIC())
        size = f"{problem.size} variables, {problem.needed_data.n_rows} rows, {len(truth(table).dag.edges)} edges"
        print(f"\n{table}: {size}; the true network scores {problem.scorer.network(truth(table).dag):.1f}")
        print(f"{'':24}{titles}")
        for label in (*POPULATIONS, *OTHERS, *(ABLATIONS if table in ablated else ())):
            mine = [r for r in here if r.method == label]
            if mine:
                print(f"{label:24}" + "".join(f"{format_cell(mine, field, intervals):>19}" for field in COLUMNS))


def format_cell(records: Sequence[Record], field: str, intervals: bool) -> str:
    """Return the mean with the deviation in brackets, or with half the width of the confidence interval."""
    values = [getattr(r, field) for r in records if getattr(r, field) is not None]
    if not values:
        return "-"
    digits = DIGITS.get(field, 1)
    mean, half = interval(values)
    if len(values) == 1:
        return f"{mean:.{digits}f}"
    spread = f" ± {half:.{digits}f}" if intervals else f" ({np.std(values, ddof=1):.{digits}f})"
    return f"{mean:.{digits}f}{spread}"


def write_curves(records: Sequence[Record], tables: Iterable[str], generations: int, path: Path) -> None:
    """Write the mean best score of each generation, with half the width of its 95 % interval, as CSV."""
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["table", "method", "generation", "mean", "half_width"])
        for table in tables:
            for label in POPULATIONS:
                mine = [r for r in records if (r.table, r.method) == (table, label) and r.curve]
                if mine:
                    traces = [Trace([Progress(iterations=g, score=s) for g, s in r.curve]) for r in mine]
                    for g, (mean, half) in enumerate(zip(*mean_scores_by_iteration(traces, generations), strict=True)):
                        rows.writerow([table, label, g, mean, half])


def judge_claim(records: Sequence[Record], table: str, field: str, first: str, second: str, sign: int) -> str | None:
    """Return whether the first method has more (sign 1) or less (-1) of a measure than the second on one table."""
    a, b = (
        [sign * float(getattr(r, field)) for r in records if r.table == table and r.method == label]
        for label in (first, second)
    )
    if not a or not b:
        return None
    b = b * len(a) if len(b) == 1 else b  # a deterministic method has one result
    p = float(mannwhitneyu(a, b).pvalue)
    if p >= 0.05:
        return "tie"
    return "holds" if np.mean(a) > np.mean(b) else "does not hold"


def print_claim(
    records: Sequence[Record], tables: Iterable[str], claim: str, field: str, first: str, second: str, sign: int
) -> None:
    """Print the tables on which a claim holds."""
    found: dict[str, list[str]] = {"holds": [], "tie": [], "does not hold": []}
    for table in tables:
        outcome = judge_claim(records, table, field, first, second, sign)
        if outcome is not None:
            found[outcome].append(table)
    text = "; ".join(f"{outcome}: {', '.join(where)}" for outcome, where in found.items() if where)
    print(f"  {claim:42} {text or 'not measured'}")


def print_all_claims(records: Sequence[Record], tables: Sequence[str], ablated: Sequence[str], whole: str) -> None:
    """Print the claims of the paper about MIIGA, and where they hold."""
    print(f"\nClaims of the paper about MIIGA, and where they hold here: {whole}")
    for other in RIVALS:
        print_claim(records, tables, f"scores higher than {other}", "score", whole, other, 1)
    for other in (*RIVALS, *OTHERS):
        print_claim(records, tables, f"closer to the truth than {other}", "shd", whole, other, -1)
    for other in RIVALS:
        print_claim(records, tables, f"fewer generations than {other}", "best_at", whole, other, -1)
    large = [table for table in tables if table in RANDOM and int(table[2:]) > 100]
    print_claim(records, large, "less close than MMHC beyond 100 variables", "shd", whole, "MMHC", 1)
    for part in PARTS:
        print_claim(records, ablated, f"scores higher than {part}", "score", whole, whole + part, 1)
        print_claim(records, ablated, f"closer to the truth than {part}", "shd", whole, whole + part, -1)
        later = 1 if part == "+FixA" else -1  # in the paper FixA stops improving early
        claim = f"{'more' if later > 0 else 'fewer'} generations than {part}"
        print_claim(records, ablated, claim, "best_at", whole, whole + part, later)
    print_claim(records, ablated, "starts better than -InitMI", "first", whole, whole + "-InitMI", 1)


def main() -> None:
    """Run the missing searches, then print all results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--seeds", type=int, default=5, help="runs of each method; 0 only prints stored results")
    parser.add_argument("--generations", type=int, default=500)
    parser.add_argument("--ablated", nargs="*", default=["insurance", "alarm"], help="tables of the ablations")
    parser.add_argument("--results", type=Path, default=Path("genetic.jsonl"))
    parser.add_argument("--intervals", action="store_true")
    parser.add_argument("--curves", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    generations, tables, ablated = arguments.generations, arguments.tables, arguments.ablated
    records = read_records(arguments.results)
    with arguments.results.open("a") as results:
        for table, label, method, seed in plan_runs(tables, ablated, generations, arguments.seeds):
            if (table, label, generations, seed) in records:
                continue
            warm = Problem(data=sample(load_network("asia"), 100, 1), score=BIC())
            search(warm, method, stop=Iterations(3), seed=1, threads=1)  # compiles or loads the kernels
            record = measure(table, label, method, generations, seed)
            records[record.key] = record
            print(json.dumps(asdict(record)), file=results, flush=True)
    mine = [record for record in records.values() if record.generations == generations]
    print_results(mine, tables, ablated, arguments.intervals)
    if arguments.curves:
        write_curves(mine, tables, generations, arguments.curves)
    for whole in WHOLES:
        print_all_claims(mine, tables, ablated, whole)


if __name__ == "__main__":
    main()
