"""The candidate table that the islands share: the families that they have met, and selected parent sets."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

import numpy as np

from bnsearch.knowledge.constraints import Constraints
from bnsearch.ondemand.chain import OnDemandChain
from bnsearch.ondemand.source import Source
from bnsearch.orderings.index import Index
from bnsearch.orderings.restarts import precedence_of
from bnsearch.orderings.starts import Ordering, make_starts
from bnsearch.parent_sets.legal import legal_table
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.parent_sets.rows import Families, join_families
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

MAX_BUILD_SHARE = 0.3  # share of a search over the table that building the table and its index may take
MAX_SEARCH_SHARE = 0.08  # maximum length of one search as a share of the planned time, which allows about 12 searches
HORIZON = 2.0  # planned time as a multiple of the elapsed time; at most the remaining time
FIRST_ROWS_PER_SECOND = 500_000  # assumed pace of building a table, until a build was measured
MIN_MEASURED_SECONDS = 0.05  # shortest build from which the pace is measured: fixed costs dominate shorter ones
ROW_BYTES = 200  # approximate memory of a row of the table and its index


class SharedTable:
    """
    The candidate table of the islands, rebuilt for each search over it.

    Parameters
    ----------
    problem, run : the problem, and the run with its clock
    chains : the chains of the islands, whose stores hold the families met
    memory : bytes for the table and its index

    Attributes
    ----------
    share_imported : share of the variables that got selected parents in a search over the table
    upper_bound : upper bound on the score of all networks over the last table; None before the first one
    has_new_sets : True if selected sets have not been searched yet
    """

    def __init__(self, problem: Problem, run: Run, chains: Sequence[OnDemandChain], memory: float) -> None:
        self._problem, self._run, self._chains = problem, run, chains
        self._timed = run.is_timed
        self._max_rows = memory / ROW_BYTES
        self._selected: ParentSets | None = None
        self._usefulness = 1.0  # factor on the number of selected sets; halved by each search that uses none of them
        self._rows_per_second = float(FIRST_ROWS_PER_SECOND)
        self.share_imported = 0.0
        self.upper_bound: float | None = None
        self.has_new_sets = False

    def add_selected(self, table: ParentSets) -> None:
        """Replace the selected parent sets; results about the earlier ones are discarded."""
        self._selected, self.share_imported, self.upper_bound = table, 0.0, None
        self.has_new_sets = True

    def record_imports(self, share: float) -> None:
        """Record the largest share of variables that an island's search gave new parents from the table."""
        if self._selected is not None:
            self.share_imported = max(self.share_imported, share)
            self._usefulness = min(1.0, self._usefulness * (2.0 if share > 0.0 else 0.5))

    def build(self) -> ParentSets:
        """Return the table of all families that the islands have met, and of as many selected sets as time allows."""
        selected, known, max_selected = self._selected, self._problem.constraints, self._max_selected()
        if selected is not None and selected.n_sets > max_selected:
            selected = selected.best(max(1, int(max_selected // self._problem.size)), known)
        return build_table(self._chains, self._problem, selected, int(self._max_rows), self._run.threads)

    def build_index(self) -> Index:
        """Return the index of the table; measure the pace of building, and set the upper bound."""
        started = self._run.seconds
        index = Index(self.build(), precedence_of(self._problem))
        _ = index.arrays  # built now, once, and not by each thread
        self.upper_bound = relaxed(index.table).score
        if self._timed and self._run.seconds - started > MIN_MEASURED_SECONDS:
            self._rows_per_second = index.table.n_sets / (self._run.seconds - started)
        return index

    def min_search_seconds(self) -> float:
        """Return the length of a search of which building the table takes the share `MAX_BUILD_SHARE`."""
        return self._build_seconds() / MAX_BUILD_SHARE if self._timed else 0.0

    def _build_seconds(self) -> float:
        """Return the expected time for building the table and its index."""
        selected = 0.0 if self._selected is None else min(self._selected.n_sets, self._max_selected())
        return min(selected + self._n_met(), self._max_rows) / self._rows_per_second

    def _max_selected(self) -> float:
        """Return the largest number of selected sets with which several searches over the table fit into the time."""
        seconds = min(self._run.seconds_left, HORIZON * self._run.seconds)
        rows = self._rows_per_second * MAX_BUILD_SHARE * MAX_SEARCH_SHARE * seconds if self._timed else inf
        return max(0.0, self._usefulness * rows - self._n_met())

    def _n_met(self) -> int:
        """Return the number of families in all stores; a family in several stores counts several times."""
        return sum(chain.n_families for chain in self._chains)


def draw_informed_start(chain: OnDemandChain, problem: Problem, rng: np.random.Generator) -> Ordering:
    """Return a random ordering that breaks few cycles of the best families met so far (FAS, Perez & Maua 2016)."""
    return make_starts("fas", build_table([chain], problem), precedence_of(problem))(rng)


def build_table(
    chains: Sequence[OnDemandChain],
    problem: Problem,
    selected: ParentSets | None = None,
    max_rows: int | None = None,
    threads: int | None = 1,
) -> ParentSets:
    """
    Return the candidate table of the families in the stores of chains, and of selected parent sets.

    max_rows : upper bound on the number of rows; of a larger table, each variable's best sets are kept
    """
    n, known = problem.size, problem.constraints
    has_required = known is not None and bool(known.has_required.any())
    no_parents = np.zeros(n, dtype=np.int64), np.empty(0, dtype=np.int32)
    parts = [
        Families(np.arange(n, dtype=np.int32), chains[0].scores_without_parents(), *no_parents),
        *(chain.families() for chain in chains),
    ]
    if known is not None and has_required:
        parts.append(_list_required_families(known, chains[0].source))
    if selected is not None:
        parts.append(selected.families)
    if known is not None and has_required:
        table = legal_table(problem.names, *join_families(parts).rows, known, threads=threads)
    else:
        table = ParentSets.from_families(problem.names, parts, threads=threads)
    return table if max_rows is None or table.n_sets <= max_rows else table.best(max(1, max_rows // n), known)


def _list_required_families(known: Constraints, source: Source) -> Families:
    """Return the families of just the required parents, for all variables that have any."""
    children = np.flatnonzero(known.has_required).astype(np.int32)
    required = [np.array(known.required_parents[v], dtype=np.int32) for v in children.tolist()]
    sizes = np.array([len(parents) for parents in required])
    return Families(children, source.required_scores[children], sizes, np.concatenate(required))
