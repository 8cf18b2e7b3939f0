"""The index of a candidate table by pairs of candidate and child."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.orderings.index import Index
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import candidate_tables, hub_tables, table_of
from reference_orderings import Definition
from strategies import examples

NONE = 2**31 - 1


def check(table: ParentSets) -> None:
    """Compare every array with what it is said to hold."""
    definition = Definition(table)
    index = Index(table)
    _, _, _, _, member_slot, cand_begin, cand, cand_slot, slot_begin, slots, _, _, bits, bits_begin = index.arrays
    wanted = [definition.candidates(y) for y in range(table.n_variables)]
    assert [cand[cand_begin[y] : cand_begin[y + 1]].tolist() for y in range(table.n_variables)] == wanted
    pairs = sorted((x, y) for y, own in enumerate(wanted) for x in own)
    assert index.n_slots == len(pairs)
    for slot, (x, y) in enumerate(pairs):  # by candidate, then by child: a slot is a place in this list
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
    """One thread and three make the same index."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bnsearch.parent_sets.rows.MIN_ROWS_PER_THREAD", 0)
        patch.setattr("bnsearch.parent_sets.rows.FEW_ROWS", 0)
        for one, other in zip(Index(table).arrays, Index(table, threads=3).arrays, strict=True):
            assert np.array_equal(one, other)


@examples(10)
@given(hub_tables())
def test_pairs_of_wide_tables(table):
    """The same where there are more than a hundred candidates."""
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
    _, _, _, _, member_slot, cand_begin, cand, _, slot_begin, slots, root, tree, bits, bits_begin = Index(table).arrays
    assert cand_begin.tolist() == [0, 1, 1, 4, 4]
    assert cand.tolist() == [1, 1, 0, 3]
    assert slot_begin.tolist() == [0, 1, 3, 3, 4]
    assert slots.tolist() == [[2, 0, 2, 2], [1, 0, 0, 2], [4, 0, 3, 4]]
    assert member_slot.tolist() == [1, 2, 0, 3]
    assert bits_begin.tolist() == [0, 1, 1, 4, 4]
    assert bits.tolist() == [0b1, 0b01, 0b10, 0b10]
    # of each variable the root, the nodes below, and an end; the third has {1} in row 0, and {0, 3} in row 1
    assert root.tolist() == [0, 3, 5, 10]
    assert tree[5:10].tolist() == [[-1, 2, 0, 6], [1, 0, 0, 8], [0, NONE, 1, 8], [3, 1, 1, 9], [9, 9, 9, 9]]


def nodes_below(tree, node):
    """Return the children of a node, as rows of the tree."""
    return range(tree[node, 3], tree[node + 1, 3])


def sets_below(tree, node, path=()):
    """Yield (members, row) of the sets that end at a node or below; check what each node says of those below."""
    found = [(path, int(tree[node, 1]))] if tree[node, 1] != NONE else []
    below = [pair for kid in nodes_below(tree, node) for pair in sets_below(tree, kid, (*path, int(tree[kid, 0])))]
    assert tree[node, 2] == min(row for _, row in found + below)
    kids = [int(tree[kid, 2]) for kid in nodes_below(tree, node)]
    assert kids == sorted(kids)
    return found + below


@given(candidate_tables())
def test_trees_hold_the_sets(table):
    """Every set is spelled by one path, its members by number, and ends in its row; the best child comes first."""
    index = Index(table)
    _, _, _, _, _, cand_begin, cand, _, _, _, root, tree, _, _ = index.arrays
    for v in range(table.n_variables):
        number = {int(x): i for i, x in enumerate(cand[cand_begin[v] : cand_begin[v + 1]])}
        wanted = {
            tuple(sorted(parents, key=lambda x: number[x])): row for row, (_, parents) in enumerate(table.sets(v))
        }
        found = sets_below(tree, root[v])
        assert dict(found) == wanted
        assert len(found) == len(wanted)


@given(candidate_tables(), st.integers(0, 2**32 - 1))
def test_best_set_before_a_position(table, seed):
    """The first row from a hint on, whose members stand before a position without another variable."""
    from bnsearch.orderings.kernels.best_set import best_before

    rng = np.random.default_rng(seed)
    arrays = Index(table).arrays
    n = table.n_variables
    position = rng.permutation(n).astype(np.int32)
    path, looked = np.empty((2, table.max_parents + 1), dtype=np.int64), np.zeros(1, dtype=np.int64)
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
            found = best_before(arrays, position, v, limit, without, start, stop, path, looked)
            assert found == (fits[0] if fits[0] < stop else stop)
