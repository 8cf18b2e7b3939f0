"""What a search remembers changes nothing but the work that it takes."""

from __future__ import annotations

import numpy as np
import pytest

from bnsearch.orderings import index
from bnsearch.orderings.climber import State
from bnsearch.orderings.index import Index
from bnsearch.orderings.repair import Chain
from candidate_tables import random_candidates
from reference_orderings import differences, random_order


@pytest.mark.parametrize("places", [1, 8, 4096])
def test_the_same_path_with_less_to_look_at(places):
    """300 steps, accepted and undone, of 12 variables with up to 300 sets each: the same ordering after every one."""
    table = random_candidates(12, 300, 5, seed=3)
    order = np.array(random_order(12, 1), dtype=np.int32)
    plain, remembering = (Chain(Index(table, memory=memory), order, np.uint64(5)) for memory in (0, places))
    for _ in range(300):
        assert plain.step(1, 0.3, 0.0) == remembering.step(1, 0.3, 0.0) == 1
        assert differences(plain, remembering) == []
        assert plain.best == remembering.best
    looked, remembered = plain.evaluations(), remembering.evaluations()
    assert remembered <= looked
    if places == 4096:
        assert remembered < 0.5 * looked


def test_one_memory_for_two_orderings():
    """Settled back and forth between two orderings, a state is what a fresh one is each time."""
    table = random_candidates(10, 200, 4, seed=8)
    orders = [random_order(10, seed) for seed in (1, 2)]
    state = State(Index(table, memory=512))
    for order in orders * 3:
        state.settle(np.array(order))
        fresh = State(Index(table, memory=0))
        fresh.settle(np.array(order))
        assert differences(state, fresh) == []


def test_memory_is_for_tables_with_many_sets(monkeypatch):
    """From a number of sets a variable on, in the mean, an index remembers of its own accord, in 4 to 8 MiB."""
    monkeypatch.setattr(index, "WORTH_MEMORY", 20)
    few, many = (random_candidates(9, sets, 8, seed=1) for sets in (10, 400))
    assert few.n_sets <= 180 < many.n_sets
    assert [len(memory) for memory in Index(few).memories()[1:]] == [0, 0]
    _, rows, seen = Index(many).memories()
    assert len(rows) == len(seen) == 1 << (len(seen) - 1).bit_length()
    assert index.MEMORY / 2 < seen.nbytes <= index.MEMORY == 8 * 2**20
