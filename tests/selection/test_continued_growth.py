"""Growth of parent sets in many slices against one that is done at once."""

from __future__ import annotations

import pytest
from test_enumeration import rows_of
from test_sequential import random_table

from bnsearch.budgets.budget import Budget
from bnsearch.data import Dataset
from bnsearch.knowledge import Knowledge
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores import BIC, K2, BDeu, Scorer
from bnsearch.selection import growth_stage
from bnsearch.selection.continued_growth import ContinuedGrowth
from bnsearch.selection.sequential import Sequential
from clocks import Clock

MEMORY = 1 << 26
DATA = random_table(9, 300, 5)


@pytest.fixture(autouse=True)
def short_calls(monkeypatch):
    """Read the clock after each set that was extended."""
    monkeypatch.setattr(growth_stage, "MAX_FAMILIES_PER_CALL", 1)


def enumerate_sets(data: Dataset, score, depth: int, knowledge: Knowledge | None = None) -> ParentSets:
    """Return the table of all sets of up to `depth` parents."""
    known = None if knowledge is None else knowledge.constraints(data.names)
    return Sequential(max_parents=depth).select(data, score, threads=1, constraints=known).table


def grow_to_the_end(growth: ContinuedGrowth, table: ParentSets, depth: int, tick: float) -> int:
    """Grow in slices of one second until no set is left; return the number of slices."""
    budget, slices = Budget(threads=1, clock=Clock(tick)), 0
    while not growth.is_complete and slices < 1000:
        growth.grow(budget, 1.0, table, depth)
        slices += 1
    return slices


@pytest.mark.parametrize("score", [BIC(), BDeu(ess=5.0), K2()], ids=str)
def test_many_slices_find_the_same_sets(score):
    """A slice continues where the last one has ended, and all variables have their turn."""
    table = enumerate_sets(DATA, score, 1)
    once, often = (ContinuedGrowth(DATA, score, None, MEMORY) for _ in range(2))
    assert grow_to_the_end(once, table, 1, 0.0) == 1
    assert 2 <= grow_to_the_end(often, table, 1, 0.04) < 1000
    assert once.table is not None
    assert often.table is not None
    assert rows_of(once.table) == rows_of(often.table)
    assert once.table.max_parents >= 2


def test_scores_are_those_of_the_families():
    """Each grown set has its local score, and beats the set without one of its parents."""
    growth, scorer = ContinuedGrowth(DATA, BIC(), None, MEMORY), Scorer(DATA, BIC())
    grow_to_the_end(growth, enumerate_sets(DATA, BIC(), 1), 1, 0.0)
    table = growth.table
    assert table is not None
    for child in range(DATA.n_variables):
        for score, parents in table.sets(child):
            assert score == pytest.approx(scorer.family(child, parents), abs=1e-9)
            smaller = [scorer.family(child, [p for p in parents if p != left]) for left in parents]
            assert not parents or score > min(smaller)


def test_a_larger_size_is_a_new_start():
    """Growth from pairs keeps the sets that growth from single parents has found."""
    growth = ContinuedGrowth(DATA, BDeu(ess=5.0), None, MEMORY)
    grow_to_the_end(growth, enumerate_sets(DATA, BDeu(ess=5.0), 1), 1, 0.0)
    first = growth.table
    growth.is_complete = False
    grow_to_the_end(growth, enumerate_sets(DATA, BDeu(ess=5.0), 2), 2, 0.0)
    assert first is not None
    assert growth.table is not None
    assert growth.depth == 2
    for child in range(DATA.n_variables):
        best = growth.table.scores[growth.table.begin[child]]
        assert best >= first.scores[first.begin[child]]
        assert all(growth.has_found(child, score) for score, parents in growth.table.sets(child) if parents)


def test_only_legal_sets_grow():
    """Sets have no forbidden parent and at most two members; a variable with a required parent does not grow."""
    names = DATA.names
    forbidden = tuple((names[0], other) for other in names[1:])
    knowledge = Knowledge(required=((names[1], names[2]),), forbidden=forbidden, max_parents=2)
    table = enumerate_sets(DATA, BIC(), 1, knowledge)
    growth = ContinuedGrowth(DATA, BIC(), knowledge.constraints(names), MEMORY)
    grow_to_the_end(growth, table, 1, 0.0)
    assert growth.table is not None
    sets = [parents for child in range(DATA.n_variables) for _, parents in growth.table.sets(child)]
    assert any(len(parents) == 2 for parents in sets)
    assert all(0 not in parents and len(parents) <= 2 for parents in sets)
    assert [parents for _, parents in growth.table.sets(2)] == [()]


def test_sets_are_found_by_their_scores():
    """A score of the table is found, another one is not, and before the first slice there are no sets."""
    growth = ContinuedGrowth(DATA, BIC(), None, MEMORY)
    assert not growth.has_found(0, 0.0)
    grow_to_the_end(growth, enumerate_sets(DATA, BIC(), 1), 1, 0.0)
    assert growth.table is not None
    child = int(growth.table.child[growth.table.sizes >= 2][0])
    best = float(growth.table.scores[growth.table.begin[child]])
    assert growth.has_found(child, best)
    assert growth.has_found(child, best + 1e-12)
    assert not growth.has_found(child, best + 0.5)
