"""An enumeration in many parts against one that is done at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_sequential import random_table

from bnsearch.budgets.budget import Budget
from bnsearch.counting import piece_sizes
from bnsearch.data import Dataset
from bnsearch.knowledge import Knowledge
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores import BIC, K2, BDeu
from bnsearch.selection import enumeration
from bnsearch.selection.enumeration import Enumeration, EnumerationState
from bnsearch.selection.report import Selection
from bnsearch.selection.sequential import Sequential
from bnsearch.selection.walk import Walk
from clocks import Clock
from strategies import examples

SCORES = (BIC(), BDeu(ess=1.0), K2())


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Divide each size into many pieces."""
    monkeypatch.setattr(piece_sizes, "MAX_SETS_PER_CALL", 8)
    monkeypatch.setattr(piece_sizes, "MIN_SETS_PER_CALL", 1)
    monkeypatch.setattr(piece_sizes, "MIN_ROWS_PER_CALL", 1)


def rows_of(table: ParentSets) -> list[list[tuple[float, tuple[int, ...]]]]:
    """Return each variable's sets and scores, rounded."""
    return [sorted((round(score, 6), parents) for score, parents in table.sets(v)) for v in range(table.n_variables)]


def select_in_parts(
    data: Dataset,
    score,
    parts: list[float],
    knowledge: Knowledge | None = None,
    *,
    n_runs: int = 1,
    whole: bool = False,
) -> list[Selection]:
    """
    Return the selections with some time budgets, and then as many as are needed to complete the table.

    n_runs : number of runs; each but the last one makes one selection, with whose table the next run begins
    """
    clock = Clock(tick=0.001)
    state = EnumerationState()
    known = None if knowledge is None else knowledge.constraints(data.names)
    found: list[Selection] = []
    while not (found and found[-1].complete):
        seconds = parts[len(found)] if len(found) < len(parts) else 60.0
        if 0 < len(found) < n_runs:
            state = EnumerationState(table=found[-1].table, is_cut=found[-1].is_cut, earlier_depth=found[-1].depth)
        builder = Enumeration(seconds=seconds, whole_size=whole, state=state)
        found.append(builder.select_within(Budget(clock=clock, threads=1), data, score, known))
        assert len(found) < 100
    return found


@examples(25)
@given(
    st.integers(2, 7),
    st.integers(0, 999),
    st.sampled_from(SCORES),
    st.lists(st.floats(0.005, 0.05), max_size=12),
)
def test_parts_give_the_same_table(n, seed, score, parts):
    """The last selection has all sets, and no selection has a set that the last one lacks."""
    data = random_table(n, 60, seed)
    found = select_in_parts(data, score, parts)
    expected = Sequential(max_parents=None).select(data, score).table
    assert rows_of(found[-1].table) == rows_of(expected)
    for earlier in found:
        for some, everything in zip(rows_of(earlier.table), rows_of(expected), strict=True):
            assert set(some) <= set(everything)


@examples(25)
@given(
    st.integers(2, 7),
    st.integers(0, 999),
    st.lists(st.floats(0.005, 0.05), max_size=4),
    st.integers(2, 4),
    st.booleans(),
    st.booleans(),
)
def test_an_earlier_run_is_continued(n, seed, parts, n_runs, whole, known):
    """Runs that begin with the table of the one before never have fewer sizes, and end with the same table."""
    data, score = random_table(n, 60, seed), BDeu(ess=1.0)
    knowledge = Knowledge(required=[("0", "1")], max_parents=3) if known else None
    found = select_in_parts(data, score, parts, knowledge, n_runs=n_runs, whole=whole)
    constraints = None if knowledge is None else knowledge.constraints(data.names)
    expected = Sequential(max_parents=None).select(data, score, constraints=constraints).table
    assert rows_of(found[-1].table) == rows_of(expected)
    sizes = [selection.depth for selection in found]
    assert known or sizes == sorted(sizes)
    for earlier in found if not known else []:
        for some, everything in zip(rows_of(earlier.table), rows_of(expected), strict=True):
            assert set(some) <= set(everything)


def test_sizes_are_completed_one_after_the_other():
    """With much time, the first selection has two sizes, and each later one adds a size; the reports say so."""
    data = random_table(6, 200, 7)
    found = select_in_parts(data, BDeu(ess=1.0), [])
    assert [selection.depth for selection in found] == [2, 3, 4, 5]
    for selection in found:
        expected = Sequential(max_parents=selection.depth).select(data, BDeu(ess=1.0))
        assert rows_of(selection.table) == rows_of(expected.table)
        assert selection.scored == expected.scored
    assert all(selection.seconds_for_next > 0.0 for selection in found[:-1])


def test_the_time_for_making_a_table_is_measured(monkeypatch):
    """A clock that moves by 3 s while the table is made, and not otherwise."""
    clock, state = Clock(), EnumerationState()
    make_table = Walk.table

    def slow_table(walk, *, only_best):
        clock.now += 3.0
        return make_table(walk, only_best=only_best)

    monkeypatch.setattr(Walk, "table", slow_table)
    builder = Enumeration(seconds=10.0, state=state)
    builder.select_within(Budget(clock=clock, threads=1), random_table(6, 200, 7), BDeu(ess=1.0))
    assert state.assembly_seconds == 3.0


def test_knowledge():
    """Legal sets only, also of variables with required parents, which have their own searches."""
    data = random_table(6, 200, 7)
    knowledge = Knowledge(required=[("0", "1")], forbidden=[("2", "3"), ("4", "5")], max_parents=3)
    found = select_in_parts(data, BDeu(ess=1.0), [0.01, 0.02], knowledge)
    known = knowledge.constraints(data.names)
    expected = Sequential(max_parents=None).select(data, BDeu(ess=1.0), constraints=known).table
    assert rows_of(found[-1].table) == rows_of(expected)


def test_a_whole_size_is_given_up():
    """The clock moves with each of 55 pieces of pairs and 508 of triples; the pace shows that 30 s do not suffice."""
    data = random_table(30, 50, 3)
    state = EnumerationState()
    budget = Budget(clock=Clock(tick=0.05), threads=1)

    def select(seconds: float, whole: bool) -> Selection:
        builder = Enumeration(seconds=seconds, whole_size=whole, state=state)
        return builder.select_within(budget, data, BDeu(ess=1.0))

    given_up = select(30.0, True)
    assert (given_up.depth, given_up.stop) == (1, "seconds")
    assert given_up.seconds < 30.0 < given_up.seconds_for_next
    in_part = select(10.0, False)
    assert in_part.scored > given_up.scored
    assert in_part.seconds >= 9.0
    assert select(1e4, False).depth == 2


def test_limits_of_rows_and_memory():
    """An incomplete table has each variable's best sets; the enumeration ends when the families fill the memory."""
    data = random_table(9, 200, 7)
    state = EnumerationState()
    limited = Enumeration(max_rows=36, state=state).select(data, BDeu(ess=1.0), threads=1)
    whole = Sequential(max_parents=2).select(data, BDeu(ess=1.0)).table
    for v in range(9):
        best = [parents for _, parents in list(whole.sets(v))[:4]]
        assert [parents for _, parents in limited.table.sets(v)] == [*best, *([()] if () not in best else [])]
    walk = state.walk
    walk.memory = 20 * walk.kept.number - 1
    stopped = Enumeration(state=state).select(data, BDeu(ess=1.0), threads=1)
    assert (stopped.stop, stopped.depth) == ("memory", 2)


def test_a_part_of_a_size_is_joined_with_the_best_sets(monkeypatch):
    """Tables of at most 36 rows are joined after a part: four sets for each variable. Whole sizes have all sets."""
    monkeypatch.setattr(enumeration, "MAX_PART_ROWS", 36)
    data, score, state = random_table(9, 200, 7), BDeu(ess=1.0), EnumerationState()
    whole = Enumeration(seconds=1e4, state=state).select(data, score, threads=1)
    part = Enumeration(seconds=1e4, whole_size=False, state=state).select(data, score, threads=1)
    complete = Enumeration(seconds=1e4, state=state).select(data, score, threads=1)
    assert (whole.is_cut, part.is_cut, complete.is_cut) == (False, True, False)
    for v in range(9):
        sets, earlier = list(part.table.sets(v)), [(), *(parents for _, parents in whole.table.sets(v))]
        new = [parents for _, parents in sets if parents not in earlier]
        assert len(new) <= 4
        assert [parents for _, parents in sets if parents not in new] == [
            parents for _, parents in whole.table.sets(v) if parents in earlier[1:5] or not parents
        ]
    expected = Sequential(max_parents=complete.depth).select(data, score).table
    assert rows_of(complete.table) == rows_of(expected)


def test_variables_with_few_states_come_first():
    """A partial enumeration of triples has a set of the binary variables, and none with the widest variable."""
    random = np.random.default_rng(1)
    codes = random.integers(0, 2, (400, 8))
    codes[:, 7] = random.integers(0, 40, 400)
    codes[:, 2] = codes[:, 0] ^ codes[:, 1]
    data = Dataset.from_codes(codes, arities=[2] * 7 + [40])
    budget = Budget(clock=Clock(tick=0.01), threads=1)
    found = Enumeration(seconds=0.45, whole_size=False).select_within(budget, data, BIC())
    assert found.depth == 1
    assert (0, 1) in {parents for _, parents in found.table.sets(2)}
    assert found.scored_of[7] == 8  # its empty set and its single parents


@pytest.mark.parametrize("first_seconds", [0.0, 20.0, 35.0])
def test_the_expected_time_for_the_next_size_does_not_depend_on_interruptions(first_seconds):
    """
    The clock moves evenly with the sets, and the sets of two parents are enumerated at once, or in two selections.

    The second selection has only a part of these sets, so its time must not be divided by the number of all of them.
    All at once take about 43 s, so 27,405 sets of three parents take 2 * 42.75 * 27,405 / 4,060 = 577 s.
    """
    data, state = random_table(30, 50, 3), EnumerationState()
    budget = Budget(clock=Clock(tick=0.05), threads=1)
    for seconds in [first_seconds, 1e4] if first_seconds else [1e4]:
        found = Enumeration(seconds=seconds, whole_size=False, state=state).select_within(budget, data, BDeu(ess=1.0))
    assert found.depth == 2
    assert found.seconds_for_next == pytest.approx(577.0, rel=0.1)
