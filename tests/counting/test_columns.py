"""The layout of a table: places, bitmaps, merged rows."""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given

from bnsearch.counting import Counter
from bnsearch.counting.columns import BITMAP_STATES, Layout
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.scores import BIC, K2, BDeu, Scorer
from strategies import REPRESENTATIONS, Table, examples, tables


def repeated(times, distinct=3_000, seed=31):
    """Return a table of different rows, each many times, side by side or in turn."""
    rng = np.random.default_rng(seed)
    rows = np.unique(rng.integers([3, 2, 5, 2, 9, 30], size=(distinct, 6)), axis=0)
    return Dataset.from_codes(np.repeat(rows, times, axis=0), arities=[3, 2, 5, 2, 9, 30])


def test_places_ascend_by_arity():
    """Arities 5 2 3 2 1 put the variables in the order 4 1 3 2 0: equal arities keep theirs."""
    layout = Layout(Table(10, tuple(("uniform", r) for r in (5, 2, 3, 2, 1)), seed=30).dataset)
    assert layout.order.tolist() == [4, 1, 3, 2, 0]
    assert layout.columns.arities.tolist() == [1, 2, 2, 3, 5]
    assert layout.places([0, 1, 2, 3, 4]).tolist() == [4, 1, 3, 2, 0]
    assert layout.places([]).tolist() == []
    assert layout.places(iter([2, 4])).tolist() == [3, 0]


def test_some_variables():
    """A layout of the variables 3, 0 and 2 knows these alone."""
    table = Table(70, tuple(("uniform", r) for r in (5, 2, 3, 2, 1)), seed=32)
    layout = Layout(table.dataset, [3, 0, 2], "dense")
    assert layout.order.tolist() == [3, 2, 0]
    assert layout.columns.codes.tolist() == table.codes[[3, 2, 0]].tolist()
    assert layout.places([0, 3]).tolist() == [2, 0]
    with pytest.raises(InputError, match="variable 1 is not one of the counted variables"):
        layout.places([0, 1])


def test_variables_that_cannot_be_are_refused():
    """Unknown, negative, repeated and unnumbered variables: when a layout is made, and when it is asked."""
    data = Table(10, (("uniform", 2),) * 3, seed=33).dataset
    for bad, text in [
        ([3], "variable 3 is not one of 0..2"),
        ([0, -1], "variable -1 is not one of 0..2"),
        ([1, 0, 1], "twice"),
        (["a"], "by number"),
        ([0, 1.5], "by number"),
    ]:
        with pytest.raises(InputError, match=text):
            Layout(data, bad)
        with pytest.raises(InputError, match=text):
            Layout(data).places(bad)
    with pytest.raises(InputError, match="auto, bitmap, dense, sparse"):
        Layout(data, representation="abacus")


def test_more_rows_than_32_bits_are_refused():
    """Counts of 2^31 rows would not fit: the table is refused before anything is made of it."""
    with pytest.raises(InputError, match="2,147,483,648 rows; at most 2,147,483,647"):
        Layout(SimpleNamespace(n_rows=2**31, n_variables=1))


@pytest.mark.parametrize("representation", ["auto", "bitmap"])
@given(table=tables())
@examples(40)
def test_bitmaps_mark_the_rows_of_their_states(representation, table):
    """Every state but a most frequent one has a bitmap, and the bits beyond the last row are zero."""
    columns = Layout(table.dataset, representation=representation).columns
    codes = table.codes[np.argsort(table.arities, kind="stable")]
    bits = np.unpackbits(columns.words.view(np.uint8), axis=1, bitorder="little").astype(bool)
    assert not bits[:, table.n_rows :].any()
    assert columns.sizes.tolist() == bits.sum(axis=1).tolist()
    assert columns.total == table.n_rows
    for place, arity in enumerate(columns.arities.tolist()):
        items = range(columns.start[place], columns.start[place + 1])
        mode = columns.modes[place]
        assert sorted([mode, *columns.states[items].tolist()]) == list(range(arity))
        counts = np.bincount(codes[place], minlength=arity)
        assert counts[mode] == counts.max()
        for item in items:
            assert bits[item, : table.n_rows].tolist() == (codes[place] == columns.states[item]).tolist()


def test_bitmaps_of_many_states():
    """A variable of 256 states has bitmaps, one of 257 only where they are forced, and none where others are."""
    data = Table(50, (("uniform", 2), ("uniform", BITMAP_STATES), ("uniform", BITMAP_STATES + 1)), seed=34).dataset
    items = {r: np.diff(Layout(data, representation=r).columns.start).tolist() for r in REPRESENTATIONS}
    assert items == {"auto": [1, 255, 0], "bitmap": [1, 255, 256], "dense": [0, 0, 0], "sparse": [0, 0, 0]}
    assert np.diff(Layout(data, max_states=2).columns.start).tolist() == [1, 0, 0]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("times", [2, 7])
def test_repeated_rows_are_merged(times, shuffled):
    """Rows that occur 2 or 7 times are kept once with that weight, however the table is sorted."""
    data = repeated(times)
    if shuffled:
        data = Dataset.from_codes(np.random.default_rng(35).permutation(data.codes.T), arities=data.arities)
    columns = Layout(data).columns
    assert columns.weights.tolist() == [times] * (data.n_rows // times)
    assert len(np.unique(columns.codes, axis=1).T) == columns.codes.shape[1] == data.n_rows // times


def test_rows_that_differ_are_not_merged():
    """Six rows of which four differ stay as they are: three would have been few enough."""
    rows = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1], [1, 1]]
    assert Layout(Dataset.from_codes(rows)).columns.weights.tolist() == [1] * 6
    assert Layout(Dataset.from_codes([[0, 0], *rows[2:], [1, 1]])).columns.weights.sum() == 6
    assert len(Layout(Dataset.from_codes([[0, 0], *rows[2:], [1, 1]])).columns.weights) == 3
    assert Layout(Dataset.from_codes([[0, 1]])).columns.weights.tolist() == [1]


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_codes_are_laid_out_alike(representation):
    """Kernels meet one kind of array, whether rows are merged, variables in order, or neither."""
    few = repeated(3, distinct=400)
    assert len(Layout(few).columns.weights) < few.n_rows
    for data in [few, Table(300, (("uniform", 30),) * 4, seed=36).dataset, repeated(1)]:
        codes = Layout(data, representation=representation).columns.codes
        assert codes.flags.c_contiguous
        assert not codes.flags.writeable


def test_merged_rows_count_as_often_as_they_occur():
    """Counts and scores of merged rows are those of all rows."""
    data = repeated(5, distinct=400)
    assert len(Layout(data).columns.weights) < data.n_rows / 4
    merged, plain = Counter(data), Counter(data, representation="dense")
    sets = [s for k in range(5) for s in combinations(range(6), k)]
    for variables in sets:
        ours, theirs = merged.counts(variables), plain.counts(variables)
        assert (ours.cells.tolist(), ours.counts.tolist()) == (theirs.cells.tolist(), theirs.counts.tolist())
    for score in (BIC(), BDeu(), K2()):
        ours, theirs = Scorer(data, score), Scorer(data, score, representation="sparse")
        families = [(s[0], s[1:]) for s in sets if s]
        assert [ours.family(*f) for f in families] == pytest.approx([theirs.family(*f) for f in families], rel=1e-11)
