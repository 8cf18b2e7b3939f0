"""Joint counts through every representation, against a dictionary filled row by row."""

from __future__ import annotations

from itertools import combinations, permutations
from math import prod

import numpy as np
import pytest
from hypothesis import given

from bnsearch.counting import Counter
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from reference import joint_counts
from strategies import EDGES, MIXED, REPRESENTATIONS, Table, examples, tables, tables_and_sets

every_representation = pytest.mark.parametrize("representation", REPRESENTATIONS)


def check(counts, table, variables):
    """Assert that joint counts keep their contract and hold what the definition gives."""
    arities = [table.arities[v] for v in variables]
    assert counts.variables == tuple(variables)
    assert tuple(counts.shape) == tuple(arities)
    assert counts.cells.dtype == counts.counts.dtype == np.int64
    assert np.all(np.diff(counts.cells) > 0)
    expected = {mixed_radix(cell, arities): n for cell, n in joint_counts(table.codes.T.tolist(), variables).items()}
    assert dict(zip(counts.cells.tolist(), counts.counts.tolist(), strict=True)) == expected


def mixed_radix(cell, arities):
    """Return the row-major code of a cell: the last variable changes fastest."""
    code = 0
    for state, arity in zip(cell, arities, strict=True):
        code = code * arity + state
    return code


@every_representation
@given(case=tables_and_sets())
def test_counts_match_the_definition(representation, case):
    """Any set of 0 to 7 variables, asked in any order, has the cells and the counts of the definition."""
    table, variables = case
    check(Counter(table.dataset, representation=representation).counts(variables), table, variables)


@every_representation
@pytest.mark.parametrize("n_rows", EDGES)
def test_counts_at_the_edges_of_words(representation, n_rows):
    """Row counts at and around multiples of 64 lose no row and invent none."""
    table = Table(n_rows, MIXED, seed=n_rows)
    counter = Counter(table.dataset, representation=representation)
    for size in range(4):
        for variables in combinations(range(len(MIXED)), size):
            check(counter.counts(variables), table, variables)


@every_representation
@given(table=tables(max_variables=5, max_rows=70))
@examples(40)
def test_one_counter_serves_many_sets(representation, table):
    """Later calls neither see what earlier ones left behind nor change what those returned."""
    counter = Counter(table.dataset, representation=representation)
    size = len(table.columns)
    asked = [s for k in (size, 1, size // 2, size) for s in permutations(range(size), k)][::7]
    answers = [counter.counts(variables) for variables in asked]
    for variables, answer in zip(asked, answers, strict=True):
        check(answer, table, variables)


@every_representation
@given(case=tables_and_sets())
@examples(50)
def test_dense_is_the_full_table(representation, case):
    """The dense form has one entry for each combination of declared states, unobserved ones zero."""
    table, variables = case
    variables = variables[:3]
    dense = Counter(table.dataset, representation=representation).counts(variables).dense()
    assert dense.dtype == np.int64
    assert dense.shape == tuple(table.arities[v] for v in variables)
    expected = joint_counts(table.codes.T.tolist(), variables)
    assert {cell: dense[cell] for cell in np.ndindex(dense.shape) if dense[cell]} == expected


@every_representation
def test_empty_set_has_one_cell(representation):
    """The empty set has the single cell 0, which holds all 65 rows, and a dense form without axes."""
    data = Table(65, (("uniform", 3),), seed=1).dataset
    counts = Counter(data, representation=representation).counts(())
    assert (counts.variables, tuple(counts.shape)) == ((), ())
    assert (counts.cells.tolist(), counts.counts.tolist()) == ([0], [65])
    assert counts.dense().shape == ()
    assert int(counts.dense()) == 65


@every_representation
def test_dense_refuses_a_table_too_large_to_allocate(representation):
    """Seven columns of 30 states have 2.2e10 cells: counted, but not spread out."""
    table = Table(100, (("uniform", 30),) * 7, seed=2)
    counts = Counter(table.dataset, representation=representation).counts(range(7))
    check(counts, table, tuple(range(7)))
    assert prod(counts.shape) == 30**7
    with pytest.raises(InputError):
        counts.dense()


@every_representation
@pytest.mark.parametrize("top", [255, 256, 257, 65_535])
def test_wide_columns(representation, top):
    """Codes beyond one byte, and the highest code of a column, are counted apart."""
    table = Table(300, (("uniform", top), ("skewed", 2), ("constant", 300)), seed=top)
    codes = table.codes.T.copy()
    codes[:3, 0] = [top - 1, top - 1, 0]
    counter = Counter(Dataset.from_codes(codes, arities=table.arities), representation=representation)
    for variables in [(0,), (1, 0), (2, 0, 1)]:
        arities = [table.arities[v] for v in variables]
        expected = {mixed_radix(c, arities): n for c, n in joint_counts(codes.tolist(), variables).items()}
        counts = counter.counts(variables)
        assert dict(zip(counts.cells.tolist(), counts.counts.tolist(), strict=True)) == expected


@every_representation
def test_counts_beyond_sixteen_bits(representation):
    """A cell that 70,000 rows share is counted in full, though 70,000 exceeds 65,535."""
    codes = np.zeros((70_003, 3), dtype=np.int64)
    codes[-3:] = [[0, 1, 2], [1, 1, 0], [1, 1, 0]]
    counts = Counter(Dataset.from_codes(codes, arities=[2, 2, 3]), representation=representation).counts((0, 1, 2))
    assert counts.cells.tolist() == [0, 5, 9]
    assert counts.counts.tolist() == [70_000, 1, 2]


def test_bad_requests_are_refused():
    """An unknown representation and a variable that does not exist are input errors."""
    data = Table(10, (("uniform", 2), ("uniform", 2)), seed=3).dataset
    with pytest.raises(InputError):
        Counter(data, representation="sundial")
    for variables in [(2,), (0, -1)]:
        with pytest.raises(InputError):
            Counter(data).counts(variables)
