"""Runs: stopping, counting, the incumbent, pieces of work in threads."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest

from bnsearch.budgets.budget import Budget
from bnsearch.budgets.signals import stop_on_signals
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs import DAG
from bnsearch.learning.search import search
from bnsearch.learning.warm_up import tiny_table
from bnsearch.parent_sets.scope import KEPT_SETS
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Evaluations, Iterations, NoImprovement, Progress, Seconds, Stop, Target
from bnsearch.scores import Score, make_score
from clocks import Clock

EMPTY = DAG.empty(["a", "b"])


def two_variables() -> ParentSets:
    """Return a and b with their empty sets (-3, -4) and a <- b (-1)."""
    return ParentSets.build(
        ["a", "b"],
        np.array([0, 0, 1], dtype=np.int32),
        np.array([-3.0, -1.0, -4.0]),
        np.array([0, 0, 1, 1]),
        np.array([1], dtype=np.int32),
    )


@pytest.mark.parametrize(
    ("rule", "before", "at"),
    [
        (Seconds(2), Progress(seconds=1.9), Progress(seconds=2.0)),
        (Iterations(3), Progress(iterations=2), Progress(iterations=3)),
        (Evaluations(10), Progress(evaluations=9), Progress(evaluations=12)),
        (Target(-5.0), Progress(score=-5.1), Progress(score=-5.0)),
        (NoImprovement(4), Progress(stale=3), Progress(stale=4)),
    ],
    ids=["seconds", "iterations", "evaluations", "target", "no improvement"],
)
def test_rules_stop_at_their_limits(rule: Stop, before: Progress, at: Progress) -> None:
    """Each rule stops at its limit and not before, also in combination with another rule."""
    assert rule.reason(before) is None
    assert rule.reason(at) is not None
    assert (rule | Iterations(1000)).reason(before) is None
    assert (Iterations(1000) | rule).reason(at) == rule.reason(at)


@pytest.mark.parametrize(
    "make", [lambda: Seconds(-1), lambda: Iterations(0), lambda: NoImprovement(0), lambda: Target("x")]
)
def test_bad_limits_are_refused(make: object) -> None:
    """A limit outside its range is refused when the rule is made."""
    with pytest.raises(InputError):
        make()  # type: ignore[operator]


def test_a_run_stops_by_the_clock_and_stays_stopped() -> None:
    """A run of 2 seconds stops after 2 seconds, and stays stopped even if the clock is set back."""
    clock = Clock()
    run = Run(Seconds(2), clock=clock)
    assert run.going()
    clock.now += 2.0
    assert run.halted()
    assert not run.going()
    clock.now -= 2.0
    assert not run.going()
    assert run.reason == "seconds"


def test_allowed_counts_iterations_ahead() -> None:
    """After 7 of 10 iterations 3 more are allowed; after 2 of 5 iterations without improvement 3 more."""
    run = Run(Iterations(10))
    run.count(iterations=7)
    assert run.allowed(100) == 3
    assert run.allowed(2) == 2
    patient = Run(NoImprovement(5))
    patient.count(iterations=2)
    assert patient.allowed(100) == 3


def test_offers_keep_the_best_and_the_trace_grows() -> None:
    """Of -5, -7, -5 and -4 the first and the last are improvements; `stale` counts the iterations in between."""
    clock = Clock()
    seen: list[Progress] = []
    run = Run(clock=clock, observers=[lambda event: seen.append(event.progress)])
    assert run.offer(-5.0, lambda: EMPTY)
    run.count(iterations=2, evaluations=10, computed=4)
    clock.now += 1
    assert not run.offer(-7.0, lambda: EMPTY)
    assert not run.offer(-5.0, lambda: EMPTY)
    assert run.progress.stale == 2
    better = DAG.from_edges(["a", "b"], [("a", "b")])
    assert run.offer(-4.0, lambda: better)
    run.finish()
    assert [(p.seconds, p.score) for p in run.trace] == [(0.0, -5.0), (1.0, -4.0), (1.0, -4.0)]
    assert [p.score for p in seen] == [-5.0, -4.0]
    assert run.trace.score_at(0.5) == -5.0
    assert run.best() == better
    assert (run.progress.evaluations, run.computed, run.reason) == (10, 4, "complete")


def test_halted_depends_on_time_and_target_only() -> None:
    """Counters do not end a piece of work, because they depend on other threads."""
    run = Run(Iterations(1) | Target(-3.0))
    run.count(iterations=5)
    assert not run.halted()
    assert run.halted(-3.0)


def test_a_target_reached_by_one_piece_halts_the_others() -> None:
    """The target of -3 was offered: a piece of work that has reached -9 is halted."""
    run = Run(Target(-3.0))
    run.offer(-3.0, lambda: EMPTY)
    assert run.halted(-9.0)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)], ids=["rising", "falling", "mixed"])
def test_offers_may_come_in_any_order(order: tuple[int, ...]) -> None:
    """Of scores that differ by rounding errors the highest is kept, with its own network, in any order of offers."""
    ab, ba = DAG.from_edges(["a", "b"], [("a", "b")]), DAG.from_edges(["a", "b"], [("b", "a")])
    offers = [(-5.0 - 1e-13, EMPTY), (-5.0, ab), (-5.0, ba)]
    run = Run()
    for i in order:
        run.offer(offers[i][0], lambda i=i: offers[i][1])  # type: ignore[misc]
    run.finish()
    assert (run.progress.score, run.best()) == (-5.0, ab)  # no parents for a, the smaller list


def test_networks_with_a_known_key_are_not_compared_again() -> None:
    """The first network of each key is compared with the incumbent, which is the first by its parent lists."""
    graphs = {"b": DAG(["x", "y"], [[1], []]), "a": DAG(["x", "y"], [[], [0]])}
    run, made = Run(seed=1), []

    def make(key: str) -> DAG:
        made.append(key)
        return graphs[key]

    for key in "bbaabab":
        run.offer(-3.0, lambda key=key: make(key), key)  # type: ignore[misc]
    assert made == ["b", "a"]
    assert run.best() == graphs["a"]
    run.offer(-2.0, lambda: make("b"), "b")
    assert run.best() == graphs["b"]


def test_events_between_improvements() -> None:
    """Counts one second apart are reported; a count without a delay is not."""
    clock = Clock()
    seen: list[Progress] = []
    run = Run(clock=clock, observers=[lambda event: seen.append(event.progress)])
    for seconds in (1, 0, 1):
        clock.now += seconds
        run.count(iterations=1)
    assert [(p.seconds, p.iterations) for p in seen] == [(1.0, 1), (2.0, 3)]


def test_an_error_in_one_piece_halts_the_others() -> None:
    """A piece of work that runs until it is halted ends when another one fails, and the error is raised."""
    run = Run(threads=2)
    meeting = threading.Barrier(2, timeout=20)

    def work(fails: bool) -> None:
        meeting.wait()
        if fails:
            raise InputError("this piece is wrong")
        deadline = time.monotonic() + 20
        while not run.halted() and time.monotonic() < deadline:
            time.sleep(0.001)
        ended.append(run.halted())

    ended: list[bool] = []
    with pytest.raises(InputError, match="this piece is wrong"):
        list(run.map(work, [True, False]))
    assert ended == [True]


def test_a_score_that_reaches_the_bound_is_optimal() -> None:
    """With a bound of -3 the run continues at -4 and ends at -3."""
    run = Run(Iterations(10))
    run.bound = -3.0
    run.offer(-4.0, lambda: EMPTY)
    assert run.going()
    run.offer(-3.0, lambda: EMPTY)
    assert not run.going()
    run.finish()
    assert (run.reason, run.optimal) == ("complete", True)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_of_pieces_are_in_order(threads: int) -> None:
    """The random numbers are the same for any number of threads."""
    run = Run(seed=7, threads=threads)
    drawn = list(run.map(lambda rng: int(rng.integers(1000)), run.spawn(6)))
    again = Run(seed=7)
    assert drawn == [int(rng.integers(1000)) for rng in again.spawn(6)]


@dataclass(frozen=True, kw_only=True)
class Endless:
    """A method without an end, which is interrupted in its third iteration."""

    name: ClassVar[str] = "endless"
    wished: int = 3

    def search(self, problem: Problem, run: Run) -> None:
        """Offer a better network in every iteration."""
        while run.going():
            run.count(iterations=1, evaluations=2)
            run.offer(-10.0 + run.progress.iterations, lambda: DAG.empty(problem.names))
            if run.progress.iterations == self.wished:
                os.kill(os.getpid(), signal.SIGINT)


def test_ctrl_c_returns_the_best_so_far() -> None:
    """A signal in iteration 3 stops the run in that iteration; the handler is restored afterwards."""
    result = search(Problem(table=two_variables()), Endless(), stop=Iterations(1000), seed=1)
    assert (result.stop, result.score, result.iterations, result.evaluations) == ("interrupted", -7.0, 3, 6)
    assert result.parameters == {"wished": 3}
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_run_stopped_at_once_returns_the_empty_graph() -> None:
    """Without any time the result is the graph without edges, with score -3 - 4 = -7."""
    result = search(Problem(table=two_variables()), Endless(), stop=Seconds(0))
    assert (result.score, result.dag.edges, result.stop) == (-7.0, [], "seconds")


def test_problems_need_data_or_a_table() -> None:
    """A problem without both is refused; a problem with a table only has no scorer."""
    with pytest.raises(InputError, match="needs data"):
        Problem()
    with pytest.raises(InputError, match="not enough"):
        _ = Problem(table=two_variables()).scorer


class Slow:
    """A selection that takes a minute by its clock, and is interrupted during that time."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.budget = Budget()

    def select(self, data: Dataset, score: Score, **options: object) -> SimpleNamespace:
        """Return a table of two variables."""
        self.clock.now += 60
        with stop_on_signals(self.budget):
            os.kill(os.getpid(), signal.SIGINT)
        return SimpleNamespace(table=two_variables(), scope=KEPT_SETS)


def test_the_clock_is_paused_during_selection() -> None:
    """A selection of one minute takes no time of a run of 2 seconds, and Ctrl-C stops the selection only."""
    clock = Clock()
    slow = Slow(clock)
    data = Dataset.from_codes(np.array([[0, 1], [1, 0], [1, 1]]), names=["a", "b"])
    problem = Problem(data=data, score=make_score("bic"), builder=slow)  # type: ignore[arg-type]
    run = Run(Seconds(2), clock=clock)
    with stop_on_signals(run.budget):
        clock.now += 1
        assert run.parent_sets(problem).names == ("a", "b")
        assert slow.budget.request == "interrupted"
        assert run.going()
        assert run.seconds == 1
        os.kill(os.getpid(), signal.SIGINT)
        assert not run.going()
    assert run.reason == "interrupted"


def test_data_and_table_must_agree() -> None:
    """A table of a and b and data of b and a are refused."""
    data = Dataset.from_codes(np.array([[0, 1], [1, 0], [1, 1]]), names=["b", "a"])
    with pytest.raises(InputError, match="the same variables in the same order"):
        Problem(data=data, score=make_score("bic"), table=two_variables())


def test_a_problem_needs_data_and_a_score() -> None:
    """A score without data is refused; so is the network of a run that has found none."""
    with pytest.raises(InputError, match="both data and a score, or a candidate table"):
        Problem(score=make_score("bic"))
    with pytest.raises(InputError, match="no network yet"):
        Run().best()


def test_the_empty_network_of_a_candidate_table() -> None:
    """Its score is the sum of the empty sets: three times -3."""
    assert Problem(table=tiny_table()).empty_score == -9
