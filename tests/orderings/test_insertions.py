"""The state of an ordering, and what insertions and swaps would change, all by definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.orderings.climber import State
from bnsearch.orderings.index import Index
from candidate_tables import candidate_tables, dense_tables, hub_tables, table_of
from reference_orderings import Definition, ask_insertion, ask_positions, ask_swap, index_of, inserted, random_order
from strategies import examples

SEEDS = st.integers(0, 2**32 - 1)
NOTHING: frozenset[int] = frozenset()


def set_up(table, seed):
    """Return the definition, an ordering, and its state."""
    state = State(index_of(table, seed))
    order = random_order(table.n_variables, seed)
    state.settle(np.array(order))
    return Definition(table), order, state


def positions(state, variable, least=-np.inf):
    """Return what `price_position` says of a variable."""
    changes = np.full(len(state.order), np.nan)
    ask_positions(state.index.arrays, state.arrays, variable, least, changes)
    return changes.tolist()


def best_of(state, variable, least):
    """Return what `price_insertion` says of a variable."""
    return ask_insertion(state.index.arrays, state.arrays, variable, least, state.places, state.deltas)


def check_state(table, seed):
    """Compare choices, and what every candidate would change if it alone stood on the other side of its child."""
    definition, order, state = set_up(table, seed)
    scores = table.scores
    again = State(state.index)
    assert again.settle(np.array(order)) == pytest.approx(definition.score(order), abs=1e-9)
    assert again.placed().score == definition.score(order)
    choice = definition.choice(order)
    assert state.choice.tolist() == choice
    delta, target = state.arrays[3], state.arrays[4]
    slot = 0
    parents = [definition.candidates(y) for y in range(definition.n)]
    for x in range(definition.n):
        for y in range(definition.n):
            if x not in parents[y]:
                continue
            row = definition.row(y, {*order[: order.index(y)]} ^ {x})
            assert target[slot] == (row if row != choice[y] else -1)
            assert delta[slot] == scores[row] - scores[choice[y]]
            slot += 1
    assert slot == len(target)


@given(candidate_tables(), SEEDS)
def test_state_of_small_tables(table, seed):
    """Score, rows, deltas and targets."""
    check_state(table, seed)


@examples(10)
@given(hub_tables(), SEEDS)
def test_state_of_wide_tables(table, seed):
    """The same with sets as one word, as two words, and without words."""
    check_state(table, seed)


def check_prices(definition, order, state, variable, leasts):
    """Compare every insertion of a variable with rescoring, and the best of them above thresholds."""
    changes = definition.changes(order, variable)
    assert positions(state, variable) == pytest.approx(changes, abs=1e-9)
    at = order.index(variable)
    for least in leasts:  # changes are exact here, and those that are not above it are only said not to be
        told = positions(state, variable, least)
        assert [max(change, least) for change in told] == pytest.approx([max(c, least) for c in changes], abs=1e-9)
    for least in [*leasts, max(changes), max(changes) - 0.125]:
        change, to = best_of(state, variable, max(least, 1e-9))
        if max(changes) > max(least, 1e-9) + 1e-9:
            assert change == pytest.approx(max(changes), abs=1e-9)
            best = [i for i in range(definition.n) if changes[i] == max(changes)]
            assert to in best
            if best[0] < at:  # forwards rather than backwards, and no further than needed
                assert to == max(i for i in best if i < at)
        else:
            assert (change, to) == (max(least, 1e-9), at)


@given(candidate_tables() | dense_tables(), SEEDS)
def test_prices_in_small_tables(table, seed):
    """Every insertion of every variable, with thresholds below and above what there is to gain."""
    definition, order, state = set_up(table, seed)
    for variable in range(definition.n):
        check_prices(definition, order, state, variable, [0.0, 0.25, 1.0, 3.0])


@examples(8)
@given(hub_tables(), SEEDS)
def test_prices_in_wide_tables(table, seed):
    """Every insertion of the variables with many candidates, and of two of their candidates."""
    definition, order, state = set_up(table, seed)
    for variable in [0, 1, 2, *definition.candidates(0)[:2]]:
        check_prices(definition, order, state, variable, [0.0, 1.0])


@given(candidate_tables(), SEEDS)
def test_swaps_in_small_tables(table, seed):
    """Every swap of neighbours changes what rescoring says."""
    definition, order, state = set_up(table, seed)
    check_swaps(definition, order, state, range(definition.n - 1))


@examples(8)
@given(hub_tables(), SEEDS)
def test_swaps_in_wide_tables(table, seed):
    """Swaps beside the variables with many candidates."""
    definition, order, state = set_up(table, seed)
    places = [order.index(v) for v in range(3)]
    check_swaps(definition, order, state, {i for at in places for i in (at - 1, at) if 0 <= i < definition.n - 1})


def check_swaps(definition, order, state, places):
    """Compare swaps with rescoring."""
    for at in places:
        swapped = inserted(order, order[at], at + 1)
        wanted = definition.score(swapped) - definition.score(order)
        assert ask_swap(state.index.arrays, state.arrays, at) == pytest.approx(wanted, abs=1e-9)


def test_insertions_by_hand():
    """
    Along 0, 1, 2, 3 variable 3 has {0} (-3) and would be wanted by 1: -4 with {3}, -6 without.

    To position 1: 1 gains 2. To position 0: 1 gains 2, 3 loses {0} and has its empty set: 2 - 6 = -4. Variable 0 to
    position 3 costs 3 its set: -6; to positions 1 and 2, nothing.
    """
    table = table_of(
        [
            {NOTHING: -1.0},
            {NOTHING: -6.0, frozenset({3}): -4.0},
            {NOTHING: -1.0},
            {NOTHING: -9.0, frozenset({0}): -3.0},
        ]
    )
    state = State(Index(table))
    assert state.settle(np.arange(4)) == -1.0 - 6.0 - 1.0 - 3.0
    assert positions(state, 3) == [-4.0, 2.0, 0.0, 0.0]
    assert positions(state, 0) == [0.0, 0.0, 0.0, -6.0]
    assert best_of(state, 3, 0.5) == (2.0, 1)
    assert best_of(state, 3, 2.0) == (2.0, 3)
    assert best_of(state, 1, 0.5) == (2.0, 3)  # the other way to have 3 before 1
    assert best_of(state, 2, 0.5) == (0.5, 2)
    assert state.evaluations() > 0
    assert state.evaluations() == 0
