"""
Learn from large tables with `bnsearch learn`, and measure time and peak memory.

The wide table has many variables and few rows, the long one 50 variables and many rows. Both are samples of random
networks with about two parents for each variable and two to four states, as Parquet files in a temporary folder. The
program runs `bnsearch learn` in a process of its own. It prints the time of the whole command, the time of this process
and its children on the processors, the largest sum of their resident memory, the score, and the score of the best
forest. The exit status is 1 if a run exceeds the given memory, or is not better than the best forest.

    python benchmarks/large.py                                       # 20,000 variables, and 10 million rows
    python benchmarks/large.py --variables 2000 --seconds 30 --rows 0
    python benchmarks/large.py --variables 0 --rows 1000000 --long-seconds 20
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl

import bnsearch
from bnsearch.dags.pair_gains import compute_pair_gains

WIDE_ROWS, LONG_COLUMNS = 1000, 50
CHUNK_ROWS = 500_000  # rows of the long table that are sampled at a time
SAMPLING_SECONDS = 0.1  # time between two measurements of the memory


def make_wide_table(path: Path, variables: int) -> None:
    """Write a table of many variables and WIDE_ROWS rows."""
    bnsearch.random_network(variables, 2.0, 4, 1, max_parents=3).sample(WIDE_ROWS, 1).write(path)


def make_long_table(path: Path, rows: int) -> None:
    """Write a table of LONG_COLUMNS variables and many rows, as text; each chunk of rows is a row group."""
    network = bnsearch.random_network(LONG_COLUMNS, 2.0, 4, 1, max_parents=3)
    parts = [path.with_name(f"{first}.parquet") for first in range(0, rows, CHUNK_ROWS)]
    for part in parts:
        first = int(part.stem)
        sample = network.sample(min(CHUNK_ROWS, rows - first), first)
        sample.to_polars().cast(pl.String).write_parquet(part)
    pl.scan_parquet(parts).sink_parquet(path, row_group_size=CHUNK_ROWS)
    for part in parts:
        part.unlink()


def score_best_forest(path: Path) -> float:
    """Return the BIC of the best forest (Chow & Liu 1968)."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    pairs = compute_pair_gains(bnsearch.Problem(data=bnsearch.Dataset.read(path), score=bnsearch.BIC()), threads=2)
    n = len(pairs.empty_scores)
    tree = minimum_spanning_tree(csr_array((-pairs.gain, pairs.parent, pairs.begin), shape=(n, n)))
    return math.fsum(pairs.empty_scores) - float(tree.sum())


def measure_memory(process: int) -> int:
    """Return the resident memory of a process and all its descendants in bytes."""
    total, waiting = 0, [process]
    while waiting:
        folder = Path(f"/proc/{waiting.pop()}")
        try:
            total += int((folder / "statm").read_text().split()[1]) * resource.getpagesize()
            for children in folder.glob("task/*/children"):
                waiting += [int(child) for child in children.read_text().split()]
        except (OSError, IndexError):  # the process has ended
            continue
    return total


def run_learn(path: Path, seconds: float, options: list[str]) -> tuple[dict[str, float], str]:
    """Run `bnsearch learn` on a table; return the measurements and the notes of the result."""
    output = path.with_suffix(".bif")
    command = [sys.executable, "-m", "bnsearch", "learn", str(path), "--seconds", str(seconds), "--json", "-q"]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    peak = 0
    with tempfile.TemporaryFile() as printed:  # a pipe would be full before the process ends
        process = subprocess.Popen([*command, "-o", str(output), *options], stdout=printed)
        while process.poll() is None:
            peak = max(peak, measure_memory(process.pid))
            time.sleep(SAMPLING_SECONDS)
        printed.seek(0)
        result = json.load(printed)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "seconds": time.monotonic() - started,
        "processor seconds": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        "peak GB": peak / 1e9,
        "score": result["score"],
        "megabytes of the network": output.stat().st_size / 1e6,
    }, "; ".join(result["notes"])


def report_run(path: Path, seconds: float, max_gigabytes: float, options: list[str]) -> bool:
    """Learn from a table, and print the measurements; return True if the run is within the limits."""
    found, notes = run_learn(path, seconds, options)
    forest = score_best_forest(path)
    print(f"{path.stem}: {found | {'best forest': forest}}", flush=True)
    print(f"    {notes}", flush=True)
    return found["peak GB"] <= max_gigabytes and found["score"] > forest and np.isfinite(found["score"])


def main() -> None:
    """Make the tables that are asked for, learn from them, and print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variables", type=int, default=20_000, help="variables of the wide table; 0: none")
    parser.add_argument("--seconds", type=float, default=300.0, help="time budget for the wide table")
    parser.add_argument("--rows", type=float, default=1e7, help="rows of the long table; 0: none")
    parser.add_argument("--long-seconds", type=float, default=60.0, help="time budget for the long table")
    parser.add_argument("--folder", type=Path, help="folder for the tables, which are kept; a temporary one by default")
    parser.add_argument("options", nargs="*", help="further options of `bnsearch learn`, after --")
    arguments = parser.parse_args()
    is_good = True
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        if arguments.variables:
            path = folder / f"wide_{arguments.variables}.parquet"
            if not path.exists():
                make_wide_table(path, arguments.variables)
            is_good &= report_run(path, arguments.seconds, 8.0, arguments.options)
        if arguments.rows:
            path = folder / f"long_{int(arguments.rows)}.parquet"
            if not path.exists():
                make_long_table(path, int(arguments.rows))
            is_good &= report_run(path, arguments.long_seconds, 6.0, arguments.options)
    sys.exit(0 if is_good else 1)


if __name__ == "__main__":
    main()
