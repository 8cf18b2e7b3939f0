"""Caches change the number of evaluations of a search, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from bnsearch.orderings import index
from bnsearch.orderings.index import Index
from bnsearch.orderings.inobs import InsertionClimber
from bnsearch.orderings.repair import RepairChain
from bnsearch.orderings.state import OrderingState, StatePool
from candidate_tables import random_candidates
from reference_orderings import draw_order, list_differences, make_state


@pytest.mark.parametrize("lines", [1, 8, 4096])
def test_the_same_steps_with_fewer_evaluations(lines):
    """300 steps on 12 variables with up to 300 parent sets each: the same ordering after each step, kept or undone."""
    table = random_candidates(12, 300, 5, seed=3)
    order = np.array(draw_order(12, 1), dtype=np.int32)
    plain, cached = (RepairChain(Index(table, cache_size=size), order, np.uint64(5)) for size in (0, lines))
    for _ in range(300):
        assert plain.step(1, 0.3, 0.0) == cached.step(1, 0.3, 0.0) == 1
        assert list_differences(plain, cached) == []
        assert plain.best == cached.best
    evaluations = plain.new_evaluations(), cached.new_evaluations()
    assert evaluations[1] <= evaluations[0]
    if lines == 4096:
        assert evaluations[1] < 0.5 * evaluations[0]


def test_one_cache_for_two_orderings():
    """A state that alternates between two orderings equals a new state without caches each time."""
    table = random_candidates(10, 200, 4, seed=8)
    orders = [draw_order(10, seed) for seed in (1, 2)]
    state = OrderingState(Index(table, cache_size=512))
    for order in orders * 3:
        state.set_order(np.array(order))
        assert list_differences(state, make_state(Index(table, cache_size=0), order)) == []


def test_only_tables_with_many_sets_have_caches(monkeypatch):
    """By default, caches of 4 to 8 MiB are made if the mean number of sets per variable exceeds a minimum, here 20."""
    monkeypatch.setattr(index, "MIN_SETS_FOR_CACHE", 20)
    few, many = (random_candidates(9, sets, 8, seed=1) for sets in (10, 400))
    assert few.n_sets <= 180 < many.n_sets
    assert [len(cache) for cache in Index(few).make_caches()[1:]] == [0, 0]
    _, rows, targets = Index(many).make_caches()
    assert len(rows) == len(targets) == 1 << (len(targets) - 1).bit_length()
    assert index.CACHE_BYTES / 2 < targets.nbytes <= index.CACHE_BYTES == 8 * 2**20


def test_a_task_gets_a_used_state_with_empty_caches():
    """Climbs of one task after the other take the evaluations of climbs with new climbers, although one is reused."""
    index = Index(random_candidates(12, 300, 5, seed=3), cache_size=512)
    climbers = StatePool(lambda: InsertionClimber(index))
    used, evaluations = [], []
    for seed in (1, 2, 1):
        with climbers.borrow() as climber:
            climber.climb(np.array(draw_order(12, seed)), np.random.default_rng(seed))
            used.append(climber)
            evaluations.append(climber.new_evaluations())
    assert used[0] is used[1] is used[2]
    assert evaluations[0] == evaluations[2]
    again = np.array(draw_order(12, 1)), np.random.default_rng(1)
    used[0].climb(*again)
    assert used[0].new_evaluations() == evaluations[0]
    used[0].climb(again[0], np.random.default_rng(1))
    assert used[0].new_evaluations() < evaluations[0]


def test_two_tasks_at_the_same_time_have_different_states():
    """A state is lent to one task at a time."""
    states = StatePool(lambda: OrderingState(Index(random_candidates(3, 2, 1, seed=1))))
    with states.borrow() as one, states.borrow() as two:
        assert one is not two
