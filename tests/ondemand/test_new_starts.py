"""Searches from new orderings: when they are due, how their time is divided, and what becomes of their networks."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest
from scripted_islands import EMPTY, PROBLEM, ScriptedChain, ScriptedSearch, make_island
from scripted_models import make_model, record_calls

from bnsearch.ondemand import island as island_file
from bnsearch.ondemand import new_starts as new_starts_file
from bnsearch.ondemand.island import Island
from bnsearch.ondemand.new_starts import NewStarts, search_new_orderings
from bnsearch.ondemand.schedule import SearchBudget
from bnsearch.ondemand.shared_table import Changes
from bnsearch.orderings.index import Index
from bnsearch.orderings.state import ScoredOrdering
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from candidate_tables import random_candidates
from clocks import Clock

INDEX = Index(random_candidates(4, 5, 2, seed=1))
RNG = np.random.default_rng(1)


def start_run(*scores: tuple[float, float]) -> tuple[Run, Clock]:
    """Return a run of 100 s and its clock, after networks that were found at some seconds, each with its score."""
    clock = Clock()
    run = Run(Seconds(100), seed=1, clock=clock)
    begin = clock.now
    for seconds, score in scores:
        clock.now = begin + seconds
        run.offer(score, lambda: EMPTY)
    return run, clock


@pytest.mark.parametrize(("before", "seconds"), [(-1000.0, 6.0), (-1000.09, 6.0), (-1000.11, 0.0), (-1005.0, 0.0)])
def test_they_are_due_after_a_small_gain(before: float, seconds: float) -> None:
    """After 40 s, the gain since 30 s is compared with 0.0001 of the score, 0.1. They take 0.15 of the 40 s."""
    run, _ = start_run((20.0, before), (40.0, -1000.0))
    assert NewStarts().find_seconds(run) == pytest.approx(seconds)


def test_they_are_due_if_the_present_score_is_older() -> None:
    """The only network was found after 20 s, so nothing has improved between 30 and 40 s."""
    run, clock = start_run((20.0, -1000.0))
    clock.now += 20.0
    assert NewStarts().find_seconds(run) == pytest.approx(6.0)


def test_there_must_be_time_left() -> None:
    """After 90 s they take 0.4 of the remaining 10 s instead of 0.15 of 90 s; after 99.7 s, 0.12 s are too short."""
    run, clock = start_run((20.0, -1000.0))
    clock.now += 70.0
    assert NewStarts().find_seconds(run) == pytest.approx(4.0)
    clock.now += 9.7
    assert NewStarts().find_seconds(run) == 0.0


def test_they_are_not_due_under_a_budget_of_iterations() -> None:
    """Such a run has no time to divide."""
    run = Run(Iterations(100), seed=1)
    run.offer(-5.0, lambda: EMPTY)
    assert NewStarts().find_seconds(run) == 0.0


@pytest.mark.parametrize(("gain", "next_due"), [(0.0, 80.0), (2.0, 40.0 / 0.75)])
def test_the_next_ones_come_later(gain: float, next_due: float) -> None:
    """After 40 s without gain, twice this time must have passed; with a gain, a quarter of the time since then."""
    run, clock = start_run((20.0, -1000.0))
    starts, begin = NewStarts(), clock.now - 20.0
    starts.record(40.0, gain)
    due = []
    for clock.now in (begin + next_due - 0.1, begin + next_due + 0.1):
        due.append(starts.find_seconds(run) > 0.0)
    assert due == [False, True]


class TimedSearch(ScriptedSearch):
    """A search over a table: each call takes a second; its best scores, one for each turn, are given."""

    def __init__(self, clock: Clock, *scores: float) -> None:
        super().__init__(clock=clock)
        self.scores, self.seconds_of_turns = list(scores), list[float]()

    def start_turn(self) -> None:
        """Take the best score of the next turn."""
        self.best = self.scores.pop(0)

    def new_evaluations(self) -> int:
        """Return the evaluations of a turn."""
        return 7

    def score_best(self) -> ScoredOrdering:
        """Return a network with the best score."""
        return ScoredOrdering(INDEX, np.arange(4, dtype=np.int32), INDEX.table.begin[:-1].copy())


def make_starts(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, *scores: tuple[float, ...]
) -> tuple[list[TimedSearch], list[tuple[int, SearchBudget]]]:
    """Let eight searches have scripted scores; return them and a list that gets each turn: its search and budget."""
    searches = [TimedSearch(clock, *each) for each in scores]
    waiting, turns = iter(searches), list[tuple[int, SearchBudget]]()

    def take_turn(search: Any, budget: SearchBudget, run: Run, report: Any) -> None:
        search.start_turn()
        turns.append((searches.index(search), budget))
        clock.now += budget.max_seconds if budget.max_seconds < inf else 0.0

    monkeypatch.setattr(new_starts_file, "RepairChain", lambda *arguments: next(waiting))
    monkeypatch.setattr(new_starts_file, "anneal", take_turn)
    return searches, turns


def test_the_worse_half_is_dropped_after_each_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Eight, four, two and one search: each of the four rounds has 3 of 12 s, and 8 of 32 steps.

    The searches 4 to 7 are the better ones of the first round, 4 and 5 of the second one, 5 in the third one.
    """
    run, clock = start_run()
    scores = [(-9.0,)] * 4 + [(-8.0, -5.0, -4.0), (-8.0, -5.0, -3.0, -2.0), (-8.0, -6.0), (-8.0, -6.0)]
    searches, turns = make_starts(monkeypatch, clock, *scores)
    found = search_new_orderings(INDEX, PROBLEM, RNG, SearchBudget(32.0, 12.0), run)
    assert [number for number, _ in turns] == [*range(8), 4, 5, 6, 7, 4, 5, 5]
    expected = [3.0 / 8] * 8 + [3.0 / 4] * 4 + [3.0 / 2] * 2 + [3.0]
    assert [budget.max_seconds for _, budget in turns] == pytest.approx(expected)
    assert [budget.max_steps for _, budget in turns] == pytest.approx([1.0] * 8 + [2.0] * 4 + [4.0] * 2 + [8.0])
    assert found.score == pytest.approx(searches[5].score_best().score)
    assert run.progress.evaluations == 15 * 7


@pytest.mark.parametrize(("target", "n_turns"), [(-5.9, 12), (-6.1, 14), (-inf, 15)])
def test_hopeless_searches_end_early(monkeypatch: pytest.MonkeyPatch, target: float, n_turns: int) -> None:
    """
    The best scores of the rounds are -8, -7 and -6.9: after the second round, the gain of 1 would lead to -6.

    With a target of -6.1 the third round is made, too; after it, the gain of 0.1 would lead to -6.8.
    """
    run, clock = start_run()
    _, turns = make_starts(monkeypatch, clock, *[(-9.0, -9.0, -9.0)] * 7, (-8.0, -7.0, -6.9, -6.9))
    search_new_orderings(INDEX, PROBLEM, RNG, SearchBudget(max_seconds=12.0), run, target)
    assert len(turns) == n_turns


def test_an_interrupt_ends_the_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a stop request during the first round, no second one begins."""
    run, clock = start_run()
    _, turns = make_starts(monkeypatch, clock, *[(-9.0,)] * 8)
    run.budget.request_stop()
    search_new_orderings(INDEX, PROBLEM, RNG, SearchBudget(max_seconds=12.0), run)
    assert len(turns) == 8


@pytest.mark.parametrize("is_better", [False, True])
def test_only_a_better_network_is_taken(monkeypatch: pytest.MonkeyPatch, is_better: bool) -> None:
    """The island keeps its network if it is as good as the one found; a better one is also offered to the run."""
    run, _ = start_run()
    found = TimedSearch(Clock()).score_best()
    chain = ScriptedChain(best=found.score - 1.0 if is_better else found.score)
    island, targets = make_island(monkeypatch, chain), []

    def search(*arguments: Any, target: float) -> ScoredOrdering:
        targets.append(target)
        return found

    monkeypatch.setattr(island_file, "search_new_orderings", search)
    changes = island.try_new_orderings(INDEX, SearchBudget(max_seconds=1.0), run)
    assert changes == (Changes(4, 2) if is_better else Changes())
    assert targets == [found.score - is_better]
    assert chain.calls == (["move"] if is_better else [])
    assert run.progress.score == pytest.approx(found.score if is_better else -inf)


def test_all_islands_search_from_new_orderings(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Of 10 s, making the table takes 4; each island gets the other 6. The second one gains 3.

    The gain is recorded for the table and for the time of the next searches.
    """
    model, clock = make_model(monkeypatch, -9.0, -8.0)
    budgets, records = [], []
    new_starts = model.table_searches.new_starts
    monkeypatch.setattr(new_starts, "find_seconds", lambda run: 10.0)
    monkeypatch.setattr(new_starts, "record", lambda now, gain: records.append((now, gain)))

    def search(island: Island, index: Any, budget: SearchBudget, run: Run) -> Changes:
        budgets.append((index, budget.max_seconds))
        island.chain.best = max(island.chain.best, -6.0 if island is model.islands[0] else -9.0)
        return Changes(7, 2) if island is model.islands[0] else Changes()

    def find_index() -> str:
        clock.now += 4.0
        return "index"

    monkeypatch.setattr(Island, "try_new_orderings", search)
    monkeypatch.setattr(model.table, "find_index", find_index)
    model.table_searches.search_new_orderings()
    assert budgets == [("index", pytest.approx(6.0))] * 2
    assert (model.table.planned, model.table.gains) == ([10.0], [3.0])
    assert model.table.changes == [(7, 2)]
    assert records == [(model.run.seconds, 3.0)]


def test_there_must_be_time_for_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scripted table fits into more than two seconds."""
    model, _ = make_model(monkeypatch, -9.0)
    calls = record_calls(monkeypatch, model.table_searches, "_run_jobs")
    monkeypatch.setattr(model.table_searches.new_starts, "find_seconds", lambda run: 2.0)
    model.table_searches.search_new_orderings()
    assert not calls
    assert not model.table.planned


@pytest.mark.parametrize(("is_climbing", "is_warming_up", "only"), [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)])
def test_they_wait_for_the_first_climb_and_the_warm_up(
    monkeypatch: pytest.MonkeyPatch, is_climbing: int, is_warming_up: int, only: int
) -> None:
    """A round ends with them, except during the first climb and the warm-up, and in GINOBS, which has no table."""
    model, _ = make_model(monkeypatch, -9.0, on_demand_only=bool(only))
    record_calls(monkeypatch, model, "_run_activity", "_exchange")
    calls = record_calls(monkeypatch, model.table_searches, "search_new_orderings")
    monkeypatch.setattr(type(model), "is_climbing", property(lambda model: bool(is_climbing)))
    monkeypatch.setattr(type(model), "is_warming_up", property(lambda model: bool(is_warming_up)))
    model.search_round()
    assert len(calls) == (0 if is_climbing or is_warming_up or only else 1)
