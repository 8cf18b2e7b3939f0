"""Rows that repeat, against a dictionary of rows."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.counting.kernels_rows import SAMPLE, estimate_distinct, group_equal_rows, hashes_of_rows
from strategies import tables


def rows_of(codes):
    """Return the rows of a table of columns."""
    return list(map(tuple, codes.T.tolist()))


def regrouped(codes, hashes):
    """Return the row and the size of every group."""
    first, counts = group_equal_rows(codes, hashes)
    rows = rows_of(codes)
    return [(rows[i], n) for i, n in zip(first.tolist(), counts.tolist(), strict=True)]


@given(table=tables())
def test_groups_of_equal_rows(table):
    """Every row stands in one group, together with all that equal it."""
    codes = table.dataset.codes
    groups = regrouped(codes, hashes_of_rows(codes))
    assert len(groups) == len(dict(groups))
    assert dict(groups) == Counter(rows_of(codes))


@given(table=tables(max_variables=3), divisor=st.sampled_from([1, 2, 5]))
def test_rows_of_one_hash_are_told_apart(table, divisor):
    """Where different rows share a hash, groups may be split, but hold equal rows only and lose none."""
    codes = table.dataset.codes
    hashes = (codes.sum(axis=0) // (10 * divisor)).astype(np.uint64)
    total = Counter()
    for row, n in regrouped(codes, hashes):
        total[row] += n
    assert total == Counter(rows_of(codes))


def test_hashes_depend_on_rows_alone():
    """All 65,536 pairs of bytes, twice, in two types, have as many hashes; transposing a pair changes its hash."""
    left, right = np.divmod(np.arange(1 << 16), 256)
    codes = np.array([[*left, *left], [*right, *right]], dtype=np.uint8)
    hashes = hashes_of_rows(codes)
    assert hashes[: 1 << 16].tolist() == hashes[1 << 16 :].tolist()
    assert hashes.tolist() == hashes_of_rows(codes.astype(np.uint16)).tolist()
    assert len(np.unique(hashes)) == 1 << 16


@pytest.mark.parametrize("rows", [1, 2, 100, SAMPLE])
def test_few_rows_are_counted_exactly(rows):
    """A sample of all rows is no estimate."""
    codes = np.random.default_rng(rows).integers(9, size=(2, rows)).astype(np.uint8)
    assert estimate_distinct(hashes_of_rows(codes)) == len(set(rows_of(codes)))


@pytest.mark.parametrize(("distinct", "times"), [(1, 50_000), (100, 500), (10_000, 5), (25_000, 2), (50_000, 1)])
def test_distinct_rows_are_estimated_wherever_they_stand(distinct, times):
    """50,000 rows, equal ones side by side or far apart: the estimate is right within 10 % of the rows."""
    numbers = np.arange(distinct)
    for order in (np.repeat(numbers, times), np.tile(numbers, times)):
        codes = np.array([order % 256, order // 256], dtype=np.uint8)
        assert estimate_distinct(hashes_of_rows(codes)) == pytest.approx(distinct, abs=5_000)
