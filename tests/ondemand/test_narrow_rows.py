"""Narrow extension rows: which entries they have, when they are used, and that full rows replace them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_extension_rows import LARGE, check_row, dense_source, every_score, new_rows, random_families, row_of

from bnsearch.ondemand.chain import NARROW_SIZES, OnDemandChain
from bnsearch.ondemand.extensions import list_extensions
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.ondemand.kernels_row_cache import COMPUTED, EVALUATIONS, HEAD, NARROW_FROM
from bnsearch.ondemand.kernels_state import SEEN
from bnsearch.ondemand.row_caches import RowCaches
from bnsearch.ondemand.source import Source
from bnsearch.ondemand.table_searches import TableSearches
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
from clocks import Clock
from reference_ondemand import SCORES, Definition, Dependent, problem_of
from strategies import Table, examples, tables

MEMORY = 1 << 22


def narrow_rows(n: int, size: int = 2):
    """Return the cache of a single chain whose rows are narrow from a number of parents on."""
    rows = new_rows(LARGE, n)
    rows[HEAD][NARROW_FROM] = size
    return rows


def select_entries(found, kept: set[int]):
    """Return a row with only some of its candidates."""
    score, candidates, gains = found
    entries = [(z, gain) for z, gain in zip(candidates, gains, strict=True) if z in kept]
    return score, [z for z, _ in entries], [gain for _, gain in entries]


@every_score
@pytest.mark.parametrize("size", NARROW_SIZES)
@examples(15)
@given(table=tables(min_variables=3, max_variables=8, max_rows=200), seed=st.integers(0, 1000))
def test_narrow_rows_by_definition(score, size, table: Table, seed):
    """
    A narrow row is the full row without the candidates that are in no known row of the family without one parent.

    With fewer than `size` parents it is the full row. Without such a known row, it is the full row if `size` is 2; if
    `size` is 1, it has the candidates that improve the child alone.
    """
    problem = problem_of(table.dataset, score)
    source = Source(problem)
    definition, arrays = Definition(problem, source), source.arrays()
    narrow, full = narrow_rows(source.size, size), new_rows(LARGE, source.size)
    known: dict[tuple, set[int]] = {}
    for child, parents in random_families(definition, seed, 30):
        if (child, parents) in known:
            continue
        expected = row_of(arrays, full, child, parents)
        smaller = [(child, rest) for rest in combinations(parents, len(parents) - 1)] if len(parents) > 1 else []
        if any(family in known for family in smaller):
            promising = set().union(*(known[family] for family in smaller if family in known))
            expected = select_entries(expected, promising)
        elif size == 1 and parents:
            expected = select_entries(expected, set(row_of(arrays, full, child, ())[1]))
        found = row_of(arrays, narrow, child, parents)
        assert found[0] == pytest.approx(expected[0], rel=1e-12)
        gains, expected_gains = (dict(zip(row[1], row[2], strict=True)) for row in (found, expected))
        assert gains == pytest.approx(expected_gains, abs=1e-9)  # scores of fewer candidates are rounded differently
        assert found[2] == sorted(found[2], reverse=True)
        assert row_of(arrays, narrow, child, parents) == found
        known[child, parents] = set(found[1])


def test_full_rows_replace_narrow_ones():
    """Once narrow rows are no longer used, the same cache gives full rows; before, it computes fewer scores."""
    definition, source = dense_source()
    arrays, rows, full = source.arrays(), narrow_rows(source.size), new_rows(LARGE, source.size)
    families = [(0, (1,)), (0, (2,)), (0, (1, 2)), (0, (1, 2, 3))]
    for family in families:
        row_of(arrays, rows, *family)
        row_of(arrays, full, *family)
    assert rows[HEAD][EVALUATIONS] < full[HEAD][EVALUATIONS]
    rows[HEAD][NARROW_FROM] = 0
    for family in families:
        check_row(definition, row_of(arrays, rows, *family), *family)


def test_peers_share_narrow_rows():
    """A chain takes the full row of another chain if there is one, otherwise its narrow row, and computes neither."""
    _, source = dense_source()
    caches = RowCaches(3, LARGE, source.size)
    rows, arrays = [caches.rows_of(chain) for chain in range(3)], source.arrays()
    for chain in (0, 1):
        rows[chain][HEAD][NARROW_FROM] = 2
    narrow = [row_of(arrays, rows[0], 0, parents) for parents in ((1,), (1, 2), (1, 2, 3))]
    full = row_of(arrays, rows[2], 0, (1, 2, 3))
    assert [row_of(arrays, rows[1], 0, parents) for parents in ((1,), (1, 2), (1, 2, 3))] == [*narrow[:2], full]
    assert rows[1][HEAD][COMPUTED] == 0
    rows[1][HEAD][NARROW_FROM] = 0
    row_of(arrays, rows[1], 0, (1, 2, 3))
    assert rows[1][HEAD][COMPUTED] == 0  # it is in the cache, as a full row
    row_of(arrays, rows[1], 0, (1, 2))
    assert rows[1][HEAD][COMPUTED] == 1  # only the narrow row is


def test_only_timed_chains_use_narrow_rows():
    """The entries of narrow rows depend on the cache, so results that must not depend on the machine lack them."""
    _, source = dense_source()
    for timed in (False, True):
        chain = OnDemandChain(source, np.uint64(1), MEMORY, timed=timed)
        assert bool(chain.arrays[1][HEAD][NARROW_FROM]) == timed


@pytest.mark.parametrize(("before", "after", "grows"), [(1, 2, True), (2, 1, False), (2, 2, False), (1, 0, True)])
def test_parents_grow_again_with_fuller_rows(before, after, grows):
    """A predecessor set that was seen counts as new after fewer rows have become narrow, and only then."""
    _, source = dense_source()
    chain = OnDemandChain(source, np.uint64(1), MEMORY)
    chain.use_narrow_rows(before)
    chain.arrays[3][SEEN][:] = 1
    chain.use_narrow_rows(after)
    assert chain.arrays[1][HEAD][NARROW_FROM] == after
    assert chain.arrays[3][SEEN].any() != grows


def test_full_rows_stay_full_at_the_first_narrow_ones():
    """A row of one parent that was computed in full serves narrow rows, too; a narrow one is computed again."""
    _, source = dense_source()
    arrays, rows = source.arrays(), narrow_rows(source.size, 1)
    row_of(arrays, rows, 0, (1,))
    rows[HEAD][NARROW_FROM] = 2
    full = row_of(arrays, rows, 0, (1,))
    assert rows[HEAD][COMPUTED] == 2
    rows[HEAD][NARROW_FROM] = 1
    assert len(row_of(arrays, rows, 0, (1,))[1]) <= len(full[1])
    assert rows[HEAD][COMPUTED] == 2


def test_full_rows_grow_parents_again():
    """Marks of predecessor sets are removed, so that growth with full rows takes place; extensions stay listed."""
    _, source = dense_source()
    chain = OnDemandChain(source, np.uint64(1), MEMORY)
    assert chain.start_at(np.arange(source.size, dtype=np.int32), lambda: False)
    chain.step(100, 0.25, 0.0)
    before = sum(len(families.child) for families in list_extensions([chain], 1e6, 1e6))
    assert chain.arrays[3][SEEN].any()
    chain.use_narrow_rows(0)
    assert not chain.arrays[3][SEEN].any()
    assert not chain.arrays[1][HEAD][NARROW_FROM]
    assert before > 0
    assert sum(len(families.child) for families in list_extensions([chain], 1e6, 1e6)) == before


def test_full_rows_after_a_round_without_gain(monkeypatch):
    """The first round records the score; the second one, which gains nothing, changes all islands to full rows."""
    monkeypatch.setattr(IslandModel, "_run_activity", lambda model, activity, search, steps: None)
    monkeypatch.setattr(IslandModel, "_grow_deep", lambda model, max_evaluations: None)
    monkeypatch.setattr(TableSearches, "search_new_orderings", lambda searches: None)  # the clock would stand still
    monkeypatch.setattr(IslandModel, "is_warming_up", False)
    problem, clock = problem_of(Dependent(250, (2, 3, 4) * 3, 0.5, 7).dataset, SCORES[1]), Clock()
    model = IslandModel(problem, Run(Seconds(1e6), seed=1, threads=1, clock=clock), 2, MEMORY)
    model.start()
    uses_narrow = []
    for _ in range(2):
        clock.now += 10.0
        model.search_round()
        uses_narrow.append([int(island.chain.arrays[1][HEAD][NARROW_FROM]) for island in model.islands])
    assert uses_narrow == [[2, 2], [0, 0]]
