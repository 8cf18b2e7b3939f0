"""
Measure candidate tables: seconds and the score of the relaxed solution H*, on one thread.

For each table: sequential selection with 2 and 3 parents where it fits into two minutes, independence and automatic
selection at equal total seconds. A higher H* is better. Tables come from BNSEARCH_DATA, or ../shared/data.
"""

from __future__ import annotations

import argparse

from bnsearch.data import Dataset
from bnsearch.parent_sets import Auto, Builder, Independence, Sequential
from bnsearch.scores import BIC
from counting import load

TABLES = ("plants.test", "accidents.test", "tretail.test", "dna.test", "book.test", "tmovie.test", "bbc.test")
FITS = 120.0


def measure(name: str, label: str, builder: Builder, data: Dataset) -> None:
    """Run one builder and print its line."""
    selection = builder.select(data, BIC(), threads=1)
    table = selection.table
    bound = float(table.scores[table.begin[:-1]].sum())
    print(
        f"{name:15} {label:18} {selection.seconds:8.2f} s  H* {bound:14.3f}  {table.n_sets:>10,} sets"
        f"  up to {table.max_parents} parents, exhaustive to {selection.exhaustive}"
        f"  {selection.scored:>13,} families scored ({selection.stop})",
        flush=True,
    )


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--seconds", type=float, nargs="*", default=[10.0, 60.0])
    arguments = parser.parse_args()
    warm = load("nltcs.valid")
    for builder in (Sequential(max_parents=3), Auto(seconds=60.0), Independence(seconds=2.0)):
        builder.select(warm, BIC(), threads=1)  # kernels are compiled here
    for name in arguments.tables:
        data = load(name)
        for parents in (2, 3):
            measure(name, f"sequential k={parents}", Sequential(max_parents=parents, seconds=FITS), data)
        for seconds in arguments.seconds:
            measure(name, f"independence {seconds:g} s", Independence(seconds=seconds), data)
            measure(name, f"auto {seconds:g} s", Auto(seconds=seconds), data)


if __name__ == "__main__":
    main()
