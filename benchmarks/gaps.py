"""
Measure the gap that `learn` reports at the end of its time budget.

One process per table, several at a time. Each line has the number of variables, the score, the upper bound, the gap in
percent, the seconds that the run took, the share of the CPU time of all its threads, and the scope of the bound. The
default tables are those of the gauntlet with up to 1,000 variables, and four other ones of the folder debd.
Tables are read from BNSEARCH_DATA or ../shared/data.

A loaded machine makes the gaps larger: leave as many cores free as threads run, or compare the shares of CPU time.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from bnsearch import learn
from gauntlet_tables import TABLES, load_table

MORE = ("debd/plants.test", "debd/book.test", "debd/bbc.test", "debd/accidents.test")
LARGE = ("random/3000", "debd/bbc.test")  # tables of the gauntlet with more than 1,000 variables


def measure(name: str, seconds: float, threads: int, seed: int) -> None:
    """Print one line for a table."""
    data = load_table(name)
    learn(data, seconds=0.5, threads=threads, seed=seed)  # compiles and loads kernels
    began, cpu_began = time.perf_counter(), time.process_time()
    result = learn(data, seconds=seconds, threads=threads, seed=seed)
    took, cpu = time.perf_counter() - began, time.process_time() - cpu_began
    bound = "-" if result.bound is None else f"{result.bound:.4f}"
    gap = "-" if result.gap is None else f"{100 * result.gap:.4f}"
    print(
        f"{name:22} {len(data.names):6,} {result.score:16.4f} {bound:>16} {gap:>9} {took:8.1f} "
        f"{cpu / (threads * took):6.2f}  {result.scope}",
        flush=True,
    )


def main() -> None:
    """Run the benchmark."""
    own = [name for name in TABLES if name not in LARGE]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=[*own, *(name for name in MORE if name not in own)])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=1, help="number of tables at a time")
    arguments = parser.parse_args()
    if len(arguments.tables) == 1:
        measure(arguments.tables[0], arguments.seconds, arguments.threads, arguments.seed)
        return
    titles = f"{'table':22} {'vars':>6} {'score':>16} {'bound':>16} {'gap %':>9} {'seconds':>8} {'CPU':>6}  scope"
    print(titles, flush=True)
    options = (f"--{key}={getattr(arguments, key)}" for key in ("seconds", "threads", "seed"))
    command = [sys.executable, __file__, *options]
    with ThreadPoolExecutor(arguments.processes) as pool:
        runs = pool.map(lambda name: subprocess.run([*command, name], check=False), arguments.tables)
        if any(run.returncode for run in runs):
            raise SystemExit("a run has failed")


if __name__ == "__main__":
    main()
