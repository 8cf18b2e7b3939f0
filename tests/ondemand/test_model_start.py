"""The start of an island model on scripted islands: memory, the first climb, and GES."""

from __future__ import annotations

from dataclasses import replace
from math import inf
from types import SimpleNamespace
from typing import Any

import pytest
from scripted_islands import PROBLEM
from scripted_models import SOURCE, TIMED, ScriptedTable, make_model

from bnsearch.ondemand import island_model
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Stop
from bnsearch.scores import make_score


@pytest.mark.parametrize(("scores", "is_started"), [([-9.0, -8.0], True), ([-9.0, -inf], False), ([], False)])
def test_a_model_is_started_if_each_island_has_a_network(
    monkeypatch: pytest.MonkeyPatch, scores: list[float], is_started: bool
) -> None:
    """An island without a network has the score -inf."""
    assert make_model(monkeypatch, *scores)[0].is_started == is_started


def record_start(monkeypatch: pytest.MonkeyPatch, model: IslandModel, *, stops: bool = False) -> list[Any]:
    """Return a list that gets the arguments of `prepare_climbs` and `make_first_climb`; the climb may stop the run."""
    calls: list[Any] = []

    def make_first_climb(*arguments: Any) -> None:
        calls.append(arguments)
        model.islands[0].n_climbs = 2
        if stops:
            model.run.budget.request_stop()

    def prepare_climbs(*arguments: Any, timed: bool) -> None:
        calls.append((*arguments, timed))

    monkeypatch.setattr(island_model, "prepare_climbs", prepare_climbs)
    monkeypatch.setattr(island_model, "make_first_climb", make_first_climb)
    return calls


def test_shares_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 8,000 bytes, the pairs get an eighth, the caches three, and the table two; the climbs get an eighth, too."""
    calls: dict[str, tuple[Any, ...]] = {}

    def record(name: str, result: Any) -> Any:
        return lambda *arguments: calls.update({name: arguments}) or result

    monkeypatch.setattr(island_model, "Source", record("source", SOURCE))
    monkeypatch.setattr(island_model, "make_islands", record("islands", (None, [])))
    monkeypatch.setattr(island_model, "SharedTable", record("table", ScriptedTable()))
    run = Run(TIMED, seed=1, threads=3)
    model = IslandModel(PROBLEM, run, 3, 8000)
    problem, going, threads, pairs = calls["source"]
    assert (problem, threads, pairs) == (PROBLEM, 3, 1000)
    assert calls["islands"] == (SOURCE, PROBLEM, run, 3, 3000)
    assert calls["table"] == (PROBLEM, run, [], 2000)
    assert going()
    run.budget.request_stop()
    assert not going()
    calls_of_start = record_start(monkeypatch, model)
    model.start()
    assert calls_of_start == []  # there are no islands
    model.islands = make_model(monkeypatch, -9.0)[0].islands
    model.start()
    assert calls_of_start[0] == (model.islands, PROBLEM, SOURCE, 1000, True)


@pytest.mark.parametrize("given", [False, True])
def test_a_note_about_limited_pairs(monkeypatch: pytest.MonkeyPatch, given: bool) -> None:
    """A source that is made here and limits the pairs adds a note; whoever gives one has added its note."""
    limited = SimpleNamespace(describe_limit=lambda: "few pairs", complete=False, size=4)
    monkeypatch.setattr(island_model, "Source", lambda *arguments: limited)
    monkeypatch.setattr(island_model, "make_islands", lambda *arguments: (None, []))
    monkeypatch.setattr(island_model, "SharedTable", ScriptedTable)
    run, notes = Run(TIMED, seed=1), []
    monkeypatch.setattr(run, "remark", notes.append)
    IslandModel(PROBLEM, run, 1, 8000, source=limited if given else None)
    assert notes == ([] if given else ["few pairs"])


@pytest.mark.parametrize(
    ("stop", "threads", "n_islands", "is_thread"),
    [
        (TIMED, 4, 4, True),
        (TIMED, 5, 5, True),
        (TIMED, 3, 4, False),
        (TIMED, 4, 3, False),
        (Iterations(9), 4, 4, False),
    ],
)
def test_where_ges_takes_place(
    monkeypatch: pytest.MonkeyPatch, stop: Stop, threads: int, n_islands: int, is_thread: bool
) -> None:
    """In place of an island if there are a time budget, four threads and four islands; otherwise in the first climb."""
    model, clock = make_model(monkeypatch, *[-9.0] * n_islands, stop=stop, threads=threads)
    calls = record_start(monkeypatch, model)
    clock.now += 10.0
    model.start()
    islands, problem, run, activity, class_climb = calls[1]
    assert (islands, problem, run, activity) == (model.islands, PROBLEM, model.run, model.schedule.dag_search)
    assert (class_climb is None, model.class_climb is not None) == (is_thread, is_thread)
    assert [island.n_climbs for island in islands] == [2] * n_islands  # the first climb has ended
    clock.now += 9.9
    assert model.is_warming_up == (stop is TIMED)
    clock.now += 0.1
    assert not model.is_warming_up  # as much time as the start took


def test_no_ges_after_a_halted_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is over after the first climb."""
    model, _ = make_model(monkeypatch, *[-9.0] * 4, threads=4)
    record_start(monkeypatch, model, stops=True)
    model.start()
    assert model.class_climb is None


@pytest.mark.parametrize(
    ("memory", "score", "on_demand_only", "expected"),
    [(1024, "bic", False, True), (1023, "bic", False, False), (1024, "k2", False, False), (1024, "bic", True, False)],
)
def test_whether_ges_takes_place(
    monkeypatch: pytest.MonkeyPatch, memory: int, score: str, on_demand_only: bool, expected: bool
) -> None:
    """4 variables need 8 * 16 bytes, an eighth of 1024. K2 is not score-equivalent."""
    model, _ = make_model(monkeypatch, *[-9.0] * 4, threads=4, on_demand_only=on_demand_only)
    model.memory, model.problem = memory, replace(PROBLEM, score=make_score(score))
    record_start(monkeypatch, model)
    model.start()
    assert (model.class_climb is not None) == expected


@pytest.mark.parametrize("continues", [False, True])
def test_islands_of_a_checkpoint_make_no_first_climb(monkeypatch: pytest.MonkeyPatch, continues: bool) -> None:
    """Islands that continue from a saved state have made their first climb before."""
    model, _ = make_model(monkeypatch, -9.0)
    calls = record_start(monkeypatch, model)
    monkeypatch.setattr(model.run, "checkpoint", SimpleNamespace())
    monkeypatch.setattr("bnsearch.ondemand.island_state.keep_islands", lambda model, checkpoint: continues)
    model.start()
    assert len(calls) == (1 if continues else 2)
    assert not model.is_warming_up  # a resumed search was warmed up before, and this start took no time


def test_all_islands_may_climb_after_the_first_climb(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first island has made two climbs; an island that has made three keeps its number."""
    model, _ = make_model(monkeypatch, -9.0, -9.0, -9.0)
    for island, number in zip(model.islands, (2, 0, 3), strict=True):
        island.n_climbs = number
    model._release_climbs()
    assert [island.n_climbs for island in model.islands] == [2, 2, 3]


@pytest.mark.parametrize(
    ("dag_search", "stop", "is_active"),
    [
        (SimpleNamespace(gain_seconds=3.0, is_tabu_slow=True), TIMED, True),
        (SimpleNamespace(gain_seconds=3.0, is_tabu_slow=False), TIMED, False),
        (None, TIMED, True),
        (None, Iterations(9), False),
    ],
)
def test_where_rows_of_one_parent_may_be_narrow(
    monkeypatch: pytest.MonkeyPatch, dag_search: Any, stop: Stop, is_active: bool
) -> None:
    """Where tabu search was left out, because of its time or its memory; but only under a time budget."""
    model, _ = make_model(monkeypatch, -9.0, stop=stop)
    record_start(monkeypatch, model)
    if dag_search is not None:
        dag_search.is_first_climb_running = False
    model.islands[0].dag_search = dag_search
    model.start()
    assert model._row_choice.is_active == is_active
    assert model.climb_seconds == (0.0 if dag_search is None else 3.0)
