"""The candidate table that the islands share: families that they have met or scored, and selected parent sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np

from bnsearch.knowledge.constraints import Constraints
from bnsearch.ondemand.chain import OnDemandChain
from bnsearch.ondemand.extensions import list_extensions
from bnsearch.ondemand.source import Source
from bnsearch.orderings.index import Index
from bnsearch.orderings.restarts import precedence_of
from bnsearch.orderings.starts import Ordering, make_starts
from bnsearch.parent_sets.legal import legal_table
from bnsearch.parent_sets.rows import Families, join_families
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run

MAX_BUILD_SHARE = 0.3  # share of a search over the table that building the table and its index may take
MAX_SEARCH_SHARE = 0.08  # maximum length of one search as a share of the planned time, which allows about 12 searches
MAX_FIRST_SHARE = 0.16  # the same for the first search, which often gains most
LAST_SHARE = 0.08  # length of the last search as a share of the run's time
HORIZON = 2.0  # planned time as a multiple of the elapsed time; at most the remaining time
FIRST_ROWS_PER_SECOND = 1_500_000  # assumed pace of building a table, until a build was measured
ROWS_PER_VARIABLE = 30  # time for building the table of a variable, in rows, besides the time for its rows
MIN_WIDTH = 4.0  # smallest number of sets for each family met that are added to the table
USEFUL_SHARE = 0.1  # added sets are useful if they are at least this share of the families that a search changes
MIN_MEASURED_SECONDS = 0.01  # shortest build from which the pace is measured: fixed costs dominate shorter ones
ROW_BYTES = 200  # approximate memory of a row of the table and its index


class Changes(NamedTuple):
    """
    Families of the best networks that a search over the table has changed.

    Attributes
    ----------
    number : number of these families
    n_new : how many of them their islands had not met before: these were added sets
    """

    number: int = 0
    n_new: int = 0


class SharedTable:
    """
    The candidate table of the islands, rebuilt for a search over it unless the last one serves again.

    Parameters
    ----------
    problem, run : the problem, and the run with its clock
    chains : the chains of the islands, whose stores hold the families met
    memory : bytes for the table and its index

    Attributes
    ----------
    max_rows : maximum number of rows, by the memory
    has_new_sets : True if a search over newly selected sets is due
    n_searches : number of searches over the table so far
    """

    def __init__(self, problem: Problem, run: Run, chains: Sequence[OnDemandChain], memory: float) -> None:
        self._problem, self._run, self._chains = problem, run, chains
        self._timed = run.is_timed
        self.max_rows = int(memory / ROW_BYTES)
        self._enumerated: ParentSets | None = None
        self._grown: ParentSets | None = None
        self._width = MIN_WIDTH  # maximum number of added sets for each family met
        self._rows_per_second = float(FIRST_ROWS_PER_SECOND)
        self._planned_seconds: float | None = None  # length of the next search if it was set by `use_all_sets`
        self._n_added = 0  # number of sets that the last build added to the families met
        self._index: Index | None = None  # index of the last table
        self._best: list[float] = []  # best scores of the chains after the last search over the table
        self.has_new_sets = False
        self.n_searches = 0

    def add_selected(self, table: ParentSets, *, at_once: bool = True) -> None:
        """
        Replace the enumerated parent sets.

        at_once : True if the next search over the table is due now and uses as many of the sets as time allows
        """
        self._enumerated = table
        self.has_new_sets = self.has_new_sets or at_once

    def add_grown(self, table: ParentSets, *, at_once: bool) -> None:
        """Replace the grown parent sets; `at_once` as in `add_selected`."""
        self._grown = table
        self.has_new_sets = self.has_new_sets or at_once

    def build(self) -> ParentSets:
        """
        Return the table of all families that the islands have met, and of as many other sets as time allows.

        These are cached extensions of the families met on the one hand, and enumerated and grown parent sets on the
        other. Each kind may fill half of the room, and what the other kind leaves. The more sets, the more moves a
        search can make, and the longer each takes (see `record_search`).
        """
        max_added = self._max_added()
        room = min(max_added, self._count_wanted())
        n_selected = self._count_selected()
        wanted, max_extensions = (max(limit / 2, limit - n_selected) for limit in (room, max_added))
        extensions = list_extensions(self._chains, wanted, max_extensions)
        n_extensions = sum(len(families.child) for families in extensions)
        max_selected = (max_added if self.has_new_sets else room) - n_extensions
        selected = self._take_selected(max_selected)
        self._n_added = n_extensions + sum(table.n_sets for table in selected)
        return build_table(
            self._chains, self._problem, selected, self.max_rows, self._run.threads, extensions=extensions
        )

    @property
    def last_search_seconds(self) -> float:
        """Length of the last search of the run; 0 if this does not suffice for a table of all families met."""
        if not self._timed:
            return 0.0
        seconds = LAST_SHARE * (self._run.seconds + self._run.seconds_left)
        return seconds if self.fits(seconds) else 0.0

    def fits(self, seconds: float) -> bool:
        """Return True if a search of some seconds has time for building a table of all families met."""
        return self._count_work(self._n_met()) < MAX_BUILD_SHARE * seconds * self._rows_per_second

    def use_all_sets(self, seconds: float) -> None:
        """Let the next search, which takes some seconds, use as many sets as that allows."""
        self._planned_seconds = seconds

    def _list_selected(self) -> list[ParentSets]:
        """Return the tables of enumerated and of grown sets, as far as there are any."""
        return [table for table in (self._enumerated, self._grown) if table is not None]

    def _count_selected(self) -> int:
        """Return the number of enumerated and grown sets."""
        return sum(table.n_sets for table in self._list_selected())

    def _take_selected(self, max_sets: float) -> list[ParentSets]:
        """Return the enumerated and the grown sets; of too many, each variable's best ones, half of each kind."""
        n, known = self._problem.size, self._problem.constraints
        tables, taken = sorted(self._list_selected(), key=lambda table: table.n_sets), list[ParentSets]()
        for i, table in enumerate(tables):
            room = (max_sets - sum(other.n_sets for other in taken)) / (len(tables) - i)
            taken.append(table if table.n_sets <= room else table.best(max(1, int(room // n)), known))
        return taken

    def describe_pace(self) -> dict[str, float]:
        """Return the measured pace, and the number of sets to add for each family met, as JSON values."""
        return {"width": self._width, "rows per second": self._rows_per_second}

    def restore_pace(self, saved: Mapping[str, Any]) -> None:
        """Set what `describe_pace` has returned in an earlier run."""
        self._width, self._rows_per_second = float(saved["width"]), float(saved["rows per second"])

    def find_index(self) -> Index:
        """
        Return the index of a table that contains the best networks of all islands.

        The last table serves again if these have not changed and if there is no time for a table as large as that.
        """
        if self._index is None or not self._serves_again():
            self._index = None  # so that its memory is free for the new one
            self._index = self._build_index()
        return self._index

    def _serves_again(self) -> bool:
        """Return True if the last table has the best networks, and more useful rows than a new one could have."""
        unchanged = not self.has_new_sets and self._best == [chain.best for chain in self._chains]
        return unchanged and self._max_added() < min(self._n_added, self._count_wanted())

    def record_search(self, gain: float, changes: Changes) -> None:
        """
        Record the end of a search: its gain and its changes in all islands.

        It is followed by a search over twice as many added sets if it has gained nothing or if added sets are useful,
        and over half as many otherwise.
        """
        self.n_searches += 1
        self._best = [chain.best for chain in self._chains]
        self._planned_seconds = None
        if gain > 0.0 and changes.n_new < USEFUL_SHARE * changes.number:
            self._width = max(MIN_WIDTH, 0.5 * self._width)
        else:  # no wider than twice what there was: more may not exist, or not fit into the time
            self._width = max(MIN_WIDTH, min(2.0 * self._width, 2.0 * self._n_added / max(1, self._n_met())))

    def _build_index(self) -> Index:
        """Return the index of a new table; measure the pace of building."""
        started = self._run.seconds
        index = Index(self.build(), precedence_of(self._problem))
        _ = index.arrays  # built now, once, and not by each thread
        self.has_new_sets = False
        if self._timed and self._run.seconds - started > MIN_MEASURED_SECONDS:
            self._rows_per_second = self._count_work(self._n_met() + self._n_added) / (self._run.seconds - started)
        return index

    def min_search_seconds(self) -> float:
        """Return the length of a search of which building the table takes the share `MAX_BUILD_SHARE`."""
        return 0.0 if not self._timed or self._serves_again() else self._build_seconds() / MAX_BUILD_SHARE

    def _build_seconds(self) -> float:
        """Return the expected time for building the table and its index."""
        wanted = self._count_wanted()
        if self.has_new_sets:
            wanted = max(wanted, self._count_selected())
        rows = self._n_met() + min(wanted, self._max_added())
        return self._count_work(min(rows, self.max_rows)) / self._rows_per_second

    def _count_work(self, rows: float) -> float:
        """Return the work of building a table with some rows, in rows."""
        return rows + ROWS_PER_VARIABLE * self._problem.size

    def _count_wanted(self) -> float:
        """Return the number of sets besides those met that the next search uses if there is time for them."""
        return self._width * self._n_met() if self._planned_seconds is None else inf

    def _max_added(self) -> float:
        """Return the largest number of sets besides those met for which there is memory, and time as planned."""
        if not self._timed:
            return inf
        seconds = self._planned_seconds
        if seconds is None:
            share = MAX_SEARCH_SHARE if self.n_searches else MAX_FIRST_SHARE
            seconds = share * min(self._run.seconds_left, HORIZON * self._run.seconds)
        rows = self._rows_per_second * MAX_BUILD_SHARE * seconds
        return max(0.0, min(rows - self._count_work(self._n_met()), self.max_rows))

    def _n_met(self) -> int:
        """Return the number of families in all stores; a family in several stores counts several times."""
        return sum(chain.n_families for chain in self._chains)


def draw_informed_start(chain: OnDemandChain, problem: Problem, rng: np.random.Generator) -> Ordering:
    """Return a random ordering that breaks few cycles of the best families met so far (FAS, Perez & Maua 2016)."""
    return make_starts("fas", build_table([chain], problem), precedence_of(problem))(rng)


def build_table(
    chains: Sequence[OnDemandChain],
    problem: Problem,
    selected: Sequence[ParentSets] = (),
    max_rows: int | None = None,
    threads: int | None = 1,
    extensions: Sequence[Families] = (),
) -> ParentSets:
    """
    Return the candidate table of the families in the stores of chains, of extensions, and of selected parent sets.

    max_rows : upper bound on the number of rows; of a larger table, each variable's best sets are kept
    """
    n, known = problem.size, problem.constraints
    has_required = known is not None and bool(known.has_required.any())
    no_parents = np.zeros(n, dtype=np.int64), np.empty(0, dtype=np.int32)
    parts = [
        Families(np.arange(n, dtype=np.int32), chains[0].scores_without_parents(), *no_parents),
        *(chain.families() for chain in chains),
        *extensions,
    ]
    if known is not None and has_required:
        parts.append(_list_required_families(known, chains[0].source))
    parts += [table.families for table in selected]
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
