"""Climbs of INOBS: each step is that of the neighbour selection, and the end is a local optimum."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.orderings import inobs
from bnsearch.orderings.index import Index
from bnsearch.orderings.inobs import SELECTIONS, InsertionClimber
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import candidate_tables, hub_candidates, random_candidates, table_of
from reference_orderings import Definition, draw_order, insert, list_differences, make_index, make_state, run_pricing
from strategies import examples

SEEDS = st.integers(0, 2**32 - 1)


def climb(table: ParentSets, order: list[int], selection: str, seed: int) -> InsertionClimber:
    """Return a climber at the end of its climb; its state and its network are those of its ordering."""
    climber = InsertionClimber(make_index(table, seed))
    found = climber.climb(np.array(order), np.random.default_rng(seed), selection=selection)
    assert found.order.tolist() == climber.order.tolist()
    assert found.score == Definition(table).score(found.order.tolist())
    assert list_differences(climber, make_state(climber.index, found.order)) == []
    position = np.argsort(found.order)
    parents = found.dag().parents
    assert all(position[u] < position[v] for v, own in enumerate(parents) for u in own)
    assert parents == tuple(table.parents(row) for row in found.rows)
    return climber


@pytest.mark.parametrize("selection", SELECTIONS)
@examples(40)
@given(table=candidate_tables(), seed=SEEDS)
def test_ends_are_local_optima(selection, table, seed):
    """By definition, no insertion of any variable improves the score."""
    definition = Definition(table)
    start = draw_order(definition.n, seed)
    end = climb(table, start, selection, seed).order.tolist()
    assert max(max(definition.changes(end, v)) for v in range(definition.n)) <= 1e-9
    assert definition.score(end) >= definition.score(start)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_ends_in_wide_tables_are_local_optima(selection):
    """The same if some variables have many candidates; the pricing of insertions is tested elsewhere."""
    table = hub_candidates(140, [64, 65, 128, 129, 139], seed=4)
    end = climb(table, draw_order(140, 1), selection, seed=1)
    changes = np.empty(140)
    for v in range(140):
        run_pricing(end.index.arrays, end.arrays, v, -np.inf, changes)
        assert changes.max() <= 1e-9


def test_first_makes_the_first_improving_insertion_that_it_draws(monkeypatch):
    """
    Each of 60 variables gains from the next one as a parent, which follows it: every insertion improves the score.

    So the climb makes the first insertion that it draws. With one evaluation per kernel call it is interrupted at its
    start and after each draw, and after the first one the ordering has changed.
    """
    monkeypatch.setattr(inobs, "EVALUATIONS_PER_CALL", 1)
    n = 60
    table = table_of([{frozenset(): -2.0, frozenset({v + 1}): -1.0} for v in range(n - 1)] + [{frozenset(): -2.0}])
    for seed in range(5):
        climber, orders = InsertionClimber(Index(table)), []
        climber.climb(
            np.arange(n),
            np.random.default_rng(seed),
            lambda score, climber=climber, orders=orders: bool(orders.append(climber.order.tolist()) or orders[1:]),
            "first",
        )
        assert len(orders) == 2
        assert orders[0] == list(range(n)) != orders[1]


def record_climb(monkeypatch, table: ParentSets, selection: str, seed: int) -> list[list[int]]:
    """Return the orderings of a climb that is interrupted after each variable; check its running score."""
    monkeypatch.setattr(inobs, "EVALUATIONS_PER_CALL", 1)
    definition = Definition(table)
    climber = InsertionClimber(Index(table))
    start = draw_order(table.n_variables, seed)
    orders = [start]

    def watch(score: float) -> bool:
        order = climber.order.tolist()
        assert score == pytest.approx(definition.score(order), abs=1e-9)
        if order != orders[-1]:
            orders.append(order)
        return False

    climber.climb(np.array(start), np.random.default_rng(seed), watch, selection)
    return orders


@pytest.mark.parametrize("seed", range(6))
def test_best_makes_the_best_steps(monkeypatch, seed):
    """No insertion of any variable improves the score by more than the one that was made."""
    table = random_candidates(9, 12, 3, seed)
    definition = Definition(table)
    orders = record_climb(monkeypatch, table, "best", seed)
    assert len(orders) > 2
    for old, new in itertools.pairwise(orders):
        assert new in [insert(old, v, to) for v in old for to in range(len(old))]
        best = max(max(definition.changes(old, v)) for v in old)
        assert definition.score(new) - definition.score(old) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_hybrid_makes_the_best_step_of_a_variable(monkeypatch, seed):
    """Each step is the best insertion of some variable, and not always the best of all variables."""
    table = random_candidates(9, 12, 3, seed)
    definition = Definition(table)
    orders = record_climb(monkeypatch, table, "hybrid", seed)
    assert len(orders) > 3
    best_of_all = 0
    for old, new in itertools.pairwise(orders):
        gain = definition.score(new) - definition.score(old)
        assert gain > 0
        best = {v: max(definition.changes(old, v)) for v in old}
        movers = [v for v in old if new in [insert(old, v, to) for to in range(len(old))]]
        assert any(gain == pytest.approx(best[v], abs=1e-9) for v in movers)
        best_of_all += gain == pytest.approx(max(best.values()), abs=1e-9)
    assert best_of_all < len(orders) - 1


@pytest.mark.parametrize("selection", SELECTIONS)
def test_interrupted_climbs_are_the_same(monkeypatch, selection):
    """A climb that is interrupted after each variable ends like an uninterrupted one."""
    table = random_candidates(20, 30, 4, seed=2)
    whole = [climb(table, draw_order(20, seed), selection, seed).order.tolist() for seed in range(5)]
    monkeypatch.setattr(inobs, "EVALUATIONS_PER_CALL", 1)
    pieces = [climb(table, draw_order(20, seed), selection, seed).order.tolist() for seed in range(5)]
    assert pieces == whole


@pytest.mark.parametrize("selection", SELECTIONS)
def test_kernel_calls_are_bounded(monkeypatch, selection):
    """A kernel call makes at most the given number of evaluations and those of its last step."""
    monkeypatch.setattr(inobs, "EVALUATIONS_PER_CALL", 200)
    table = random_candidates(40, 30, 3, seed=2)
    climber = InsertionClimber(Index(table))
    evaluations: list[int] = []
    start = np.array(draw_order(40, 1))

    def halted(score: float) -> bool:
        evaluations.append(climber.new_evaluations())
        return False

    climber.climb(start, np.random.default_rng(1), halted, selection)
    assert len(evaluations) > 5
    assert max(evaluations[1:]) < 200 + 2 * table.n_sets  # the first number includes those of `set_order`


def test_climbs_stop_on_request(monkeypatch):
    """If `halted` returns True at its fifth call, after five variables, the climb ends below the local optimum."""
    monkeypatch.setattr(inobs, "EVALUATIONS_PER_CALL", 1)
    table = random_candidates(20, 30, 4, seed=2)
    asked: list[float] = []

    def halted(score: float) -> bool:
        asked.append(score)
        return len(asked) == 5

    start = draw_order(20, 1)
    early = InsertionClimber(Index(table)).climb(np.array(start), np.random.default_rng(1), halted)
    assert len(asked) == 5
    assert early.score == pytest.approx(asked[-1])
    assert Definition(table).score(start) < early.score < climb(table, start, "hybrid", seed=1).snapshot().score


def make_dense_table(seed: int) -> ParentSets:
    """Return a table of all parent sets of four variables, larger ones better, without ties."""
    rng = np.random.default_rng(seed)
    sets = [frozenset(s) for size in range(4) for s in itertools.combinations(range(4), size)]
    return table_of([{s: len(s) + float(rng.random()) for s in sets if v not in s} for v in range(4)])


def list_insertions(definition: Definition, order: tuple[int, ...]) -> dict[int, dict[tuple[int, ...], float]]:
    """Return the improving insertions of each variable: the new orderings and the gains."""
    found = {}
    for v in order:
        changes = definition.changes(order, v)
        assert len({round(change, 9) for change in changes}) == len(changes)
        found[v] = {tuple(insert(order, v, to)): gain for to, gain in enumerate(changes) if gain > 1e-9}
    return found


def list_choices(definition: Definition, order: tuple[int, ...], selection: str) -> list[tuple[int, ...]]:
    """Return the equally likely results of a step; an ordering occurs twice if two insertions lead to it."""
    found = list_insertions(definition, order)
    if selection == "first":
        return [new for own in found.values() for new in own]
    bests = [max(own, key=own.__getitem__) for own in found.values() if own]
    return bests if selection == "hybrid" or not bests else [max(bests, key=definition.score)]


@pytest.mark.parametrize("selection", SELECTIONS)
def test_steps_are_drawn_with_equal_probabilities(selection):
    """
    The ends of 6,000 climbs on four variables occur with the probabilities that follow from all paths.

    The sum of (seen - expected)^2 / expected has approximately a chi-square distribution. Its mean and half its
    variance are the number of ends minus one. It exceeds the mean by five standard deviations with a probability below
    1e-4.
    """
    definition = Definition(make_dense_table(seed=6))

    @cache
    def ends(order: tuple[int, ...]) -> dict[tuple[int, ...], float]:
        nexts = list_choices(definition, order, selection)
        probabilities: Counter[tuple[int, ...]] = Counter()
        for new in nexts:
            for end, probability in ends(new).items():
                probabilities[end] += probability / len(nexts)
        return dict(probabilities) or {order: 1.0}

    start = (0, 1, 2, 3)
    expected = ends(start)
    climber, rng = InsertionClimber(Index(definition.table)), np.random.default_rng(5)
    seen = Counter(tuple(climber.climb(np.array(start), rng, selection=selection).order.tolist()) for _ in range(6_000))
    assert set(seen) == set(expected)
    assert len(expected) == (1 if selection == "best" else 3)
    statistic = sum((seen[end] - 6_000 * p) ** 2 / (6_000 * p) for end, p in expected.items())
    freedom = len(expected) - 1
    assert statistic <= freedom + 5 * math.sqrt(2 * freedom)
