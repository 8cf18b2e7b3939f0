"""The searches of the islands over their shared table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import fsum
from typing import Protocol

from bnsearch.ondemand.island import Island
from bnsearch.ondemand.new_starts import NewStarts
from bnsearch.ondemand.schedule import SearchBudget
from bnsearch.ondemand.shared_table import Changes, SharedTable
from bnsearch.orderings.index import Index
from bnsearch.runs.run import Run

MIN_SECONDS = 0.01  # shortest search after the table was built

IslandSearch = Callable[[Index, SearchBudget, Run], Changes]


class RunJobs(Protocol):
    """A function that runs a job for each island in threads, and returns what the jobs return."""

    def __call__(self, jobs: Sequence[Callable[[], object]], seconds: float) -> list[object]:
        """Run the jobs, which are planned to take some seconds."""
        ...


class TableSearches:
    """
    Searches over the table that all islands share: from the best network of each island, and from new orderings.

    Parameters
    ----------
    run : the run, for its clock
    islands, table : the islands and their table
    run_jobs : runs the searches of the islands

    Attributes
    ----------
    new_starts : decides when searches from new orderings are due
    """

    def __init__(self, run: Run, islands: Sequence[Island], table: SharedTable, run_jobs: RunJobs) -> None:
        self._run, self._islands, self._table, self._run_jobs = run, islands, table, run_jobs
        self.new_starts = NewStarts()

    def search(self, budget: SearchBudget) -> None:
        """Search from the best network of each island."""
        self._search(lambda island: island.search_table, budget)

    def search_last(self, seconds: float) -> None:
        """Search as `search` does, for some seconds, with as many sets as that allows, if all families met fit."""
        if self._table.fits(seconds):
            self._table.use_all_sets(seconds)
            self.search(SearchBudget(max_seconds=seconds))

    def search_new_orderings(self) -> None:
        """Search from new orderings if that is due, and if there is time for making the table."""
        seconds = self.new_starts.find_seconds(self._run)
        if self._table.fits(seconds):
            self._table.use_all_sets(seconds)
            gain = self._search(lambda island: island.try_new_orderings, SearchBudget(max_seconds=seconds))
            self.new_starts.record(self._run.seconds, gain)

    def _search(self, choose: Callable[[Island], IslandSearch], budget: SearchBudget) -> float:
        """
        Let each island search, and return their total gain.

        choose : returns the search of an island
        budget : includes the time for making the table
        """
        run, started, before = self._run, self._run.seconds, self._total_score()
        index = self._table.find_index()
        left = SearchBudget(budget.max_steps, max(MIN_SECONDS, budget.max_seconds - (run.seconds - started)))
        results = self._run_jobs([partial(choose(each), index, left, run) for each in self._islands], left.max_seconds)
        changes = [each for each in results if isinstance(each, Changes)]  # the guest has none
        gain = self._total_score() - before
        self._table.record_search(gain, Changes(*map(sum, zip(*changes, strict=True))))
        return gain

    def _total_score(self) -> float:
        """Return the sum of the islands' best scores."""
        return fsum(island.chain.best for island in self._islands)
