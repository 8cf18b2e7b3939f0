"""The rounds of an island model on scripted islands: what takes part, and what follows them."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from scripted_models import make_model, record_calls

from bnsearch.ondemand import island_model
from bnsearch.ondemand.schedule import SearchBudget
from bnsearch.runs.stop import Iterations


def test_a_round_under_a_budget_of_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    4 steps for each of 4 variables, one climb, 40 evaluations, no improvement: deep growth with a quarter of 40.

    The next round is longer by a factor of 1.3.
    """
    model, _ = make_model(monkeypatch, -9.0, -8.0, stop=Iterations(10**6))
    names = ("_search_orderings", "_search_dags", "_is_stale", "_grow_deep", "_exchange")
    calls = record_calls(monkeypatch, model, *names, results={"_is_stale": True})
    model.run.count(evaluations=100)  # before the round
    monkeypatch.setattr(model, "_search_dags", lambda budget: model.run.count(evaluations=40) or calls.append(budget))
    model.search_round()
    first = ("_search_orderings", SearchBudget(max_steps=16))
    assert calls == [first, SearchBudget(max_steps=1), ("_is_stale",), ("_grow_deep", 10.0), ("_exchange",)]
    assert [island.chain.calls for island in model.islands] == [[("narrow rows", 0)]] * 2
    assert model.schedule.round_length == pytest.approx(1.3 * 16)


def test_a_round_without_climbs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that only searches on demand does not climb; a round with an improvement is not followed by growth."""
    model, _ = make_model(monkeypatch, -9.0, stop=Iterations(10**6), on_demand_only=True)
    names = ("_search_orderings", "_search_dags", "_is_stale", "_grow_deep", "_exchange")
    calls = record_calls(monkeypatch, model, *names, results={"_is_stale": False})
    model.search_round()
    assert [name for name, *_ in calls] == ["_search_orderings", "_is_stale", "_exchange"]
    assert model.islands[0].chain.calls == []


def test_nothing_follows_a_round_that_was_halted(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is halted during the search over orderings: no climb, no growth and no exchange."""
    model, _ = make_model(monkeypatch, -9.0, stop=Iterations(10**6))
    calls = record_calls(monkeypatch, model, "_search_dags", "_is_stale", "_grow_deep", "_exchange")
    monkeypatch.setattr(model, "_search_orderings", lambda budget: model.run.budget.request_stop())
    model.search_round()
    assert calls == []


def test_no_growth_during_the_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the warm-up the islands keep narrow rows, even if the round improved nothing."""
    model, clock = make_model(monkeypatch, -9.0)
    clock.now += 10.0
    model.started = 10.0
    assert model.is_warming_up
    calls = record_calls(
        monkeypatch, model, "_search_orderings", "_is_stale", "_grow_deep", "_exchange", results={"_is_stale": True}
    )
    model.search_round()
    assert [name for name, *_ in calls] == ["_search_orderings", "_is_stale", "_exchange"]
    assert model.islands[0].chain.calls == []


@pytest.mark.parametrize(("n_climbs", "min_seconds"), [(0, 0.0), (1, 7.0)])
def test_a_climb_needs_the_time_of_the_last_one(
    monkeypatch: pytest.MonkeyPatch, n_climbs: int, min_seconds: float
) -> None:
    """A climb took 7 s: the shortest useful DAG search. The first climb, before it has ended, has no such limit."""
    model, clock = make_model(monkeypatch, -9.0, -8.0)
    clock.now += 10.0
    model.islands[0].n_climbs, model.climb_seconds = n_climbs, 7.0
    record_calls(monkeypatch, model, "_run_activity", "_is_stale", "_exchange")
    model.search_round()
    assert model.schedule.dag_search.min_seconds == min_seconds


def test_the_first_climb_in_a_round_needs_a_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """After 10 s, and before the duration of a climb was measured, the shortest useful DAG search is 0.08 * 10 s."""
    model, clock = make_model(monkeypatch, -9.0)
    clock.now += 10.0
    model.islands[0].n_climbs = 1
    record_calls(monkeypatch, model, "_run_activity", "_is_stale", "_exchange")
    model.search_round()
    assert model.schedule.dag_search.min_seconds == pytest.approx(0.8)


def test_a_timed_model_is_stale_after_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds of 5 s: an improvement at 10 s, none at 14.9 s, stale at 15 s; an improvement at 16 s."""
    model, clock = make_model(monkeypatch, -9.0, -8.0)
    model.schedule.round_length = 5.0
    found = []
    for clock.now, score in ((110.0, -8.0), (114.9, -8.0), (115.0, -8.0), (116.0, -7.0)):
        model.islands[1].chain.best = score
        found.append(model._is_stale())
    assert found == [False, False, True, False]
    assert (model.best_seen, model.improved) == (-7.0, 16.0)


def test_under_a_budget_of_iterations_one_round_is_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """The score of round 3 is new, in round 4 it is not."""
    model, _ = make_model(monkeypatch, -9.0, stop=Iterations(10**6))
    model.n_rounds = 3
    assert not model._is_stale()
    model.n_rounds = 4
    assert model._is_stale()


def test_an_activity_records_gain_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a credit of 6 s: a search of 4 s that raises two islands by 1 and 2 leaves 2 s and a gain of 3."""
    model, clock = make_model(monkeypatch, -9.0, -8.0)
    clock.now += 10.0
    activity, budgets = model.schedule.dag_search, []

    def search(budget: SearchBudget) -> None:
        budgets.append(budget)
        clock.now += 4.0
        model.islands[0].chain.best += 1.0
        model.islands[1].chain.best += 2.0

    model._run_activity(activity, search, SearchBudget(max_steps=1))
    assert budgets == []  # no credit
    activity.credit = 6.0
    model._run_activity(activity, search, SearchBudget(max_steps=1))
    assert budgets == [SearchBudget(max_seconds=6.0)]
    assert (activity.gain, activity.seconds, activity.credit) == (3.0, 4.0, 2.0)
    model.run.budget.request_stop()
    model._run_activity(activity, search, SearchBudget(max_steps=1))
    assert len(budgets) == 1


def test_exchange_begins_after_two_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The third round exchanges networks, with the elapsed time, and restarts stale islands from the table."""
    model, clock = make_model(monkeypatch, -9.0, -8.0)
    clock.now += 30.0
    times, restarts = [], []
    monkeypatch.setattr(island_model, "exchange_networks", lambda islands, now: times.append(now) or islands[:1])
    monkeypatch.setattr(island_model, "restart_islands", lambda *arguments: restarts.append(arguments))
    for _ in range(3):
        model._exchange()
    assert (times, restarts) == ([30.0], [(model.islands[:1], "index", model.run)])
    assert [island.describe_progress()["improved"] for island in model.islands] == [30.0, 30.0]
    model.on_demand_only = True
    model._exchange()
    assert restarts[1:] == [(model.islands[:1], None, model.run)]


def test_exchange_under_a_budget_of_iterations(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of rounds replaces the time; no island is stale, so none restarts."""
    model, _ = make_model(monkeypatch, -9.0, stop=Iterations(10**6))
    times: list[float] = []
    monkeypatch.setattr(island_model, "exchange_networks", lambda islands, now: times.append(now) or [])
    for _ in range(4):
        model._exchange()
    assert times == [3, 4]


def test_shared_caches_are_enlarged_after_a_round(monkeypatch: pytest.MonkeyPatch) -> None:
    """All islands then get the new arrays."""
    enlarged: list[bool] = []
    caches = SimpleNamespace(enlarge=lambda: enlarged.append(True))
    model, _ = make_model(monkeypatch, -9.0, -8.0, caches=caches)
    model._exchange()
    assert enlarged == [True]
    assert [island.chain.calls for island in model.islands] == [["refresh"]] * 2
