"""Runs within `learn`: extra stopping rules, remaining time, remarks, proofs, illegal networks."""

from __future__ import annotations

import logging
import math
import os
import signal
from dataclasses import replace

import pytest

from bnsearch.budgets.events import Event
from bnsearch.budgets.signals import stop_on_signals
from bnsearch.data import Dataset
from bnsearch.graphs import DAG
from bnsearch.learning.warm_up import tiny_table
from bnsearch.parent_sets.scope import ALL_NETWORKS, KEPT_SETS
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import AnyOf, Converged, Evaluations, Iterations, NoImprovement, Progress, Seconds, Stop, Target
from bnsearch.scores import BIC
from clocks import Clock

EMPTY = DAG.empty(["a", "b"])
AB = DAG.from_edges(["a", "b"], [("a", "b")])


@pytest.mark.parametrize(
    ("rule", "seconds"),
    [
        (Seconds(3), 3),
        (Seconds(3) | Iterations(5), 3),
        (Iterations(5) | Seconds(7) | Seconds(4), 4),
        (Iterations(5) | Evaluations(5) | Target(-1.0) | NoImprovement(2), math.inf),
        (Converged(), math.inf),
        (AnyOf(), math.inf),
    ],
    ids=["seconds", "joined", "the shortest", "counters", "converged", "none"],
)
def test_time_limit_of_rules(rule: Stop, seconds: float) -> None:
    """The time limit of a rule is the shortest of its parts; counters and convergence have none."""
    assert rule.seconds == seconds


def test_time_left() -> None:
    """After 2 of 5 seconds 3 remain, after 6 seconds -1; without a time limit the remaining time is infinite."""
    clock = Clock()
    run = Run(Seconds(5), clock=clock)
    clock.now += 2
    assert run.seconds_left == 3
    clock.now += 4
    assert run.seconds_left == -1
    assert Run(Iterations(5)).seconds_left == math.inf


def test_an_extra_rule_holds_within_its_block() -> None:
    """In the block 2 iterations and 1 second are allowed, in the whole run 5 iterations and 10 seconds."""
    clock = Clock()
    run = Run(Iterations(5) | Seconds(10), clock=clock)
    with run.extra_stop(Iterations(2) | Seconds(1)):
        assert run.seconds_left == 1
        run.count(iterations=2)
        assert not run.going()
        assert run.reason == "iterations"
    assert run.seconds_left == 10
    assert run.going()
    assert run.allowed(100) == 3
    run.count(iterations=3)
    assert not run.going()


def test_the_run_stops_within_a_block() -> None:
    """A run that reaches its deadline or is stopped within a block stays stopped, also if the block raises an error."""
    clock = Clock()
    run = Run(Seconds(1), clock=clock)
    with pytest.raises(ZeroDivisionError), run.extra_stop(Iterations(9)):
        clock.now += 1
        _ = 1 / 0
    assert run.stop == Seconds(1)
    assert not run.going()
    assert run.reason == "seconds"
    other = Run(Iterations(9))
    with other.extra_stop(Iterations(1)):
        other.budget.request_stop()
    assert not other.going()
    assert other.reason == "interrupted"


def test_remarks_are_kept_in_order_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Remarks become notes of the result, and are logged."""
    run = Run()
    with caplog.at_level(logging.INFO, logger="bnsearch"):
        run.remark("took the left turn")
        run.remark("then the right one, at 100%")
    assert run.notes == ["took the left turn", "then the right one, at 100%"]
    assert caplog.messages == run.notes


def test_events_hold_the_bound_and_the_last_improvement() -> None:
    """Improvements after 1 and 3 seconds; a bound of -2 is known from the second event on: the gap is 3 / 2."""
    clock = Clock()
    events: list[Event] = []
    run = Run(Seconds(60), clock=clock, observers=[events.append])
    clock.now += 1
    run.offer(-9.0, lambda: EMPTY)
    run.bound = -2.0
    clock.now += 2
    run.offer(-5.0, lambda: EMPTY)
    run.scope = KEPT_SETS
    clock.now += 4
    run.count(iterations=1)
    run.offer(-7.0, lambda: EMPTY)
    seen = [event.progress for event in events]
    assert [(p.seconds, p.score, p.improved, p.bound, p.gap, p.scope) for p in seen] == [
        (1.0, -9.0, 1.0, None, None, ALL_NETWORKS),
        (3.0, -5.0, 3.0, -2.0, 1.5, ALL_NETWORKS),
        (7.0, -5.0, 3.0, -2.0, 1.5, KEPT_SETS),
    ]
    assert [(event.task, event.done, event.total, event.unit) for event in events] == [
        ("searching", seconds, 60.0, "seconds") for seconds in (1.0, 3.0, 7.0)
    ]


def test_convergence() -> None:
    """After an improvement at 3 s, a patience of 2 waits for 6 s or the minimum; without a network, for ever."""
    now = Progress(seconds=9.0, improved=3.0, score=-1.0)
    assert Converged(patience=2, at_least=0).reason(now) == "converged"
    assert Converged(patience=2, at_least=0).reason(replace(now, seconds=8.9)) is None
    assert Converged(patience=2, at_least=10).reason(now) is None
    assert Converged(patience=2, at_least=10).reason(replace(now, seconds=13.0)) == "converged"
    assert Converged(patience=2, at_least=0).reason(Progress(seconds=1e9)) is None


def test_convergence_can_be_ignored() -> None:
    """Within the block, a minute without improvement does not stop the run; its deadline does."""
    clock = Clock()
    run = Run(Converged() | Seconds(100), clock=clock)
    run.offer(-5.0, lambda: EMPTY)
    clock.now += 60
    with run.ignoring_convergence():
        assert run.going()
        assert not run.halted()
        clock.now += 40
        assert run.halted()
        clock.now -= 40
    assert run.halted()
    assert not run.going()
    assert run.reason == "converged"


def test_what_is_proven_is_complete() -> None:
    """A proof counts even if the deadline has passed since."""
    clock = Clock()
    run = Run(Seconds(1), clock=clock)
    run.offer(-5.0, lambda: EMPTY)
    run.mark_optimal()
    clock.now += 1
    assert not run.going()
    run.finish()
    assert (run.reason, run.optimal, run.bound) == ("complete", True, -5.0)


def test_networks_that_are_not_legal_are_not_taken() -> None:
    """Only a -> b is legal: the empty network is refused at -1, and not checked at -6."""
    asked: list[DAG] = []

    def permits(dag: DAG) -> bool:
        asked.append(dag)
        return dag == AB

    run = Run(permits=permits)
    assert not run.offer(-1.0, lambda: EMPTY)
    assert run.progress.score == -math.inf
    assert run.offer(-5.0, lambda: AB)
    assert not run.offer(-6.0, lambda: EMPTY)
    assert asked == [EMPTY, AB]
    assert run.best() == AB


def test_parent_sets_may_be_selected_within_the_run() -> None:
    """A selection within the run takes time of the run, and a signal stops both."""
    clock = Clock()
    table = tiny_table()

    def select(problem: Problem, run: Run) -> object:
        clock.now += 60
        os.kill(os.getpid(), signal.SIGINT)
        assert run.halted()
        return table

    run = Run(Seconds(100), clock=clock, select=select)  # type: ignore[arg-type]
    data = Dataset.from_codes([[0, 1], [1, 0]])
    with stop_on_signals(run.budget):
        assert run.parent_sets(Problem(data=data, score=BIC())) is table
    assert run.seconds == 60
    assert not run.going()
    assert run.reason == "interrupted"
