"""
Compare cluster bounds with dynamic programming on random candidate tables of up to 12 variables.

The program fails if a bound is below the optimum, if fixing by reduced costs removes the optimum, or if a certificate
does not pass the checker. It prints how many bounds agree with the optimum, and the mean gap of the others.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np

from bnsearch.budgets.budget import Budget
from bnsearch.exact import Exact, find_cluster_bound, write_certificate
from bnsearch.exact.checker import check_certificate
from bnsearch.exact.plain_reader import read_table
from bnsearch.learning.search import search
from bnsearch.parent_sets import ParentSets, write_scores
from bnsearch.runs.problem import Problem

TOLERANCE = 1e-9


def draw_table(rng: np.random.Generator) -> ParentSets:
    """Return a table of 2 to 12 variables; larger sets score higher on average, and some scores are equal."""
    n = int(rng.integers(2, 13))
    rows: list[tuple[int, float, list[int]]] = []
    for v in range(n):
        others = np.setdiff1d(np.arange(n), [v])
        rows.append((v, float(rng.integers(-16, 0)), []))
        for _ in range(int(rng.integers(0, 25))):
            size = int(rng.integers(1, min(5, n - 1) + 1))
            rows.append((v, float(rng.normal(size, 3.0)), rng.choice(others, size, replace=False).tolist()))
    return ParentSets.build(
        [f"x{v}" for v in range(n)],
        np.array([v for v, _, _ in rows], dtype=np.int32),
        np.array([round(score, int(rng.integers(0, 4))) for _, score, _ in rows]),
        np.cumsum([0] + [len(parents) for _, _, parents in rows]),
        np.array([u for _, _, parents in rows for u in parents], dtype=np.int32),
    )


def find_optimum(table: ParentSets) -> float:
    """Return the score of the best network, by dynamic programming."""
    return search(Problem(table=table), Exact(), seed=1, threads=1).score


def compare(table: ParentSets, seconds: float, folder: Path) -> float:
    """Return the gap between bound and optimum; raise an AssertionError if something is wrong."""
    optimum = find_optimum(table)
    bound = find_cluster_bound(table, Budget(seconds), incumbent=optimum)
    assert bound.value >= optimum - TOLERANCE * max(1.0, abs(optimum)), (bound.value, optimum)
    is_open = bound.mark_open_rows(table, optimum)
    is_open[table.begin[1:] - 1] = True  # a table contains the empty sets
    fixed = find_optimum(table.take(np.flatnonzero(is_open)))
    assert abs(fixed - optimum) <= TOLERANCE * max(1.0, abs(optimum)), (fixed, optimum)
    write_scores(table, folder / "sets.jkl")
    write_certificate(folder / "certificate.json", table, bound)
    content = json.loads((folder / "certificate.json").read_bytes())
    assert check_certificate(read_table(str(folder / "sets.jkl")), content) == bound.value
    return bound.value - optimum


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="?", type=int, default=10_000, help="number of tables")
    parser.add_argument("--seconds", type=float, default=0.1, help="time budget of each bound")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        gaps = np.array([compare(draw_table(rng), arguments.seconds, Path(folder)) for _ in range(arguments.tables)])
    apart = gaps[gaps > 1e-6]
    print(
        f"{len(gaps):,} tables: no bound below the optimum; {len(gaps) - len(apart):,} bounds agree with it, "
        f"mean gap of the others {apart.mean() if len(apart) else 0.0:.4g}"
    )


if __name__ == "__main__":
    main()
