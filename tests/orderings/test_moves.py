"""Insertions carried out: the state afterwards is that of the new ordering, whatever came before."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.orderings.climber import State
from bnsearch.orderings.index import Index
from candidate_tables import candidate_tables, dense_tables, hub_tables, table_of
from reference_orderings import Definition, ask_draws, ask_move, differences, index_of, inserted, random_order, settled
from strategies import examples

SEEDS = st.integers(0, 2**32 - 1)


def moved(state, variable, to):
    """Insert a variable; return the change and the touched variables, those looked at anew and the others."""
    change, front, back = ask_move(state.index.arrays, state.arrays, variable, to, state.touched)
    touched = state.touched.tolist()
    return change, touched[:front], touched[len(touched) - back :]


def check_moves(table, moves, seed):
    """Make moves, and compare with the definition and with a fresh state after each."""
    definition = Definition(table)
    order = random_order(definition.n, seed)
    state = State(index_of(table, seed))
    state.settle(np.array(order))
    for variable, to in moves:
        new = inserted(order, variable, to)
        change, looked_at, others = moved(state, variable, to)
        assert state.order.tolist() == new
        assert change == pytest.approx(definition.score(new) - definition.score(order), abs=1e-9)
        assert differences(state, settled(state, new)) == []
        low, high = sorted((order.index(variable), to))
        children = [v for v in order[low : high + 1] if variable in definition.candidates(v)]
        assert sorted([*looked_at, *others]) == sorted([*children, variable])
        assert looked_at[-1] == variable
        order = new


@given(candidate_tables() | dense_tables(), st.data(), SEEDS)
def test_moves_in_small_tables(table, data, seed):
    """Up to twelve insertions of any variables at any positions."""
    place = st.integers(0, table.n_variables - 1)
    check_moves(table, data.draw(st.lists(st.tuples(place, place), max_size=12)), seed)


@examples(8)
@given(hub_tables(), SEEDS)
def test_moves_in_wide_tables(table, seed):
    """Variables with many candidates pass many others and are passed by them."""
    rng = np.random.default_rng(seed)
    n = table.n_variables
    moves = [(rng.integers(3) if rng.random() < 0.5 else rng.integers(n), rng.integers(n)) for _ in range(12)]
    check_moves(table, [(int(v), int(to)) for v, to in moves], seed)


def test_a_move_that_does_not_matter():
    """
    Variables 2 and 3 have {0} (-1), then {1} (-2); 3 also {4} (-3); then nothing (-9). 0 and 1 stand before them.

    Both have {0}, and {1} is what they would take without 0. So 4 may pass 3 without a look: its set comes later. When
    1 passes them, their sets stay, but what they would take without 0 changes.
    """
    sets = {frozenset[int](): -9.0, frozenset({0}): -1.0, frozenset({1}): -2.0}
    table = table_of([{frozenset(): 0.0}, {frozenset(): 0.0}, sets, sets | {frozenset({4}): -3.0}, {frozenset(): 0.0}])
    state = State(Index(table))
    state.settle(np.array([0, 1, 4, 2, 3]))
    assert moved(state, 4, 4) == (0.0, [4], [3])
    assert moved(state, 1, 4) == (0.0, [2, 3, 1], [])
    assert differences(state, settled(state, [0, 2, 3, 4, 1])) == []


def test_draws_are_those_of_splitmix():
    """The words of the seed 1234567 as the generator's reference program prints them; numbers are remainders."""
    words, numbers = np.empty(3, dtype=np.uint64), np.empty(2, dtype=np.int64)
    random = np.array([1234567], dtype=np.uint64)
    ask_draws(random, np.array([10, 7]), words, numbers)
    assert words.tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert numbers.tolist() == [4593380528125082431 % 10, 16408922859458223821 % 7]
