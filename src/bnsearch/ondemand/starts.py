"""Where a chain begins: an ordering informed by the parents that every variable would choose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnsearch.knowledge.constraints import Constraints
from bnsearch.ondemand.chain import GrowingChain
from bnsearch.ondemand.source import Source
from bnsearch.orderings.restarts import precedence_of
from bnsearch.orderings.starts import Ordering, make_starts
from bnsearch.parent_sets.legal import legal_table
from bnsearch.parent_sets.rows import Families, join_families
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem


def informed_start(chain: GrowingChain, problem: Problem, rng: np.random.Generator) -> Ordering:
    """Return a random ordering that breaks few cycles of the best families met so far (FAS, Perez & Maua 2016)."""
    return make_starts("fas", table_of([chain], problem), precedence_of(problem))(rng)


def table_of(
    chains: Sequence[GrowingChain],
    problem: Problem,
    more: ParentSets | None = None,
    most: int | None = None,
    threads: int | None = 1,
) -> ParentSets:
    """
    Return the candidate table of the families that chains have met, and of those of another table.

    most : rows; where there are more, each variable's best sets are kept
    """
    n, known = problem.size, problem.constraints
    has_required = known is not None and bool(known.has_required.any())
    no_parents = np.zeros(n, dtype=np.int64), np.empty(0, dtype=np.int32)
    parts = [
        Families(np.arange(n, dtype=np.int32), chains[0].scores_without_parents(), *no_parents),
        *(chain.families() for chain in chains),
    ]
    if known is not None and has_required:
        parts.append(_required_families(known, chains[0].source))
    if more is not None:
        parts.append(more.families)
    if known is not None and has_required:
        table = legal_table(problem.names, *join_families(parts).rows, known, threads=threads)
    else:
        table = ParentSets.from_families(problem.names, parts, threads=threads)
    return table if most is None or table.n_sets <= most else table.best(max(1, most // n), known)


def _required_families(known: Constraints, source: Source) -> Families:
    """Return the families of just the required parents, of all variables that have any."""
    children = np.flatnonzero(known.has_required).astype(np.int32)
    required = [np.array(known.required_parents[v], dtype=np.int32) for v in children.tolist()]
    sizes = np.array([len(parents) for parents in required])
    return Families(children, source.required_scores[children], sizes, np.concatenate(required))
