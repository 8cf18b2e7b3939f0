"""Selection of legal parent sets: background knowledge in every builder."""

from __future__ import annotations

from dataclasses import replace
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch.knowledge.constraints import Constraints
from bnsearch.parent_sets.legal import score_below, with_penalties
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.extender import Extender
from bnsearch.scores.scorer import Scorer
from bnsearch.selection.frontier import FoundSets
from bnsearch.selection.lattice_search import LatticeSearch
from bnsearch.selection.report import Selection
from bnsearch.selection.search_pool import SearchPool, StartSearch, main_reason

if TYPE_CHECKING:
    from bnsearch.selection.builder import Builder, Job

FEW_SETS = 1 << 12  # maximum number of legal sets of a variable that are all scored, by every selection
SEARCH_SHARE = 0.95  # share of the time of these variables for their searches; the rest is for the table


def build_legally(builder: Builder, job: Job) -> Selection:
    """
    Select legal sets.

    Variables with required parents or few legal sets have searches of their own (`LatticeSearch`). These come first,
    with their share of the budget. The builder selects the sets of all other variables.
    """
    known = job.constraints
    assert known is not None
    max_parents = compute_max_parents(builder, job, known)
    own = np.flatnonzero(known.has_required | _have_few_sets(known, max_parents))
    others = np.setdiff1d(np.arange(job.n), own)
    searches = _search(builder, job, own, max_parents)
    rows = _own_table(job, searches, own)
    if not len(others):
        return Selection(
            table=with_penalties(rows, known),
            scored_of=searches.scored_of,
            seconds_of=searches.seconds_of,
            depth=min(job.max_parents, searches.depth),
            stop=searches.stop,
            complete=searches.is_exhaustive,
        )
    evaluations = job.budget.evaluations
    if evaluations is not None:
        evaluations = max(1, evaluations - int(searches.scored_of.sum()))
    rest = job.budget.part(evaluations=evaluations)
    found = builder.build(replace(job, children=others, max_parents=int(max_parents[others].max()), budget=rest))
    depth = job.max_parents if found.complete else found.depth
    return replace(
        found,
        table=with_penalties(_spliced(found.table, rows, own), known),
        scored_of=found.scored_of + searches.scored_of,
        seconds_of=found.seconds_of + searches.seconds_of,
        depth=min(depth, searches.depth),
        stop=main_reason({searches.stop, found.stop}),
        complete=found.complete and searches.is_exhaustive,
    )


def compute_max_parents(builder: Builder, job: Job, known: Constraints) -> NDArray[np.int64]:
    """Return the size of each variable's largest parent set; no bound is known for one with required parents."""
    needed = np.array([len(required) for required in known.required_parents])
    asked = job.n if builder.max_parents is None else builder.max_parents
    return np.minimum(known.max_parents, np.where(needed, np.maximum(needed, asked), job.max_parents))


def _have_few_sets(known: Constraints, max_parents: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return bool[n], True for variables with so few legal sets that all of them can be scored."""
    allowed = np.count_nonzero(known.allowed, axis=1)
    few: NDArray[np.bool_] = allowed < known.size - 1
    for v in np.flatnonzero(few).tolist():
        few[v] = sum(comb(int(allowed[v]), k) for k in range(min(int(max_parents[v]), int(allowed[v])) + 1)) <= FEW_SETS
    return few


def _search(builder: Builder, job: Job, children: NDArray[np.int64], max_parents: NDArray[np.int64]) -> SearchPool:
    """Search the legal sets of some variables with their share of the budget."""
    known = job.constraints
    assert known is not None
    part = len(children) / job.n
    seconds = job.budget.remaining * part * SEARCH_SHARE
    searches = SearchPool(
        job,
        children,
        evaluations=None if job.budget.evaluations is None else int(job.budget.evaluations * part),
        deadline=job.budget.clock() + seconds,
        seconds_each=builder.seconds_per_variable,
        memory=job.budget.memory,
    )
    if not len(children):
        return searches
    extender = Extender(job.data, job.score)

    def for_thread() -> StartSearch:
        tools = extender.fork()

        def start(child: int, deadline: float) -> LatticeSearch:
            required = np.array(known.required_parents[child], dtype=np.int64)
            candidates = np.flatnonzero(known.allowed[child] & ~known.required[child])
            return LatticeSearch(
                tools, child, required, candidates, int(max_parents[child]), job.bound, job.budget.clock, deadline
            )

        return start

    searches.run(for_thread)
    return searches


def _own_table(job: Job, searches: SearchPool, children: NDArray[np.int64]) -> ParentSets:
    """Return a table of the sets found, or the smallest legal ones; empty sets have an arbitrary lower score."""
    assert job.constraints is not None
    required = job.constraints.required_parents
    missing = [v for v in children.tolist() if v not in searches.found]
    found = dict(searches.found)
    if missing:  # a scorer takes time and is seldom needed
        scorer = Scorer(job.data, job.score, cache_bytes=1 << 16)
        for v, score in zip(missing, scorer.families(missing, [required[v] for v in missing]), strict=True):
            sizes = np.array([len(required[v])])
            found[v] = FoundSets(np.array([score]), sizes, np.array(required[v], dtype=np.int32))
            searches.scored_of[v] = 1 + (len(required[v]) > 0)
    empty = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)
    rows = []
    for v in range(job.n):
        if v in found:
            rows.append((v, found[v]))
        if v not in found or required[v]:
            lowest = score_below(found[v].scores) if v in found else 0.0
            rows.append((v, FoundSets(np.array([lowest]), *empty)))
    parts = (sets.families_of(v) for v, sets in rows)
    return ParentSets.from_families(job.data.names, parts, threads=job.budget.threads)


def _spliced(table: ParentSets, other: ParentSets, children: NDArray[np.int64]) -> ParentSets:
    """Return a table with the rows of some variables taken from another table."""
    if not len(children):
        return table
    both = ParentSets(  # the rows of both tables, from which `take` makes a valid table
        table.names,
        np.concatenate([table.begin, other.begin[1:] + table.n_sets]),
        np.concatenate([table.scores, other.scores]),
        np.concatenate([table.first, other.first[1:] + table.first[-1]]),
        np.concatenate([table.members, other.members]),
    )
    n = table.n_variables
    source = np.arange(n)
    source[children] += n
    rows = np.concatenate([np.arange(both.begin[v], both.begin[v + 1]) for v in source])
    counts = np.diff(both.begin)[source]
    return replace(both.take(rows), begin=np.concatenate([[0], np.cumsum(counts)]))
