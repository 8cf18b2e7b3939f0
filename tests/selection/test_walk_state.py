"""An enumeration that is saved and continued in another process, against one that is done at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_enumeration import rows_of, small_pieces  # noqa: F401  # a fixture
from test_sequential import random_table

from bnsearch.budgets.budget import Budget
from bnsearch.checkpoints.enumerations import EnumerationEncoder, decode_enumeration
from bnsearch.scores import BIC, K2, BDeu
from bnsearch.selection.enumeration import Enumeration, EnumerationState
from bnsearch.selection.piece_families import PieceFilter
from bnsearch.selection.sequential import Sequential
from bnsearch.selection.walk_state import take_state
from clocks import Clock
from strategies import examples


def save(state: EnumerationState, found) -> EnumerationState:
    """Return the state that a checkpoint keeps of an enumeration and its last selection."""
    part = EnumerationEncoder().encode(take_state(state.walk))
    return EnumerationState(table=found.table, is_cut=found.is_cut, saved=decode_enumeration(part))


@examples(25)
@given(
    st.integers(2, 7),
    st.integers(0, 999),
    st.sampled_from([BIC(), BDeu(ess=1.0), K2()]),
    st.lists(st.tuples(st.floats(0.005, 0.05), st.integers(1, 3), st.booleans()), max_size=5),
)
def test_runs_continue_the_enumeration(n, seed, score, parts):
    """Each run has its own number of threads, and begins with the state of the one before; the table is the same."""
    data, clock, state, found = random_table(n, 60, seed), Clock(tick=0.001), EnumerationState(), None
    sizes = [0]
    while found is None or not found.complete:
        seconds, threads, whole = parts[len(sizes) - 1] if len(sizes) <= len(parts) else (60.0, 1, False)
        state = EnumerationState() if found is None else save(state, found)
        builder = Enumeration(seconds=seconds, whole_size=whole, state=state)
        found = builder.select_within(Budget(clock=clock, threads=threads), data, score)
        sizes.append(found.depth)
        assert len(sizes) < 100
    assert rows_of(found.table) == rows_of(Sequential(max_parents=None).select(data, score).table)
    assert sizes == sorted(sizes)


@pytest.mark.parametrize("seconds", [0.01, 0.02, 0.03, 0.05, 0.08, 0.12])
def test_a_restored_walk_goes_on_to_larger_sizes(seconds):
    """The pieces before the interruption are not counted again with their size, but larger sets need their counts."""
    data, clock, score = random_table(8, 60, 3), Clock(tick=0.001), BDeu(ess=1.0)
    state = EnumerationState()
    builder = Enumeration(seconds=seconds, whole_size=False, state=state)
    found = builder.select_within(Budget(clock=clock, threads=1), data, score)
    state = save(state, found)
    while not found.complete:
        found = Enumeration(whole_size=False, state=state).select_within(Budget(clock=clock, threads=1), data, score)
    assert rows_of(found.table) == rows_of(Sequential(max_parents=None).select(data, score).table)


def test_no_piece_is_enumerated_twice(monkeypatch):
    """Also if the runs are interrupted within a size."""
    data, clock, state, visited = random_table(8, 60, 3), Clock(tick=0.001), EnumerationState(), []
    keep = PieceFilter._keep_of_block

    def record(self, piece, block):
        visited.append((self.progress.size, piece))
        return keep(self, piece, block)

    monkeypatch.setattr(PieceFilter, "_keep_of_block", record)
    found, n_runs = None, 0
    while found is None or not found.complete:
        state = EnumerationState() if found is None else save(state, found)
        builder = Enumeration(seconds=0.1, whole_size=False, state=state)
        found = builder.select_within(Budget(clock=clock, threads=1), data, BDeu(ess=1.0))
        n_runs += 1
        assert n_runs < 100
    assert n_runs > 5
    assert len(visited) == len(set(visited))
    assert found.scored == Sequential(max_parents=None).select(data, BDeu(ess=1.0)).scored


def test_arrays_of_complete_sizes_are_written_once():
    """They are the same read-only objects in each description, unless the enumeration has completed a size."""
    data, state, encoder = random_table(6, 60, 3), EnumerationState(), EnumerationEncoder()
    for complete in (2, 3):
        Enumeration(state=state).select(data, BDeu(ess=1.0), threads=1)
        first, second = (encoder.encode(take_state(state.walk)) for _ in range(2))
        assert first.facts["complete"] == complete
        assert all(first.arrays[name] is second.arrays[name] for name in first.arrays)
        assert not any(array.flags.writeable for array in first.arrays.values())
        assert np.array_equal(first.arrays["best_scores"], state.walk.best_scores)
