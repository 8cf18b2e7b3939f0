"""
Measure candidate tables: seconds and the score of the relaxed solution H*, on one thread.

For each table, the program runs sequential selection with 2 and 3 parents if it takes less than two minutes, and
independence and automatic selection with equal time budgets. A higher H* is better. The last line of a table says
whether auto is at least as good as all others that took no more time. Tables are read from BNSEARCH_DATA or
../shared/data.
"""

from __future__ import annotations

import argparse
import sys
from math import comb

from bnsearch.data import Dataset
from bnsearch.errors import BnsearchError
from bnsearch.parent_sets import relaxed
from bnsearch.scores import BIC
from bnsearch.selection import Auto, Builder, Independence, Sequential
from counting import load

TABLES = ("plants.test", "accidents.test", "tretail.test", "dna.test", "book.test", "tmovie.test", "bbc.test")
MAX_SECONDS = 120.0  # for sequential selection
PACE = 4e7  # families per second, for the estimate of the time of sequential selection


def measure(name: str, label: str, builder: Builder, data: Dataset) -> tuple[float, float]:
    """Run one builder, print the results, and return its seconds and H*."""
    selection = builder.select(data, BIC(), threads=1)
    table = selection.table
    bound = relaxed(table).score
    print(
        f"{name:15} {label:18} {selection.seconds:8.2f} s  H* {bound:14.3f}  {table.n_sets:>10,} sets"
        f"  up to {table.max_parents} parents, all sets to {selection.depth}"
        f"  {selection.scored:>13,} families scored ({selection.stop})",
        flush=True,
    )
    return selection.seconds, bound


def compare(name: str, data: Dataset, budgets: list[float]) -> bool:
    """Measure one table; return True if auto is at least as good as all others that took no more time."""
    n = data.n_variables
    others = []
    for parents in (2, 3):
        if n * comb(n - 1, parents) <= MAX_SECONDS * PACE:
            builder = Sequential(max_parents=parents, seconds=MAX_SECONDS)
            others.append((f"sequential k={parents}", *measure(name, f"sequential k={parents}", builder, data)))
    lost = []
    for seconds in budgets:
        label = f"independence {seconds:g} s"
        rivals = [*others, (label, *measure(name, label, Independence(seconds=seconds), data))]
        _, own = measure(name, f"auto {seconds:g} s", Auto(seconds=seconds), data)
        lost += [
            f"{label} by {bound - own:.3f} at {seconds:g} s"
            for label, spent, bound in rivals
            if spent <= 1.05 * seconds and bound > own + 1e-6 * abs(own)
        ]
    verdict = f"loses to {', '.join(lost)}" if lost else "is at least as good as all others that took no more time"
    print(f"{name:15} auto {verdict}", flush=True)
    return not lost


def main() -> int:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--seconds", type=float, nargs="*", default=[10.0, 60.0])
    arguments = parser.parse_args()
    good = True
    for name in arguments.tables:
        try:
            good = compare(name, load(name), arguments.seconds) and good
        except BnsearchError as error:
            print(f"{name:15} {error}", file=sys.stderr)
            good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
