"""Climbs by insertions: every step as its selection says, and an end from which no insertion leads up."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.orderings import climber
from bnsearch.orderings.climber import SELECTIONS, Climber
from bnsearch.orderings.index import Index
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import candidate_tables, hub_candidates, random_candidates, table_of
from reference_orderings import Definition, ask_positions, differences, index_of, inserted, random_order, settled
from strategies import examples

SEEDS = st.integers(0, 2**32 - 1)


def climbed(table: ParentSets, order: list[int], selection: str, seed: int) -> Climber:
    """Return a climber at the end of its climb, whose ordering and network agree."""
    climber = Climber(index_of(table, seed))
    placed = climber.climb(np.array(order), np.random.default_rng(seed), selection=selection)
    assert placed.order.tolist() == climber.order.tolist()
    assert placed.score == Definition(table).score(placed.order.tolist())
    assert differences(climber, settled(climber, placed.order)) == []
    position = np.argsort(placed.order)
    parents = placed.dag().parents
    assert all(position[u] < position[v] for v, own in enumerate(parents) for u in own)
    assert parents == tuple(table.parents(row) for row in placed.rows)
    return climber


@pytest.mark.parametrize("selection", SELECTIONS)
@examples(40)
@given(table=candidate_tables(), seed=SEEDS)
def test_ends_are_local_optima(selection, table, seed):
    """No insertion of any variable scores more, by definition."""
    definition = Definition(table)
    start = random_order(definition.n, seed)
    end = climbed(table, start, selection, seed).order.tolist()
    assert max(max(definition.changes(end, v)) for v in range(definition.n)) <= 1e-9
    assert definition.score(end) >= definition.score(start)


@pytest.mark.parametrize("selection", SELECTIONS)
def test_ends_in_wide_tables_are_local_optima(selection):
    """The same where some variables have very many candidates; insertions are priced, which is tested elsewhere."""
    table = hub_candidates(140, [64, 65, 128, 129, 139], seed=4)
    end = climbed(table, random_order(140, 1), selection, seed=1)
    changes = np.empty(140)
    for v in range(140):
        ask_positions(end.index.arrays, end.arrays, v, -np.inf, changes)
        assert changes.max() <= 1e-9


def test_first_makes_the_first_improving_insertion_that_it_draws(monkeypatch):
    """
    Each of 60 variables wants the next one before it, and none has it: every insertion anywhere improves the score.

    So the first one that is drawn is made, before another variable is looked at. A climb that may look at one row comes
    back after every draw: after the first the ordering has changed.
    """
    monkeypatch.setattr(climber, "BUDGET", 1)
    n = 60
    table = table_of([{frozenset(): -2.0, frozenset({v + 1}): -1.0} for v in range(n - 1)] + [{frozenset(): -2.0}])
    for seed in range(5):
        climbing, orders = Climber(Index(table)), []
        climbing.climb(
            np.arange(n),
            np.random.default_rng(seed),
            lambda score, climbing=climbing, orders=orders: not orders.append(climbing.order.tolist()),
            "first",
        )
        assert len(orders) == 1
        assert orders[0] != list(range(n))


def steps_of(monkeypatch, table: ParentSets, selection: str, seed: int) -> list[list[int]]:
    """Return the orderings of a climb that comes back after every variable; check the score that it keeps."""
    monkeypatch.setattr(climber, "BUDGET", 1)
    definition = Definition(table)
    climbing = Climber(Index(table))
    start = random_order(table.n_variables, seed)
    orders = [start]

    def watch(score: float) -> bool:
        order = climbing.order.tolist()
        assert score == pytest.approx(definition.score(order), abs=1e-9)
        if order != orders[-1]:
            orders.append(order)
        return False

    climbing.climb(np.array(start), np.random.default_rng(seed), watch, selection)
    return orders


@pytest.mark.parametrize("seed", range(6))
def test_best_makes_the_best_steps(monkeypatch, seed):
    """No insertion of any variable would have gained more than the one that was made."""
    table = random_candidates(9, 12, 3, seed)
    definition = Definition(table)
    orders = steps_of(monkeypatch, table, "best", seed)
    assert len(orders) > 2
    for old, new in itertools.pairwise(orders):
        assert new in [inserted(old, v, to) for v in old for to in range(len(old))]
        most = max(max(definition.changes(old, v)) for v in old)
        assert definition.score(new) - definition.score(old) == pytest.approx(most, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_hybrid_makes_the_best_step_of_a_variable(monkeypatch, seed):
    """Some variable, inserted where it does best, gives the next ordering; not always the best of all variables."""
    table = random_candidates(9, 12, 3, seed)
    definition = Definition(table)
    orders = steps_of(monkeypatch, table, "hybrid", seed)
    assert len(orders) > 3
    best_of_all = 0
    for old, new in itertools.pairwise(orders):
        gain = definition.score(new) - definition.score(old)
        assert gain > 0
        most = {v: max(definition.changes(old, v)) for v in old}
        movers = [v for v in old if new in [inserted(old, v, to) for to in range(len(old))]]
        assert any(gain == pytest.approx(most[v], abs=1e-9) for v in movers)
        best_of_all += gain == pytest.approx(max(most.values()), abs=1e-9)
    assert best_of_all < len(orders) - 1


@pytest.mark.parametrize("selection", SELECTIONS)
def test_interrupted_climbs_are_the_same(monkeypatch, selection):
    """A climb that comes back after every variable ends where one goes that never does."""
    table = random_candidates(20, 30, 4, seed=2)
    whole = [climbed(table, random_order(20, seed), selection, seed).order.tolist() for seed in range(5)]
    monkeypatch.setattr(climber, "BUDGET", 1)
    pieces = [climbed(table, random_order(20, seed), selection, seed).order.tolist() for seed in range(5)]
    assert pieces == whole


@pytest.mark.parametrize("selection", SELECTIONS)
def test_climbs_come_back(monkeypatch, selection):
    """Between two looks at the clock a climb looks at as many rows as it may, and those that its last step takes."""
    monkeypatch.setattr(climber, "BUDGET", 200)
    table = random_candidates(40, 30, 3, seed=2)
    climbing = Climber(Index(table))
    looked: list[int] = []
    start = np.array(random_order(40, 1))

    def halted(score: float) -> bool:
        looked.append(climbing.evaluations())
        return False

    climbing.climb(start, np.random.default_rng(1), halted, selection)
    assert len(looked) > 5
    assert max(looked[1:]) < 200 + 2 * table.n_sets  # the first number has setting up in it


def test_climbs_stop_when_told(monkeypatch):
    """Asked after every variable and told to stop at the fifth time, the climb ends short of the optimum."""
    monkeypatch.setattr(climber, "BUDGET", 1)
    table = random_candidates(20, 30, 4, seed=2)
    asked: list[float] = []

    def halted(score: float) -> bool:
        asked.append(score)
        return len(asked) == 5

    start = random_order(20, 1)
    early = Climber(Index(table)).climb(np.array(start), np.random.default_rng(1), halted)
    assert len(asked) == 5
    assert early.score == pytest.approx(asked[-1])
    assert Definition(table).score(start) < early.score < climbed(table, start, "hybrid", seed=1).placed().score


def dense_table(seed: int) -> ParentSets:
    """Return all sets of four variables, larger ones better, without ties: no insertion is without effect."""
    rng = np.random.default_rng(seed)
    sets = [frozenset(s) for size in range(4) for s in itertools.combinations(range(4), size)]
    return table_of([{s: len(s) + float(rng.random()) for s in sets if v not in s} for v in range(4)])


def insertions(definition: Definition, order: tuple[int, ...]) -> dict[int, dict[tuple[int, ...], float]]:
    """Return of each variable the improving insertions: the new orderings and the gains."""
    found = {}
    for v in order:
        changes = definition.changes(order, v)
        assert len({round(change, 9) for change in changes}) == len(changes)
        found[v] = {tuple(inserted(order, v, to)): gain for to, gain in enumerate(changes) if gain > 1e-9}
    return found


def choices(definition: Definition, order: tuple[int, ...], selection: str) -> list[tuple[int, ...]]:
    """Return the orderings that a step is as likely to lead to; one twice if two insertions do."""
    found = insertions(definition, order)
    if selection == "first":
        return [new for own in found.values() for new in own]
    bests = [max(own, key=own.__getitem__) for own in found.values() if own]
    return bests if selection == "hybrid" or not bests else [max(bests, key=definition.score)]


@pytest.mark.parametrize("selection", SELECTIONS)
def test_steps_are_drawn_with_equal_chances(selection):
    """
    Where climbs in a table of four variables end, by the chances of every path, against 6,000 climbs.

    The sum of (seen - expected)^2 / expected is about chi-square distributed with mean and half the variance one less
    than the number of ends; five standard deviations above the mean is a chance of less than one in ten thousand.
    """
    definition = Definition(dense_table(seed=6))

    @cache
    def ends(order: tuple[int, ...]) -> dict[tuple[int, ...], float]:
        nexts = choices(definition, order, selection)
        chances: Counter[tuple[int, ...]] = Counter()
        for new in nexts:
            for end, chance in ends(new).items():
                chances[end] += chance / len(nexts)
        return dict(chances) or {order: 1.0}

    start = (0, 1, 2, 3)
    expected = ends(start)
    climbing, rng = Climber(Index(definition.table)), np.random.default_rng(5)
    seen = Counter(
        tuple(climbing.climb(np.array(start), rng, selection=selection).order.tolist()) for _ in range(6_000)
    )
    assert set(seen) == set(expected)
    assert len(expected) == (1 if selection == "best" else 3)
    spread = sum((seen[end] - 6_000 * chance) ** 2 / (6_000 * chance) for end, chance in expected.items())
    freedom = len(expected) - 1
    assert spread <= freedom + 5 * math.sqrt(2 * freedom)
