"""Where a chain begins: an ordering informed by the parents that every variable would choose."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnsearch.ondemand.chain import GrowingChain
from bnsearch.orderings.restarts import precedence_of
from bnsearch.orderings.starts import Ordering, make_starts
from bnsearch.parent_sets.legal import legal_table
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
    parts = [
        (np.arange(n), chains[0].scores_without_parents(), np.zeros(n), np.empty(0)),
        *(c.families() for c in chains),
    ]
    if known is not None and known.has_required.any():
        needy = np.flatnonzero(known.has_required)
        required = [known.required_parents[v] for v in needy.tolist()]
        sizes = np.array([len(parents) for parents in required])
        parts.append((needy, chains[0].source.required_scores[needy], sizes, np.concatenate(required)))
    if more is not None:
        parts.append((more.child, more.scores, more.sizes, more.members))
    child, scores, sizes, members = (np.concatenate(column) for column in zip(*parts, strict=True))
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = problem.names, child.astype(np.int32), scores, first, members.astype(np.int32)
    if known is None or not known.has_required.any():
        table = ParentSets.build(*rows, threads=threads)
    else:
        table = legal_table(*rows, known, threads=threads)
    return table if most is None or table.n_sets <= most else table.best(max(1, most // n), known)
