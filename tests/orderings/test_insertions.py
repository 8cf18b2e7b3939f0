"""The state of an ordering, and the score changes of insertions and swaps, compared with their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.orderings.index import Index
from bnsearch.orderings.kernels.arrays import DELTA, TARGET
from bnsearch.orderings.state import OrderingState
from candidate_tables import candidate_tables, dense_tables, hub_tables, table_of
from reference_orderings import (
    Definition,
    draw_order,
    insert,
    make_index,
    make_state,
    run_best_insertion,
    run_pricing,
    run_swap_pricing,
)
from strategies import examples

SEEDS = st.integers(0, 2**32 - 1)
NOTHING: frozenset[int] = frozenset()


def make_case(table, seed):
    """Return the definition, a random ordering, and its state."""
    order = draw_order(table.n_variables, seed)
    return Definition(table), order, make_state(make_index(table, seed), order)


def price_all(state, variable, min_change=-np.inf):
    """Return the results of `price_insertion` for all positions of a variable."""
    changes = np.full(len(state.order), np.nan)
    run_pricing(state.index.arrays, state.arrays, variable, min_change, changes)
    return changes.tolist()


def find_best(state, variable, min_change):
    """Return the result of `find_best_insertion` for a variable."""
    return run_best_insertion(state.index.arrays, state.arrays, variable, min_change)


def check_state(table, seed):
    """Compare choices, and the delta and target of every pair: one candidate alone on the other side of its child."""
    definition, order, state = make_case(table, seed)
    scores = table.scores
    again = OrderingState(state.index)
    assert again.set_order(np.array(order)) == pytest.approx(definition.score(order), abs=1e-9)
    assert again.snapshot().score == definition.score(order)
    choice = definition.choice(order)
    assert state.choice.tolist() == choice
    delta, target = state.arrays[DELTA], state.arrays[TARGET]
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
    """Score, choices, deltas and targets."""
    check_state(table, seed)


@examples(10)
@given(hub_tables(), SEEDS)
def test_state_of_wide_tables(table, seed):
    """The same with numbers of candidates around 64 and 128."""
    check_state(table, seed)


def check_prices(definition, order, state, variable, thresholds):
    """Compare every insertion of a variable with rescoring, and the best of them above several thresholds."""
    changes = definition.changes(order, variable)
    assert price_all(state, variable) == pytest.approx(changes, abs=1e-9)
    at = order.index(variable)
    for least in thresholds:  # of changes that are not above the threshold, only this is known
        found = price_all(state, variable, least)
        assert [max(change, least) for change in found] == pytest.approx([max(c, least) for c in changes], abs=1e-9)
    for least in [*thresholds, max(changes), max(changes) - 0.125]:
        change, to = find_best(state, variable, max(least, 1e-9))
        if max(changes) > max(least, 1e-9) + 1e-9:
            assert change == pytest.approx(max(changes), abs=1e-9)
            best = [i for i in range(definition.n) if changes[i] == max(changes)]
            assert to in best
            if best[0] < at:  # towards the front if possible, and the nearest position
                assert to == max(i for i in best if i < at)
        else:
            assert (change, to) == (max(least, 1e-9), at)


@given(candidate_tables() | dense_tables(), SEEDS)
def test_prices_in_small_tables(table, seed):
    """Every insertion of every variable, with thresholds below and above the best change."""
    definition, order, state = make_case(table, seed)
    for variable in range(definition.n):
        check_prices(definition, order, state, variable, [0.0, 0.25, 1.0, 3.0])


@examples(8)
@given(hub_tables(), SEEDS)
def test_prices_in_wide_tables(table, seed):
    """Every insertion of the variables with many candidates, and of two of their candidates."""
    definition, order, state = make_case(table, seed)
    for variable in [0, 1, 2, *definition.candidates(0)[:2]]:
        check_prices(definition, order, state, variable, [0.0, 1.0])


@given(candidate_tables(), SEEDS)
def test_swaps_in_small_tables(table, seed):
    """The score change of every swap of adjacent variables is that of rescoring."""
    definition, order, state = make_case(table, seed)
    check_swaps(definition, order, state, range(definition.n - 1))


@examples(8)
@given(hub_tables(), SEEDS)
def test_swaps_in_wide_tables(table, seed):
    """Swaps next to the variables with many candidates."""
    definition, order, state = make_case(table, seed)
    places = [order.index(v) for v in range(3)]
    check_swaps(definition, order, state, {i for at in places for i in (at - 1, at) if 0 <= i < definition.n - 1})


def check_swaps(definition, order, state, places):
    """Compare the score changes of swaps with rescoring."""
    for at in places:
        swapped = insert(order, order[at], at + 1)
        wanted = definition.score(swapped) - definition.score(order)
        assert run_swap_pricing(state.index.arrays, state.arrays, at) == pytest.approx(wanted, abs=1e-9)


def test_insertions_by_hand():
    """
    In the ordering 0, 1, 2, 3 variable 3 chooses {0} (-3), and variable 1 scores -6, or -4 with the parent 3.

    Variable 3 to position 1: 1 gains 2. To position 0: 1 gains 2, and 3 loses its parent 0: 2 - 6 = -4. Variable 0 to
    position 3: 3 loses its parent 0, -6; to positions 1 and 2: no change.
    """
    table = table_of(
        [
            {NOTHING: -1.0},
            {NOTHING: -6.0, frozenset({3}): -4.0},
            {NOTHING: -1.0},
            {NOTHING: -9.0, frozenset({0}): -3.0},
        ]
    )
    state = OrderingState(Index(table))
    assert state.set_order(np.arange(4)) == -1.0 - 6.0 - 1.0 - 3.0
    assert price_all(state, 3) == [-4.0, 2.0, 0.0, 0.0]
    assert price_all(state, 0) == [0.0, 0.0, 0.0, -6.0]
    assert find_best(state, 3, 0.5) == (2.0, 1)
    assert find_best(state, 3, 2.0) == (2.0, 3)
    assert find_best(state, 1, 0.5) == (2.0, 3)  # the other way to order 3 before 1
    assert find_best(state, 2, 0.5) == (0.5, 2)
    assert state.new_evaluations() > 0
    assert state.new_evaluations() == 0
