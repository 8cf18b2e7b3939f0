"""The searches of an island model on scripted islands: who searches, and for how long."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scripted_islands import EMPTY, Found, ScriptedDagSearch
from scripted_models import make_model, record_calls

from bnsearch.ondemand.schedule import SearchBudget
from bnsearch.ondemand.shared_table import Changes
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations


class ScriptedGrowth:
    """Deep growth with 6 evaluations in each call, which asks whether to continue after each of them."""

    def __init__(self, *, done: bool, found: Any = None, families: int = 2) -> None:
        self.done, self.found, self.evaluations = done, found, 20
        self.families = SimpleNamespace(child=[0] * families)
        self.answers: list[bool] = []
        self.wait = lambda: None

    def is_done(self, score: float) -> bool:
        """Return True if the network was grown."""
        assert score == -8.0  # the best island's
        return self.done

    def grow_freely(self, going: Any) -> Any:
        """Return families."""
        return self.improve(0.0, [], going) or self.families

    def improve(self, score: float, parents: Any, going: Any) -> Any:
        """Return a network."""
        for _ in range(6):
            self.evaluations += 1
            self.wait()
            self.answers.append(going())
        return None if self.done else self.found


def test_deep_growth_of_the_best_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """A limit of 4 evaluations ends the growth at the fourth; the better network is the best island's, and offered."""
    model, _ = make_model(monkeypatch, -9.0, -8.0, stop=Iterations(10**6))
    growth = model._deep_growth = ScriptedGrowth(done=False, found=(EMPTY, np.array([-1.0, -2.0, -2.0, 0.0])))
    model._grow_deep(4.0)
    assert growth.answers == [True] * 3 + [False] * 3
    assert [island.chain.calls for island in model.islands] == [[], ["move"]]
    assert (model.run.progress.score, model.run.progress.evaluations) == (-5.0, 6)


def test_free_growth_after_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """All islands store the families; if there are none, nothing happens."""
    model, _ = make_model(monkeypatch, -9.0, -8.0, stop=Iterations(10**6))
    growth = model._deep_growth = ScriptedGrowth(done=True)
    model._grow_deep(4.0)
    assert [island.chain.calls for island in model.islands] == [[("families", growth.families)]] * 2
    model._deep_growth = ScriptedGrowth(done=True, families=0)
    model._grow_deep(4.0)
    assert [len(island.chain.calls) for island in model.islands] == [1, 1]
    assert model.run.progress.evaluations == 12


def test_timed_growth_takes_a_quarter_of_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of 10 s, a second for each evaluation: 2.5 s have passed after the third. A stop ends the growth, too."""
    model, clock = make_model(monkeypatch, -9.0, -8.0)
    clock.now += 50.0
    model.schedule.round_length = 10.0
    growth = model._deep_growth = ScriptedGrowth(done=False)

    def pass_second() -> None:
        clock.now += 1.0

    growth.wait = pass_second
    model._grow_deep(1e9)
    assert growth.answers == [True] * 2 + [False] * 4
    model.run.budget.request_stop()
    growth.answers, growth.wait = [], lambda: None
    model._grow_deep(1e9)
    assert growth.answers == [False] * 6


def test_search_on_demand_alone_has_no_deep_growth(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that only searches on demand does not grow parent sets in other ways."""
    model, _ = make_model(monkeypatch, -8.0, on_demand_only=True)
    growth = model._deep_growth = ScriptedGrowth(done=False)
    model._grow_deep(4.0)
    assert growth.answers == []


@pytest.mark.parametrize(
    ("has_new_sets", "min_seconds", "credit", "expected"),
    [
        (False, 3.0, 0.0, 4.0),  # 0.4 of 10 s
        (True, 3.0, 0.0, 7.0),  # new sets are searched at once: 3 s before the division
        (True, 3.0, 5.0, 9.0),  # there is enough credit
        (True, 20.0, 0.0, 24.0),  # a useful search takes as long as a round
        (True, 20.1, 0.0, 4.0),  # it takes longer
    ],
)
def test_time_for_new_sets(
    monkeypatch: pytest.MonkeyPatch, has_new_sets: bool, min_seconds: float, credit: float, expected: float
) -> None:
    """Of an ordering search of 10 s, 6 s are for search on demand and 4 s for the table, besides what new sets need."""
    model, clock = make_model(monkeypatch, -9.0)
    clock.now += 10.0
    model.islands[0].n_steps, model.schedule.round_length = 4, 20.0
    model.table.has_new_sets, model.table.seconds = has_new_sets, min_seconds
    model.schedule.table_search.credit = credit
    calls = record_calls(monkeypatch, model, "_run_activity")
    budget = SearchBudget(max_seconds=10.0)
    model._search_orderings(budget)
    schedule = model.schedule
    assert schedule.on_demand_search.credit == pytest.approx(6.0)
    assert schedule.table_search.credit == pytest.approx(expected)
    assert schedule.table_search.min_seconds == min_seconds
    assert [activity for _, activity, *_ in calls] == [schedule.on_demand_search, schedule.table_search]


@pytest.mark.parametrize("case", ["on demand only", "climbing", "warming up"])
def test_only_search_on_demand(monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    """The table is not searched during the first climb or the warm-up of a timed run, or if the method has none."""
    model, _ = make_model(monkeypatch, -9.0, -8.0, on_demand_only=case == "on demand only")
    first, second = model.islands
    first.n_steps, second.n_steps = (0, 4) if case == "warming up" else (4, 0)  # the first island decides
    model.started = 10.0
    if case == "climbing":
        first.dag_search = ScriptedDagSearch(first=[False])
    calls = record_calls(monkeypatch, model, "_search_on_demand", "_run_activity")
    budget = SearchBudget(max_seconds=10.0)
    model._search_orderings(budget)
    assert calls == [("_search_on_demand", budget)]


@pytest.mark.parametrize("is_climbing", [False, True])
def test_the_table_is_searched_in_a_warm_up_with_narrow_rows(
    monkeypatch: pytest.MonkeyPatch, is_climbing: bool
) -> None:
    """Where rows of one parent may be narrow, the warm-up has a table search, unless the first climb is running."""
    model, _ = make_model(monkeypatch, -9.0)
    model.started, model._row_choice.is_active = 10.0, True
    if is_climbing:
        model.islands[0].dag_search = ScriptedDagSearch(first=[False])
    assert model.is_warming_up != is_climbing
    calls = record_calls(monkeypatch, model, "_search_on_demand", "_run_activity")
    model._search_orderings(SearchBudget(max_seconds=10.0))
    assert [name for name, *_ in calls] == (["_search_on_demand"] if is_climbing else ["_run_activity"] * 2)


@pytest.mark.parametrize(("steps", "is_searched"), [(0, True), (9, True), (10, False), (39, False)])
def test_the_table_is_searched_in_a_slow_warm_up(
    monkeypatch: pytest.MonkeyPatch, steps: int, is_searched: bool
) -> None:
    """Of the 10 s of a warm-up, 5 are over. Half a step for each of 40 variables in all would be 10 steps so far."""
    model, clock = make_model(monkeypatch, -9.0)
    monkeypatch.setattr(model, "problem", SimpleNamespace(size=40))
    clock.now += 15.0
    model.started, model.islands[0].n_steps = 10.0, steps
    assert model.is_warming_up
    calls = record_calls(monkeypatch, model, "_search_on_demand", "_run_activity")
    model._search_orderings(SearchBudget(max_seconds=10.0))
    assert [name for name, *_ in calls] == (["_run_activity"] * 2 if is_searched else ["_search_on_demand"])


@pytest.mark.parametrize(
    ("case", "seconds", "is_searched"),
    [("usual", 2.1, True), ("usual", 2.0, False), ("stopped", 2.1, False), ("not started", 2.1, False)],
)
def test_the_last_search(monkeypatch: pytest.MonkeyPatch, case: str, seconds: float, is_searched: bool) -> None:
    """The islands search over as many sets as the time allows, unless the run was stopped or the time is too short."""
    model, _ = make_model(monkeypatch, -np.inf if case == "not started" else -9.0)
    if case == "stopped":
        model.run.budget.request_stop()
    calls = record_calls(monkeypatch, model.table_searches, "search")
    model.search_last(seconds)
    assert calls == ([("search", SearchBudget(max_seconds=seconds))] if is_searched else [])
    assert model.table.planned == ([seconds] if is_searched else [])


def test_search_on_demand_records_its_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both kinds of rows gain 2 per second, so the fuller ones are used after that."""
    model, clock = make_model(monkeypatch, -9.0)
    model._row_choice.is_active = True
    chain = model.islands[0].chain

    def search(budget: SearchBudget, run: Run) -> None:
        clock.now += 1.0
        chain.best += 2.0

    monkeypatch.setattr(model.islands[0], "search_on_demand", search)
    for _ in range(3):
        model._search_on_demand(SearchBudget(max_seconds=1.0))
    assert chain.calls == [("narrow rows", 1), ("narrow rows", 2), ("narrow rows", 2)]


def test_a_first_climb_does_not_change_rounds_of_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a budget of iterations both searches over orderings take part while the first climb is running."""
    model, _ = make_model(monkeypatch, -9.0, stop=Iterations(10**6))
    model.islands[0].dag_search = ScriptedDagSearch(first=[False])
    calls = record_calls(monkeypatch, model, "_search_on_demand")
    monkeypatch.setattr(model.table_searches, "search", lambda budget: calls.append(("search", budget)))
    model._search_orderings(SearchBudget(max_steps=10))
    assert [name for name, *_ in calls] == ["_search_on_demand", "search"]


def test_a_search_over_the_table_gets_the_rest_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 10 s, making the index takes 4: each island has 6 s. Gains and changes are summed. At least 0.01 s remain."""
    model, clock = make_model(monkeypatch, -9.0, -8.0)
    clock.now += 10.0  # before the search
    searched = []

    def find_index() -> str:
        clock.now += 4.0
        return "index"

    monkeypatch.setattr(model.table, "find_index", find_index)
    for gain, island in zip((1.0, 2.0), model.islands, strict=True):

        def search_table(
            index: str, budget: SearchBudget, run: Run, gain: float = gain, island: Any = island
        ) -> Changes:
            searched.append((index, budget))
            island.chain.best += gain
            return Changes(10 * int(gain), int(gain))

        monkeypatch.setattr(island, "search_table", search_table)
    model.table_searches.search(SearchBudget(max_steps=5, max_seconds=10.0))
    assert searched == [("index", SearchBudget(5, 6.0))] * 2
    assert (model.table.gains, model.table.changes) == ([3.0], [(30, 3)])
    model.table_searches.search(SearchBudget(max_seconds=3.0))
    assert searched[-1] == ("index", SearchBudget(max_seconds=0.01))


@pytest.mark.parametrize(("made", "seconds"), [(3, 2.0), (0, 6.0)])
def test_the_duration_of_a_climb(monkeypatch: pytest.MonkeyPatch, made: int, seconds: float) -> None:
    """The first island makes 3 climbs in 6 s: 2 s each. If none has ended, one takes 6 s at least."""
    model, clock = make_model(monkeypatch, *[-9.0] * 4)
    first, *others = model.islands
    for island, number in zip(model.islands, (1, 5, 0, 5), strict=True):
        island.n_climbs = number
    clock.now += 10.0  # before the climbs

    def climb(budget: SearchBudget, run: Run) -> None:
        clock.now += 6.0
        first.n_climbs += made

    monkeypatch.setattr(first, "search_dags", climb)
    for island in others:
        monkeypatch.setattr(island, "search_dags", lambda budget, run: None)
    model._search_dags(SearchBudget(max_seconds=6.0))
    assert model.climb_seconds == pytest.approx(seconds)
    assert [island.n_climbs for island in others] == [5, 1 + made, 5]


@pytest.mark.parametrize(
    ("has_climb", "expected"), [(False, [0, 1, 2, 3, "guest"]), (True, [0, 1, 2, "guest", "climb"])]
)
def test_a_guest_and_ges_replace_islands(monkeypatch: pytest.MonkeyPatch, has_climb: bool, expected: list[Any]) -> None:
    """The guest replaces the search of the last of five islands; if GES does, the guest replaces the one before."""
    model, _ = make_model(monkeypatch, *[-9.0] * 5, threads=4)
    calls: list[Any] = []
    for i, island in enumerate(model.islands):
        monkeypatch.setattr(island, "search_on_demand", lambda budget, run, i=i: calls.append((i, budget.max_seconds)))
    model.guest = lambda seconds: calls.append(("guest", seconds))
    if has_climb:
        advance = lambda seconds: calls.append(("climb", seconds))  # noqa: E731
        model.class_climb = SimpleNamespace(advance=advance, ended=False)
    model._search_on_demand(SearchBudget(max_seconds=5.0))
    assert sorted(calls, key=str) == sorted([(who, 5.0) for who in expected], key=str)
    assert (model.class_climb is not None) == has_climb


def test_the_last_island_gets_the_network_of_ges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once GES has ended, its network, -5, is the last island's."""
    model, _ = make_model(monkeypatch, -9.0, -8.0, -7.0)
    climb = model.class_climb = SimpleNamespace(ended=False, best=Found(-5.0))
    model._collect_class_climb()
    assert model.class_climb is climb
    climb.ended = True
    model._collect_class_climb()
    assert model.class_climb is None
    assert [island.chain.best for island in model.islands] == [-9.0, -8.0, -5.0]
