"""Families of pieces: sets of three binary variables have a kernel of their own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_sequential import by_definition

from bnsearch.counting import piece_sizes
from bnsearch.counting.sweep import Sweep
from bnsearch.data import Dataset
from bnsearch.scores import AIC, BIC, K2, BDeu
from bnsearch.selection import kernels_last_triples, piece_families
from bnsearch.selection.piece_families import PieceFilter
from bnsearch.selection.sequential import Sequential
from strategies import examples

SCORES = [BIC(), AIC(), BDeu(ess=1.0), BDeu(ess=10.0), K2()]


def make_binary_table(n: int, rows: int, seed: int, share: float = 0.5) -> Dataset:
    """Return a table of binary columns, most of which depend on two earlier ones; `share` of the first is 1."""
    random = np.random.default_rng(seed)
    columns = [random.random(rows) < share for _ in range(2)]
    for v in range(2, n):
        noise = random.random(rows) < 0.2
        columns.append((columns[v // 2] & columns[v // 3]) ^ noise if v % 3 else noise)
    return Dataset.from_codes(np.stack(columns, axis=1).astype(np.uint8), arities=[2] * n)


def list_sets(table):
    """Return the sets of each variable with their scores."""
    return [{parents: score for score, parents in table.sets(v)} for v in range(table.n_variables)]


def select(data, score, threads=1):
    """Return the sets of all families with up to two parents that improve on all their subsets."""
    return list_sets(Sequential(max_parents=2).select(data, score, threads=threads).table)


@pytest.fixture
def pieces(monkeypatch):
    """Return a list that gets each piece of triples for which the kernel of their own is called."""
    calls, keep = [], PieceFilter._keep_triples

    def record(self, arrays, piece, sets):
        calls.append(piece)
        return keep(self, arrays, piece, sets)

    monkeypatch.setattr(PieceFilter, "_keep_triples", record)
    return calls


def assert_equal_sets(found, expected):
    """Compare sets, and their scores up to rounding errors."""
    for own, others in zip(found, expected, strict=True):
        assert own.keys() == others.keys()
        assert all(own[parents] == pytest.approx(others[parents], abs=1e-9) for parents in own)


@given(st.sampled_from(SCORES), st.integers(3, 9), st.sampled_from([1, 40, 63, 64, 65, 130]), st.integers(0, 10**6))
@examples(30)
def test_triples_against_the_definition(score, n, rows, seed):
    """All sets of up to two parents, with a number of rows around the size of a word."""
    data = make_binary_table(n, rows, seed)
    assert_equal_sets(select(data, score), by_definition(data, score, 2))


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("threads", [1, 3])
def test_triples_in_small_blocks_and_pieces(monkeypatch, pieces, score, threads):
    """Pieces of parts of a top place and of several top places, and blocks of one second place, change nothing."""
    data = make_binary_table(30, 300, 1, 0.1)
    with monkeypatch.context() as context:
        context.setattr(Sweep, "list_triple_arrays", lambda *_: None)
        expected = select(data, score)
    assert not pieces
    monkeypatch.setattr(piece_sizes, "MIN_ROWS_PER_CALL", 60)
    monkeypatch.setattr(piece_sizes, "MAX_SETS_PER_CALL", 50)
    monkeypatch.setattr(piece_families, "MAX_KEPT", 1)  # so that there is too little room at first
    assert_equal_sets(select(data, score, threads), expected)
    assert len(pieces) > 20
    assert any(piece.lowest > 0 for piece in pieces)
    assert any(piece.bottom < piece.top for piece in pieces)


def test_more_sets_of_a_top_than_a_block_has(pieces):
    """With 300 places, the largest top has 44,551 sets, and a block has 32,768."""
    data = make_binary_table(300, 70, 2, 0.3)
    found = select(data, BIC())
    assert pieces
    assert kernels_last_triples.BLOCK < 299 * 298 // 2
    scorer_sets = by_definition_of_last(data, found)
    assert scorer_sets == found[299].keys()


def by_definition_of_last(data, found):
    """Return the sets of the last variable by the definition, among its pairs of the first and last 20 places."""
    some = [*range(20), *range(280, 300)]
    part = Dataset.from_codes(data.codes[some].T, arities=[2] * len(some))
    sets = by_definition(part, BIC(), 2)[-1]
    named = {tuple(some[parent] for parent in parents) for parents in sets}
    others = {parents for parents in found[299] if not set(parents) <= set(some)}
    return named | others


@pytest.mark.parametrize(
    ("arities", "rows"),
    [([1] + [2] * 5, 100), ([2] * 5 + [3], 100)],
    ids=["a constant", "three states"],
)
def test_other_tables_are_enumerated_by_blocks(pieces, arities, rows):
    """The kernel needs variables of two states."""
    random = np.random.default_rng(3)
    data = Dataset.from_codes(np.stack([random.integers(0, r, rows) for r in arities], axis=1), arities=arities)
    assert_equal_sets(select(data, BIC()), by_definition(data, BIC(), 2))
    assert not pieces


def test_sizes_before_the_last_are_enumerated_by_blocks(pieces):
    """The sets of four variables need the values of those of three."""
    data = make_binary_table(7, 100, 4)
    found = list_sets(Sequential(max_parents=3).select(data, BIC(), threads=1).table)
    assert_equal_sets(found, by_definition(data, BIC(), 3))
    assert not pieces
