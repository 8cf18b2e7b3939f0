"""
Measure the genetic algorithms and what they were compared with, in the form of Dai et al. (2020), on one thread.

Tables 3, 4 and 9: MIIGA beside CGA, DGA, BNC-PSO, K2, IK2vMB, MMHC and BNPC on samples of five networks of the
repository, of two that are tiled and of seven random ones; Tables 5 to 7: MIIGA without one of its parts, on some of
them. For each: mean and standard deviation, over seeds, of the BIC score, CPU seconds, the generation at which the best
appeared, the best score of the first generation, the structural Hamming distance to the truth, between the DAGs as in
the paper and between the classes, and the coverage (Fig. 8). Then what the paper claims, and whether it holds here (p <
0.05, Mann-Whitney). `--intervals` prints 95 % confidence intervals in place of deviations (Fig. 5), `--curves FILE`
writes the mean best score by generation with such intervals (Figs. 6 and 7).

Every run is one line of the file of results; those that are there are not run again. Networks come from BNSEARCH_DATA,
or ../shared/data.
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
    "K2": K2(max_parents=5),
    "IK2vMB": IK2vMB(max_parents=5),
    "MMHC": MMHC(max_parents=5),
    "BNPC": BNPC(),
}
PARTS: dict[str, dict[str, Any]] = {
    "-InitMI": {"start": "random"},
    "-PR": {"recombination": "conventional"},
    "+FixA": {"binding": "fixed", "mutation": "related"},
    "+RdA": {"binding": "random"},
}
WHOLES = {"MIIGA": False, "MIIGA, distinct": True}
VARIANTS = PARTS | {"+related": {"mutation": "related"}}  # Algorithm 3, line 27, to the letter
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

    best_at and first are None where there are no generations; curve holds the generation and score of each improvement.
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
        """What was run."""
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
def rows_of(table: str) -> Dataset:
    """Return the one sample of a network that all methods see."""
    return sample(truth(table), REPOSITORY.get(table, MADE_ROWS), 1)


def measure(table: str, label: str, method: Method, generations: int, seed: int) -> Record:
    """Search from scratch, with a cache of its own; setting up is part of the seconds."""
    data = rows_of(table)
    began = time.process_time()
    result = search(Problem(data=data, score=BIC()), method, seed=seed, threads=1)
    seconds = time.process_time() - began
    difference = compare(truth(table).dag, result.dag)
    evolves = hasattr(method, "generations")
    best_at, first = history(result) if evolves else (None, None)
    return Record(
        table, label, generations, seed, result.score, seconds, best_at, first, difference.shd, difference.shd_cpdag,
        difference.coverage, [(p.iterations, p.score) for p in result.trace] if evolves else (),
    )  # fmt: skip


def history(result: Result) -> tuple[int, float]:
    """Return the generation at which the best appeared, and the best score of the first one."""
    improvements = result.trace.points[:-1]
    return improvements[-1].iterations, max(point.score for point in improvements if point.iterations == 0)


def planned(
    tables: Iterable[str], ablated: Sequence[str], generations: int, seeds: int
) -> Iterator[tuple[str, str, Method, int]]:
    """Yield what is to be run, seed by seed, so that a run that is stopped has something of everything."""
    for seed in range(1, seeds + 1):
        for table in tables:
            for label, method in (POPULATIONS | (ABLATIONS if table in ablated else {})).items():
                yield table, label, replace(method, generations=generations), seed
            for label, other in OTHERS.items():
                if seed == 1 or label != "BNPC":  # which draws nothing
                    yield table, label, other, seed


def read(path: Path) -> dict[tuple[str, str, int, int], Record]:
    """Read the runs there are."""
    lines = path.read_text().splitlines() if path.exists() else []
    records = [Record(**json.loads(line)) for line in lines]
    return {record.key: record for record in records}


def show(records: Sequence[Record], tables: Iterable[str], ablated: Sequence[str], intervals: bool) -> None:
    """Print a table for each sample."""
    titles = "".join(f"{title:>19}" for title in COLUMNS.values())
    for table in tables:
        here = [r for r in records if r.table == table]
        if not here:
            continue
        problem = Problem(data=rows_of(table), score=BIC())
        size = f"{problem.size} variables, {problem.needed_data.n_rows} rows, {len(truth(table).dag.edges)} edges"
        print(f"\n{table}: {size}; the truth scores {problem.scorer.network(truth(table).dag):.1f}")
        print(f"{'':24}{titles}")
        for label in (*POPULATIONS, *OTHERS, *(ABLATIONS if table in ablated else ())):
            mine = [r for r in here if r.method == label]
            if mine:
                print(f"{label:24}" + "".join(f"{cell(mine, field, intervals):>19}" for field in COLUMNS))


def cell(records: Sequence[Record], field: str, intervals: bool) -> str:
    """Return a mean, and the deviation in brackets, or half the width of the confidence interval."""
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


def verdict(records: Sequence[Record], table: str, field: str, first: str, second: str, sign: int) -> str | None:
    """Tell whether the first method has more (sign 1) or less (-1) of a measure than the second on one table."""
    a, b = (
        [sign * float(getattr(r, field)) for r in records if r.table == table and r.method == label]
        for label in (first, second)
    )
    if not a or not b:
        return None
    b = b * len(a) if len(b) == 1 else b  # a method that draws nothing always finds the same
    p = float(mannwhitneyu(a, b).pvalue)
    if p >= 0.05:
        return "tie"
    return "holds" if np.mean(a) > np.mean(b) else "does not hold"


def check(
    records: Sequence[Record], tables: Iterable[str], claim: str, field: str, first: str, second: str, sign: int
) -> None:
    """Print on which tables a claim holds."""
    found: dict[str, list[str]] = {"holds": [], "tie": [], "does not hold": []}
    for table in tables:
        outcome = verdict(records, table, field, first, second, sign)
        if outcome is not None:
            found[outcome].append(table)
    told = "; ".join(f"{outcome}: {', '.join(where)}" for outcome, where in found.items() if where)
    print(f"  {claim:42} {told or 'not measured'}")


def check_claims(records: Sequence[Record], tables: Sequence[str], ablated: Sequence[str], whole: str) -> None:
    """Print what the paper says of MIIGA, and where it holds."""
    print(f"\nWhat the paper claims of MIIGA, and where it holds here: {whole}")
    for other in RIVALS:
        check(records, tables, f"scores higher than {other}", "score", whole, other, 1)
    for other in (*RIVALS, *OTHERS):
        check(records, tables, f"nearer to the truth than {other}", "shd", whole, other, -1)
    for other in RIVALS:
        check(records, tables, f"fewer generations than {other}", "best_at", whole, other, -1)
    large = [table for table in tables if table in RANDOM and int(table[2:]) > 100]
    check(records, large, "less near than MMHC beyond 100 variables", "shd", whole, "MMHC", 1)
    for part in PARTS:
        check(records, ablated, f"scores higher than {part}", "score", whole, whole + part, 1)
        check(records, ablated, f"nearer to the truth than {part}", "shd", whole, whole + part, -1)
        later = 1 if part == "+FixA" else -1  # the paper's is stuck early
        claim = f"{'more' if later > 0 else 'fewer'} generations than {part}"
        check(records, ablated, claim, "best_at", whole, whole + part, later)
    check(records, ablated, "begins better than -InitMI", "first", whole, whole + "-InitMI", 1)


def main() -> None:
    """Run what has not been run yet, then print everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--seeds", type=int, default=5, help="runs of each method; 0 only prints what is there")
    parser.add_argument("--generations", type=int, default=500)
    parser.add_argument("--ablated", nargs="*", default=["insurance", "alarm"], help="the tables of the ablations")
    parser.add_argument("--results", type=Path, default=Path("genetic.jsonl"))
    parser.add_argument("--intervals", action="store_true")
    parser.add_argument("--curves", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    generations, tables, ablated = arguments.generations, arguments.tables, arguments.ablated
    records = read(arguments.results)
    with arguments.results.open("a") as results:
        for table, label, method, seed in planned(tables, ablated, generations, arguments.seeds):
            if (table, label, generations, seed) in records:
                continue
            warm = Problem(data=sample(load_network("asia"), 100, 1), score=BIC())
            search(warm, method, stop=Iterations(3), seed=1, threads=1)  # kernels are compiled here
            record = measure(table, label, method, generations, seed)
            records[record.key] = record
            print(json.dumps(asdict(record)), file=results, flush=True)
    mine = [record for record in records.values() if record.generations == generations]
    show(mine, tables, ablated, arguments.intervals)
    if arguments.curves:
        write_curves(mine, tables, generations, arguments.curves)
    for whole in WHOLES:
        check_claims(mine, tables, ablated, whole)


if __name__ == "__main__":
    main()
