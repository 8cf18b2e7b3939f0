"""Insertions: the updated state equals a new state of the new ordering. Random numbers of kernels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.orderings.index import Index
from bnsearch.orderings.kernels.arrays import TOUCHED
from candidate_tables import candidate_tables, dense_tables, hub_tables, table_of
from reference_orderings import (
    Definition,
    draw_order,
    insert,
    list_differences,
    make_index,
    make_state,
    run_draws,
    run_insertion,
)
from strategies import examples

SEEDS = st.integers(0, 2**32 - 1)


def insert_in_state(state, variable, to):
    """Insert a variable; return the change of the score, the variables with updated targets, and the other touched."""
    change, front, back = run_insertion(state.index.arrays, state.arrays, variable, to)
    touched = state.arrays[TOUCHED].tolist()
    return change, touched[:front], touched[len(touched) - back :]


def check_moves(table, moves, seed):
    """Make insertions, and compare with the definition and with a new state after each."""
    definition = Definition(table)
    order = draw_order(definition.n, seed)
    state = make_state(make_index(table, seed), order)
    for variable, to in moves:
        new = insert(order, variable, to)
        change, updated, others = insert_in_state(state, variable, to)
        assert state.order.tolist() == new
        assert change == pytest.approx(definition.score(new) - definition.score(order), abs=1e-9)
        assert list_differences(state, make_state(state.index, new)) == []
        low, high = sorted((order.index(variable), to))
        children = [v for v in order[low : high + 1] if variable in definition.candidates(v)]
        assert sorted([*updated, *others]) == sorted([*children, variable])
        assert updated[-1] == variable
        order = new


@given(candidate_tables() | dense_tables(), st.data(), SEEDS)
def test_moves_in_small_tables(table, data, seed):
    """Up to twelve insertions of any variables at any positions."""
    place = st.integers(0, table.n_variables - 1)
    check_moves(table, data.draw(st.lists(st.tuples(place, place), max_size=12)), seed)


@examples(8)
@given(hub_tables(), SEEDS)
def test_moves_in_wide_tables(table, seed):
    """Insertions of variables with many candidates, and past them."""
    rng = np.random.default_rng(seed)
    n = table.n_variables
    moves = [(rng.integers(3) if rng.random() < 0.5 else rng.integers(n), rng.integers(n)) for _ in range(12)]
    check_moves(table, [(int(v), int(to)) for v, to in moves], seed)


def test_targets_that_do_not_depend_on_the_inserted_variable():
    """
    Variables 2 and 3 have {0} (-1), {1} (-2) and {} (-9), variable 3 also {4} (-3). Variables 0 and 1 precede them.

    Both choose {0}; their best set without 0 is {1}. When 4 passes 3, no target of 3 changes, because {4} is worse than
    {1}. When 1 passes both, their choices stay the same, but their best sets without 0 change.
    """
    sets = {frozenset[int](): -9.0, frozenset({0}): -1.0, frozenset({1}): -2.0}
    table = table_of([{frozenset(): 0.0}, {frozenset(): 0.0}, sets, sets | {frozenset({4}): -3.0}, {frozenset(): 0.0}])
    state = make_state(Index(table), [0, 1, 4, 2, 3])
    assert insert_in_state(state, 4, 4) == (0.0, [4], [3])
    assert insert_in_state(state, 1, 4) == (0.0, [2, 3, 1], [])
    assert list_differences(state, make_state(state.index, [0, 2, 3, 4, 1])) == []


def test_draws_are_those_of_splitmix():
    """The numbers of the seed 1234567 are those of the generator's reference program; bounded ones are remainders."""
    bits, numbers = np.empty(3, dtype=np.uint64), np.empty(2, dtype=np.int64)
    random = np.array([1234567], dtype=np.uint64)
    run_draws(random, np.array([10, 7]), bits, numbers)
    assert bits.tolist() == [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert numbers.tolist() == [4593380528125082431 % 10, 16408922859458223821 % 7]
