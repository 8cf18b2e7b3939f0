"""
Learn a network from each of many tables, on one machine or as an array of jobs on a cluster.

    python many_tables.py tables/*.csv                    # all tables
    python many_tables.py tables/*.csv --part 3 --of 20   # every 20th table, from the third on: one job of twenty

Each table gives one JSON file. Tables with a result are skipped, so a job that was stopped can be started again. A
number of iterations and a seed make the results the same on every machine.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import bnsearch


def learn_table(path: Path) -> None:
    """Learn the network of one table, and write its edges and its score beside it."""
    target = path.with_suffix(".json")
    if target.exists():
        return
    stop = bnsearch.Iterations(10)
    result = bnsearch.learn(path, method="hillclimb", seconds=None, stop=stop, seed=1, threads=1)
    facts = {"table": path.name, "score": result.score, "edges": result.dag.edges, "stop": result.stop}
    partial = target.with_suffix(".part")
    partial.write_text(json.dumps(facts), encoding="utf-8")
    partial.replace(target)  # a file that exists is complete


def main() -> None:
    """Learn the networks of this job's tables."""
    parser = argparse.ArgumentParser(description="Learn a network from each table.")
    parser.add_argument("tables", nargs="+", type=Path)
    parser.add_argument("--part", type=int, default=1)
    parser.add_argument("--of", type=int, default=1)
    options = parser.parse_args()
    for path in sorted(options.tables)[options.part - 1 :: options.of]:
        try:
            learn_table(path)
        except bnsearch.InputError as error:  # one bad table does not stop the others
            print(error)  # it begins with the name of the file


if __name__ == "__main__":
    main()
