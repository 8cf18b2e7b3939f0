"""
Compare bounds and exact searches with dynamic programming on random candidate tables of up to 12 variables.

Every other table is restricted by random knowledge: required and forbidden edges, and limits on the number of parents.
For each table, the program fails if

- the cluster bound is below the optimum, or fixing by reduced costs removes the optimum,
- the order graph or branch and cut ends with another score than dynamic programming,
- a certificate of the cluster bound or of branch and cut does not pass the checker.

It prints how many cluster bounds agree with the optimum, the mean gap of the others, and how many proofs needed
branching.
"""

from __future__ import annotations

import argparse
import json
import math
import tempfile
from pathlib import Path

import numpy as np

from bnsearch.budgets.budget import Budget
from bnsearch.errors import InputError
from bnsearch.exact import Exact, find_cluster_bound, write_certificate
from bnsearch.exact.branch_and_cut import BranchAndCut
from bnsearch.exact.checker import check_certificate
from bnsearch.exact.cluster_bound import ClusterBound, restrict_bound
from bnsearch.exact.components import Component, split_into_components
from bnsearch.exact.cuts import CutPool
from bnsearch.exact.order_graph import OrderGraph
from bnsearch.exact.plain_reader import read_table
from bnsearch.exact.proof import Proof, Step
from bnsearch.knowledge import Knowledge
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


def restrict(table: ParentSets, rng: np.random.Generator) -> ParentSets:
    """Return the legal part of a table under random knowledge; an InputError if a variable has no legal set."""
    order = [table.names[v] for v in rng.permutation(table.n_variables)]
    forward = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    required = [edge for edge in forward if rng.random() < rng.choice([0.0, 0.0, 0.1])]
    every = [(a, b) for a in order for b in order if a != b]
    known = Knowledge(
        required=tuple(required),
        forbidden=tuple(edge for edge in every if edge not in required and rng.random() < 0.1),
        max_parents={b: sum(b == child for _, child in required) + int(rng.integers(1, 5)) for b in order},
    )
    return Problem(table=table, knowledge=known).parent_sets


def draw_legal_table(rng: np.random.Generator, with_knowledge: bool) -> ParentSets:
    """Return a random table, under random knowledge or without it."""
    while with_knowledge:
        try:
            return restrict(draw_table(rng), rng)
        except InputError:  # no set of some variable contains its required parents
            continue
    return draw_table(rng)


def find_optimum(table: ParentSets) -> float:
    """Return the score of the best network over a table, by dynamic programming."""
    return search(Problem(table=table), Exact(), seed=1, threads=1).score


def require_equal(found: float, expected: float) -> None:
    """Raise an AssertionError if two scores differ by more than rounding errors."""
    assert abs(found - expected) <= TOLERANCE * max(1.0, abs(expected)), (found, expected)


def check_bound(table: ParentSets, bound: ClusterBound, optimum: float) -> None:
    """Check that a bound is valid, and that fixing by its reduced costs leaves a best network."""
    assert bound.value >= optimum - TOLERANCE * max(1.0, abs(optimum)), (bound.value, optimum)
    is_open = bound.mark_open_rows(table, optimum)
    is_open[table.begin[1:] - 1] = True  # a table contains the empty sets
    require_equal(find_optimum(table.take(np.flatnonzero(is_open))), optimum)


def search_order_graph(component: Component, bound: ClusterBound) -> float:
    """Return the score of the best network of a component, by the order graph from the network without edges."""
    graph = OrderGraph(component, component.begin[1:] - 1)
    pool, own = CutPool(component.size, 1 << 24), restrict_bound(bound, component)
    cuts = np.array([pool.add(cut) for cut in own.list_cuts()], dtype=np.int64)
    graph.use_bound(pool, Step(cuts, np.concatenate((own.multipliers, own.local_multipliers))))
    assert graph.is_proven or graph.search(lambda: False)
    return graph.target


def solve_by_cuts(component: Component) -> Proof:
    """Return the proof of branch and cut of a component, from the network without edges."""
    proof = BranchAndCut(component, component.begin[1:] - 1).solve()
    assert proof.is_complete
    return proof


def check_certificate_file(table: ParentSets, proof: ClusterBound | list[Proof], folder: Path) -> float:
    """Write a certificate, and return its bound if it passes the checker."""
    write_certificate(folder / "certificate.json", table, proof)
    content = json.loads((folder / "certificate.json").read_bytes())
    return check_certificate(read_table(str(folder / "sets.jkl")), content)


def compare(table: ParentSets, seconds: float, folder: Path) -> tuple[float, bool]:
    """Return the gap of the cluster bound, and whether branch and cut has branched; raise an error if a check fails."""
    optimum = find_optimum(table)
    bound = find_cluster_bound(table, Budget(seconds), incumbent=optimum)
    check_bound(table, bound, optimum)
    components = split_into_components(table)
    require_equal(math.fsum(search_order_graph(component, bound) for component in components), optimum)
    proofs = [solve_by_cuts(component) for component in components]
    require_equal(math.fsum(proof.score for proof in proofs), optimum)
    write_scores(table, folder / "sets.jkl")
    assert check_certificate_file(table, bound, folder) == bound.value
    require_equal(check_certificate_file(table, proofs, folder), optimum)
    return bound.value - optimum, any(len(proof.nodes) > 1 for proof in proofs)


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="?", type=int, default=10_000, help="number of tables")
    parser.add_argument("--seconds", type=float, default=0.1, help="time budget of each bound")
    parser.add_argument("--seed", type=int, default=1, help="seed of the first table; each further one has the next")
    parser.add_argument("--report", type=int, default=1000, help="number of tables after which a line is printed")
    arguments = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(arguments.tables):
            table = draw_legal_table(np.random.default_rng(arguments.seed + i), i % 2 == 1)
            try:
                found.append(compare(table, arguments.seconds, Path(folder)))
            except (AssertionError, ValueError) as error:
                raise SystemExit(f"the table with seed {arguments.seed + i} fails: {error}") from error
            if (i + 1) % arguments.report == 0:
                print(f"{i + 1:,} tables compared", flush=True)
    gaps, branched = (np.array(part) for part in zip(*found, strict=True))
    apart = gaps[gaps > 1e-6]
    print(
        f"{len(gaps):,} tables, {len(gaps) // 2:,} with knowledge: all searches found the optimum, no bound is below "
        f"it; {len(gaps) - len(apart):,} bounds agree with it, mean gap of the others "
        f"{apart.mean() if len(apart) else 0.0:.4g}; {branched.sum():,} proofs with branching"
    )


if __name__ == "__main__":
    main()
