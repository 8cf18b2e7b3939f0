"""Regrowth of parents among random candidates: each try against the definition, and the budget of an island."""

from __future__ import annotations

from math import fsum
from typing import Any

import numpy as np
import pytest
from growth_by_definition import ancestors, exchange_by_definition, grow_by_definition, uniform_table
from hypothesis import given
from hypothesis import strategies as st
from scripted_islands import EMPTY, ScriptedChain, make_island
from scripted_models import make_model, record_calls

from bnsearch.graphs.dag import DAG
from bnsearch.knowledge import Knowledge
from bnsearch.ondemand import island as island_file
from bnsearch.ondemand.family_grower import FamilyGrower
from bnsearch.ondemand.regrowth import MIN_CANDIDATES, Regrowth
from bnsearch.ondemand.schedule import SearchBudget
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from bnsearch.scores import BIC, K2, BDeu, Scorer, improves
from clocks import Clock
from strategies import examples


def count_to(number: int) -> Any:
    """Return a function that returns True a number of times, then False."""
    answers = iter([True] * number)
    return lambda: next(answers, False)


class OneTry:
    """A predicate that is True until a second try would begin: `improve` asks first, then the growth does."""

    def __init__(self) -> None:
        self.began = False

    def __call__(self) -> bool:
        """Return False if a try has ended."""
        return not self.began


@examples(40)
@given(st.integers(2, 7), st.integers(5, 60), st.integers(0, 999), st.sampled_from((BIC(), BDeu(ess=10.0), K2())))
def test_a_try_against_the_definition(n, rows, seed, score):
    """With at most 16 variables all are candidates: the parents of a variable are grown from none, then exchanged."""
    assert n <= MIN_CANDIDATES
    data = uniform_table(n, rows, seed)
    scorer, going = Scorer(data, score), OneTry()
    regrowth = Regrowth(Problem(data=data, score=score), np.random.default_rng(seed))
    regrow, seen = regrowth._regrow, []

    def follow(v: int, *arguments: Any) -> tuple[tuple[int, ...], float]:
        going.began, found = False, regrow(v, *arguments[:-1], lambda: True)
        going.began = True
        seen.append((v, *found))
        return found

    regrowth._regrow = follow
    start = [()] * n
    scores = np.array([scorer.family(v, ()) for v in range(n)])
    better = regrowth.improve(start, scores, going)
    ((v, parents, value),) = seen
    others = set(range(n)) - {v}
    grown = grow_by_definition(scorer, v, (), others)
    exchanged = set().union(*(exchange_by_definition(scorer, v, each, others) for each in grown))
    if improves(value, scores[v]):
        assert parents in grown | exchanged
        assert better is not None
        assert tuple(better[0].parents[v]) == parents
        assert better[1][v] == value == pytest.approx(scorer.family(v, parents), abs=1e-9)
    else:
        assert better is None
        assert not any(improves(scorer.family(v, each), scores[v]) for each in grown)


@pytest.mark.parametrize("n", [6, 30])
def test_many_tries_keep_a_legal_network(n):
    """The network has no cycle, the required and no forbidden parents, and the sum of its scores has increased."""
    data = uniform_table(n, 40, seed=1, states=4)
    knowledge = Knowledge(required=[("1", "0")], forbidden=[("2", "0"), ("3", "0")], max_parents=4)
    problem, scorer = Problem(data=data, score=BDeu(ess=10.0), knowledge=knowledge), Scorer(data, BDeu(ess=10.0))
    start = [(1,), *[()] * (n - 1)]
    before = np.array([scorer.family(v, own) for v, own in enumerate(start)])
    found = Regrowth(problem, np.random.default_rng(2)).improve(start, before, count_to(2000))
    assert found is not None
    dag, scores = found
    assert isinstance(dag, DAG)
    assert all(v not in ancestors(dag, u) for v in range(n) for u in dag.parents[v])
    assert 1 in dag.parents[0]
    assert not {2, 3} & set(dag.parents[0])
    assert 1 < max(len(own) for own in dag.parents) <= 4
    assert scores == pytest.approx([scorer.family(v, own) for v, own in enumerate(dag.parents)], abs=1e-9)
    assert improves(fsum(scores), fsum(before))
    assert before.tolist() == [scorer.family(v, own) for v, own in enumerate(start)]  # the caller's array is unchanged


def test_large_sets_are_found():
    """Under BDeu, a uniform variable prefers parents with one row in each cell; none of them alone helps."""
    data = uniform_table(24, 40, seed=1, states=4)
    score = BDeu(ess=10.0)
    scorer = Scorer(data, score)
    scores = np.array([scorer.family(v, ()) for v in range(24)])
    found = Regrowth(Problem(data=data, score=score), np.random.default_rng(1)).improve(
        [()] * 24, scores, count_to(3000)
    )
    assert found is not None
    large = [(v, own) for v, own in enumerate(found[0].parents) if len(own) > 1]
    assert any(all(scorer.family(v, [u]) < scores[v] for u in own) for v, own in large)


def test_a_target_ends_the_growth():
    """No set of uniform variables scores more than zero: with this target nothing is added to the start."""
    problem = Problem(data=uniform_table(12, 40, seed=1, states=4), score=BDeu(ess=10.0))
    grower = FamilyGrower(problem)
    legal = np.arange(12) != 0
    assert len(grower.grow(0, (), legal, lambda: True)[0]) > 1
    before = grower.evaluations
    assert grower.grow(0, (), legal, lambda: True, target=0.0)[0] == ()
    assert grower.evaluations == before + 1


class ScriptedRegrowth:
    """Regrowth whose tries have 5 evaluations and take 2 s each, and which finds a network in the end."""

    def __init__(self, clock: Clock, found: Any) -> None:
        self.clock, self.found, self.evaluations, self.tries = clock, found, 100, 0

    def improve(self, parents: Any, scores: np.ndarray, going: Any) -> Any:
        """Make tries."""
        assert (parents, scores.tolist()) == ([[]] * 4, [-2.25] * 4)
        while going():
            self.tries += 1
            self.evaluations += 5
            self.clock.now += 2.0
        return self.found


@pytest.mark.parametrize(
    ("budget", "tries"),
    [(SearchBudget(max_seconds=5.0), 3), (SearchBudget(max_steps=20), 4), (SearchBudget(), 50)],
    ids=["seconds", "local scores", "end of the run"],
)
@pytest.mark.parametrize("is_better", [False, True])
def test_the_budget_of_an_island(
    monkeypatch: pytest.MonkeyPatch, budget: SearchBudget, tries: int, is_better: bool
) -> None:
    """Tries of 2 s and 5 local scores end with the time, the local scores or the run; a better network is offered."""
    clock = Clock()
    run, chain = Run(Seconds(100), seed=1, clock=clock), ScriptedChain(best=-9.0)
    found = (EMPTY, np.array([-1.0, -2.0, -2.0, 0.0])) if is_better else None
    regrowth = ScriptedRegrowth(clock, found)
    monkeypatch.setattr(island_file, "Regrowth", lambda *arguments: regrowth)
    make_island(monkeypatch, chain).regrow_parents(budget, run)
    assert regrowth.tries == tries
    assert run.progress.evaluations == 5 * tries
    assert chain.calls == (["move"] if is_better else [])
    assert run.progress.score == (-5.0 if is_better else -np.inf)


@pytest.mark.parametrize(
    ("case", "is_due"), [("timed", True), ("climbing", False), ("warming up", False), ("only", False)]
)
def test_a_timed_round_ends_with_it(monkeypatch: pytest.MonkeyPatch, case: str, is_due: bool) -> None:
    """All islands get its credit, except during the first climb and the warm-up, and in GINOBS."""
    model, clock = make_model(monkeypatch, -9.0, -8.0, on_demand_only=case == "only")
    clock.now += 10.0
    monkeypatch.setattr(type(model), "is_climbing", property(lambda model: case == "climbing"))
    monkeypatch.setattr(type(model), "is_warming_up", property(lambda model: case == "warming up"))
    for name in ("_search_orderings", "_search_dags", "_grow_deep", "_exchange"):
        monkeypatch.setattr(model, name, lambda *arguments: None)
    record_calls(monkeypatch, model.table_searches, "search_new_orderings")
    budgets: list[SearchBudget] = []
    for island in model.islands:
        monkeypatch.setattr(island, "regrow_parents", lambda budget, run: budgets.append(budget))
    model.schedule.regrowth.credit = 3.0
    model.search_round()
    assert len(budgets) == (2 if is_due else 0)
    assert all(budget.max_seconds >= 3.0 for budget in budgets)


@pytest.mark.parametrize(("memory", "is_due"), [(8 * 150 * 100 * 2, True), (8 * 150 * 100 * 2 - 8, False)])
def test_it_needs_memory(monkeypatch: pytest.MonkeyPatch, memory: int, is_due: bool) -> None:
    """Two islands and 100 rows need 150 bytes each, for which there is an eighth of the memory."""
    model, clock = make_model(monkeypatch, -9.0, -8.0, memory=memory)
    clock.now += 10.0
    for name in ("_search_orderings", "_search_dags", "_grow_deep", "_exchange"):
        monkeypatch.setattr(model, name, lambda *arguments: None)
    record_calls(monkeypatch, model.table_searches, "search_new_orderings")
    calls = record_calls(monkeypatch, model, "_regrow_parents")
    model.islands[0].n_steps, model.schedule.regrowth.credit = 4, 3.0
    model.search_round()
    assert len(calls) == is_due


def test_under_a_budget_of_iterations_it_follows_a_round_without_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round of 80 local scores allows 20 of the growth; the first round has a gain, so the growth waits."""
    model, _ = make_model(monkeypatch, -9.0, stop=Iterations(10**6))
    for name in ("_search_dags", "_grow_deep"):
        monkeypatch.setattr(model, name, lambda *arguments: None)
    monkeypatch.setattr(model, "_search_orderings", lambda budget: model.run.count(evaluations=80))
    budgets: list[SearchBudget] = []
    monkeypatch.setattr(model.islands[0], "regrow_parents", lambda budget, run: budgets.append(budget))
    model.search_round()
    assert budgets == []
    model.search_round()
    assert budgets == [SearchBudget(max_steps=20.0)]
