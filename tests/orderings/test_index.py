"""The index of a candidate table by pairs of candidate and child."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.orderings.index import Index
from bnsearch.orderings.kernels.arrays import (
    BEST_ROW,
    BITS,
    BITS_BEGIN,
    CAND,
    CAND_BEGIN,
    CAND_SLOT,
    FIRST_CHILD,
    MEMBER,
    MEMBER_SLOT,
    NO_ROW,
    ROOT,
    ROW,
    SLOT_BEGIN,
    SLOTS,
    TREE,
)
from bnsearch.orderings.kernels.best_set import find_best_row
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import candidate_tables, hub_tables, table_of
from reference_orderings import Definition
from strategies import examples


def check(table: ParentSets) -> None:
    """Compare every array with its description."""
    definition = Definition(table)
    index = Index(table)
    arrays = index.arrays
    member_slot, cand_begin, cand, cand_slot = (arrays[i] for i in (MEMBER_SLOT, CAND_BEGIN, CAND, CAND_SLOT))
    slot_begin, slots, bits, bits_begin = (arrays[i] for i in (SLOT_BEGIN, SLOTS, BITS, BITS_BEGIN))
    wanted = [definition.candidates(y) for y in range(table.n_variables)]
    assert [cand[cand_begin[y] : cand_begin[y + 1]].tolist() for y in range(table.n_variables)] == wanted
    pairs = sorted((x, y) for y, own in enumerate(wanted) for x in own)
    assert index.n_slots == len(pairs)
    for slot, (x, y) in enumerate(pairs):  # sorted by candidate, then by child: a slot is a position in this list
        number = wanted[y].index(x)
        assert slot_begin[x] <= slot < slot_begin[x + 1]
        assert cand_slot[cand_begin[y] + number] == slot
        first_row = next(row for row in definition.rows(y) if x in definition.sets[row])
        assert slots[:, slot].tolist() == [y, number, first_row]
    where = {pair: slot for slot, pair in enumerate(pairs)}
    for y, own in enumerate(wanted):
        for row in definition.rows(y):
            members = table.parents(row)
            assert member_slot[table.first[row] : table.first[row + 1]].tolist() == [where[x, y] for x in members]
            place = row - int(table.begin[y])
            words = bits[bits_begin[y] + place // 64 * len(own) :][: len(own)]
            assert [int(word) >> place % 64 & 1 for word in words] == [x in members for x in own]


@given(candidate_tables())
def test_pairs_of_small_tables(table):
    """Candidates, slots, numbers and bits are as described."""
    check(table)


@given(candidate_tables())
def test_threads_change_nothing(table):
    """The index is the same with one thread and with three."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bnsearch.parent_sets.rows.MIN_ROWS_PER_THREAD", 0)
        patch.setattr("bnsearch.parent_sets.rows.FEW_ROWS", 0)
        for one, other in zip(Index(table).arrays, Index(table, threads=3).arrays, strict=True):
            assert np.array_equal(one, other)


@examples(10)
@given(hub_tables())
def test_pairs_of_wide_tables(table):
    """The same with more than a hundred candidates."""
    check(table)


def test_pairs_by_hand():
    """
    Variable 2 has {1}, then {0, 3}: its candidates are numbered 1, 0, 3; variable 0 has {1}.

    By candidate the pairs are (0, 2), (1, 0), (1, 2), (3, 2).
    """
    nothing = frozenset[int]()
    table = table_of(
        [
            {nothing: -5.0, frozenset({1}): -1.0},
            {nothing: -1.0},
            {nothing: -5.0, frozenset({1}): -1.0, frozenset({0, 3}): -2.0},
            {nothing: -1.0},
        ]
    )
    arrays = Index(table).arrays
    assert arrays[CAND_BEGIN].tolist() == [0, 1, 1, 4, 4]
    assert arrays[CAND].tolist() == [1, 1, 0, 3]
    assert arrays[SLOT_BEGIN].tolist() == [0, 1, 3, 3, 4]
    assert arrays[SLOTS].tolist() == [[2, 0, 2, 2], [1, 0, 0, 2], [4, 0, 3, 4]]
    assert arrays[MEMBER_SLOT].tolist() == [1, 2, 0, 3]
    assert arrays[BITS_BEGIN].tolist() == [0, 1, 1, 4, 4]
    assert arrays[BITS].tolist() == [0b1, 0b01, 0b10, 0b10]
    # Each tree has a root, nodes and an end. Variable 2 has {1} in row 0, {0, 3} in row 1 and {} in row 2.
    assert arrays[ROOT].tolist() == [0, 3, 5, 10]
    tree = arrays[TREE][5:10].tolist()
    assert tree == [[-1, 2, 0, 6], [1, 0, 0, 8], [0, NO_ROW, 1, 8], [3, 1, 1, 9], [9, 9, 9, 9]]


def list_sets(tree, node, path=()):
    """Return (members, row) of the sets that end at a node or below; check BEST_ROW and the order of the children."""
    found = [(path, int(tree[node, ROW]))] if tree[node, ROW] != NO_ROW else []
    children = range(tree[node, FIRST_CHILD], tree[node + 1, FIRST_CHILD])
    for child in children:
        found += list_sets(tree, child, (*path, int(tree[child, MEMBER])))
    assert tree[node, BEST_ROW] == min(row for _, row in found)
    best_rows = [int(tree[child, BEST_ROW]) for child in children]
    assert best_rows == sorted(best_rows)
    return found


@given(candidate_tables())
def test_trees_contain_the_sets(table):
    """Every set is one path, its members in order of number, and ends with its row; children are sorted."""
    cand_begin, cand, root, tree = (Index(table).arrays[i] for i in (CAND_BEGIN, CAND, ROOT, TREE))
    for v in range(table.n_variables):
        number = {int(x): i for i, x in enumerate(cand[cand_begin[v] : cand_begin[v + 1]])}
        wanted = {
            tuple(sorted(parents, key=lambda x: number[x])): row for row, (_, parents) in enumerate(table.sets(v))
        }
        found = list_sets(tree, root[v])
        assert dict(found) == wanted
        assert len(found) == len(wanted)


@given(candidate_tables(), st.integers(0, 2**32 - 1))
def test_best_set_before_a_position(table, seed):
    """The result is the first row whose members precede a position, without one variable, for random bounds."""
    rng = np.random.default_rng(seed)
    arrays = Index(table).arrays
    n = table.n_variables
    position = rng.permutation(n).astype(np.int32)
    path, evaluations = np.empty((2, table.max_parents + 1), dtype=np.int64), np.zeros(1, dtype=np.int64)
    for v in range(n):
        for limit in range(n + 1):
            without = int(rng.integers(-1, n))
            fits = [
                row
                for row in range(table.begin[v], table.begin[v + 1])
                if all(position[x] < limit and x != without for x in table.parents(row))
            ]
            start = int(rng.integers(table.begin[v], fits[0] + 1))
            stop = int(rng.integers(fits[0], table.begin[v + 1] + 1))
            found = find_best_row(arrays, position, v, limit, without, start, stop, path, evaluations)
            assert found == (fits[0] if fits[0] < stop else stop)
