"""
Measure the regret of `learn`: the difference between its score and the best score of all other programs.

The other programs are the methods of this library, under the same budget, and programs of other packages (peers), which
run in the interpreter of `--peer PYTHON` (with pyagrum, andrey-core, pgmpy, pandas). A peer runs to its own end, once
for each table and score. It counts at a budget if it ends within ten times that budget, and is killed after ten times
the largest budget. Budgets of more than 10 s are measured on ten tables, with BIC and the first seed. BDeu has ess 10
and is measured on ten tables; peers maximise BDeu with the ess that their packages fix. One scorer scores all networks.

Every run is stored immediately as a line of JSON in the file of `--results`; a second call measures what is missing.
Press Ctrl-C to interrupt. `--redo METHOD` discards the selected records of a method first; after an interruption,
continue without it. `--report FILE` writes the regrets as Markdown, of all records with this number of threads.

`--anytime` compares the incumbent after t seconds of a 60 s run with the result of a run of t/2 seconds, `--longer`
runs of 10, 60 and 300 s, and `--punctual` prints how late `learn` ends on 1,058 variables. They use the same file.
Tables are read from BNSEARCH_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from bnsearch._tools.files import atomic_write
from bnsearch.errors import InputError
from bnsearch.learning.methods import METHODS
from gauntlet_report import print_regrets, render_markdown
from gauntlet_runs import OWN, Cell, Record, Results, estimate_seconds, measure_cells, plan_cells
from gauntlet_tables import LONG, LONGEST, PUNCTUAL, TABLES
from peers import PEERS

RESULTS = Path.home() / ".cache" / "bnsearch" / "gauntlet.jsonl"
MOMENTS = (2.0, 5.0, 10.0, 30.0)  # seconds of a long run, compared with runs of half as many seconds
TOLERANCE = 0.0002  # relative loss against a shorter run that is not a failure
PUNCTUAL_BUDGETS = (1.0, 5.0, 30.0)


def select_methods(asked: Sequence[str], peer: str | None) -> list[str]:
    """Return the methods that can be measured; print the others with the reason."""
    unknown = [name for name in asked if name not in PEERS and name not in METHODS]
    skipped = dict.fromkeys(unknown, "no method of this name is registered")
    skipped |= {name: "it needs --peer PYTHON" for name in PEERS if name in asked and peer is None}
    for name, reason in skipped.items():
        print(f"skip {name}: {reason}")
    return [name for name in asked if name not in skipped]


def auto_cells(tables: Sequence[str], budgets: Sequence[float], seeds: Sequence[int], threads: int) -> list[Cell]:
    """Return cells of `learn` with BIC."""
    return [Cell(table, "bic", "auto", b, seed, threads) for table in tables for seed in seeds for b in budgets]


def print_anytime(tables: Sequence[str], seeds: Sequence[int], threads: int, results: Results) -> None:
    """Print the incumbents of long runs next to the results of short ones."""
    print("\nincumbent after t seconds of a 60 s run, and the result of a run of t/2 seconds")
    failures, compared = 0, 0
    for table in tables:
        for seed in seeds:
            long = results.get(Cell(table, "bic", "auto", 60.0, seed, threads))
            for t in MOMENTS:
                short = results.get(Cell(table, "bic", "auto", t / 2, seed, threads))
                if long is None or short is None or "value" not in long or "value" not in short:
                    continue
                at = max((score for seconds, score in long["trace"] if seconds <= t), default=float("-inf"))
                loss = (short["value"] - at) / abs(short["value"])
                compared += 1
                failures += loss > TOLERANCE
                mark = "  FAILS" if loss > TOLERANCE else ""
                print(f"  {table:22} seed {seed} t={t:<3g} {at:16.3f} {short['value']:16.3f} {100 * loss:9.4f} %{mark}")
    print(f"  {failures} of {compared} comparisons lose more than {100 * TOLERANCE:g} %")


def print_longer(tables: Sequence[str], seed: int, threads: int, results: Results) -> None:
    """Print the gains of longer runs."""
    print("\ngains of longer runs")
    for table in tables:
        for short, long in ((10.0, 60.0), (60.0, 300.0)):
            less, more = (results.get(Cell(table, "bic", "auto", b, seed, threads)) for b in (short, long))
            if less is None or more is None or "value" not in less or "value" not in more:
                continue
            gain = 100 * (more["value"] - less["value"]) / abs(less["value"])
            mark = "  WORSE" if gain < 0 else ""
            scores = f"{less['value']:16.3f} {more['value']:16.3f}"
            print(f"  {table:22} {long:g} s over {short:g} s: {scores} {gain:9.4f} %{mark}")


def print_punctual(seeds: Sequence[int], threads: int, results: Results) -> None:
    """Print how late a run ends, and the time of its first network."""
    print(f"\npunctuality on {PUNCTUAL}")
    for cell in auto_cells([PUNCTUAL], PUNCTUAL_BUDGETS, seeds, threads):
        record: Record | None = results.get(cell)
        if record is not None and "value" in record:
            late, first = record["seconds"] - cell.budget, record["trace"][0][0]
            print(
                f"  {cell.budget:g} s, seed {cell.seed}: {late:+.3f} s over the budget, first network at {first:.3f} s"
            )


def parse_arguments() -> argparse.Namespace:
    """Return the command-line options."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--tables", default="*", metavar="GLOB", help="names separated by commas, e.g. 'debd/*,alarm/*'"
    )
    parser.add_argument("--budgets", default="1,10,60", help="seconds, separated by commas")
    parser.add_argument("--methods", default=",".join((*OWN, *PEERS)), help="names, separated by commas")
    parser.add_argument("--seeds", default="1,2", help="separated by commas")
    parser.add_argument("--scores", default="bic,bdeu", help="bic, bdeu or both")
    parser.add_argument("--peer", metavar="PYTHON", help="an interpreter with the packages of the peers")
    parser.add_argument("--peer-limit", type=float, default=math.inf, help="maximum seconds for a peer")
    parser.add_argument("--threads", type=int, default=1, help="number of threads of every run")
    parser.add_argument("--jobs", type=int, default=1, help="number of cells measured at the same time")
    parser.add_argument("--results", type=Path, default=RESULTS, metavar="FILE")
    parser.add_argument("--redo", default="", metavar="METHOD", help="measure these methods again")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the regrets as Markdown")
    parser.add_argument(
        "--measure",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="with --no-measure, only print stored records",
    )
    parser.add_argument("--anytime", action="store_true")
    parser.add_argument("--longer", action="store_true")
    parser.add_argument("--punctual", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Run the benchmark."""
    options = parse_arguments()
    patterns = options.tables.split(",")
    tables = [name for name in TABLES if any(fnmatchcase(name, pattern) for pattern in patterns)]
    if not tables:
        raise InputError(f"no table matches {options.tables}: the names are {', '.join(TABLES)}")
    seeds = [int(seed) for seed in options.seeds.split(",")]
    budgets = [float(budget) for budget in options.budgets.split(",")]
    results, threads = Results(options.results), options.threads
    long, longest = [t for t in LONG if t in tables], [t for t in LONGEST if t in tables]
    cells: list[Cell] = []
    if options.anytime:
        cells += auto_cells(long, [*(t / 2 for t in MOMENTS), 60.0], seeds, threads)
    if options.longer:
        cells += auto_cells(longest, [10.0, 60.0, 300.0], seeds[:1], threads)
    if options.punctual:
        cells += auto_cells([PUNCTUAL], PUNCTUAL_BUDGETS, seeds, threads)
    special = options.anytime or options.longer or options.punctual
    if not special:
        chosen = select_methods(options.methods.split(","), options.peer)
        cells = plan_cells(tables, options.scores.split(","), chosen, budgets, seeds, threads, options.peer_limit)
    if options.measure:
        measure(list(dict.fromkeys(cells)), results, options)
    if options.anytime:
        print_anytime(long, seeds, threads, results)
    if options.longer:
        print_longer(longest, seeds[0], threads, results)
    if options.punctual:
        print_punctual(seeds, threads, results)
    if not special:
        print_regrets(results, threads)
    if options.report is not None:
        with atomic_write(options.report) as path:
            path.write_text(render_markdown(results, threads))


def measure(cells: Sequence[Cell], results: Results, options: argparse.Namespace) -> None:
    """Print an estimate of the time, then measure the missing cells."""
    results.discard(cell for cell in cells if cell.method in options.redo.split(","))
    missing = [cell for cell in cells if results.get(cell) is None]
    own, peers = (seconds / 3600 / options.jobs for seconds in estimate_seconds(missing))
    print(
        f"{len(missing)} of {len(cells)} cells are missing, {options.jobs} measured at a time: at most {own:.2f} h for"
    )
    print(f"this library and {peers:.2f} h for peers; many end early. Results: {results.path}", flush=True)
    try:
        measure_cells(missing, results, options.peer, options.jobs)
    except KeyboardInterrupt:
        raise SystemExit("interrupted: the same call measures what is missing (without --redo)") from None


if __name__ == "__main__":
    main()
