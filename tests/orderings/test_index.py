"""The index of a candidate table by pairs of candidate and child."""

from __future__ import annotations

from hypothesis import given, settings

from bnsearch.orderings.index import Index
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import candidate_tables, hub_tables, table_of
from reference_orderings import Definition


def check(table: ParentSets) -> None:
    """Compare every array with what it is said to hold."""
    definition = Definition(table)
    index = Index(table)
    _, _, _, _, member_slot, cand_begin, cand, cand_slot, slot_begin, slots, masks = index.arrays
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
            bits = sum(1 << own.index(x) for x in members)
            assert int(masks[0, row]) | int(masks[1, row]) << 64 == bits % (1 << 128)


@given(candidate_tables())
def test_pairs_of_small_tables(table):
    """Candidates, slots, numbers and bits are as described."""
    check(table)


@settings(max_examples=10)
@given(hub_tables())
def test_pairs_of_wide_tables(table):
    """The same where bits fill one word, two words, or more than there are."""
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
    _, _, _, _, member_slot, cand_begin, cand, _, slot_begin, slots, masks = Index(table).arrays
    assert cand_begin.tolist() == [0, 1, 1, 4, 4]
    assert cand.tolist() == [1, 1, 0, 3]
    assert slot_begin.tolist() == [0, 1, 3, 3, 4]
    assert slots.tolist() == [[2, 0, 2, 2], [1, 0, 0, 2], [4, 0, 3, 4]]
    assert member_slot.tolist() == [1, 2, 0, 3]
    assert masks.tolist() == [[1, 0, 0, 1, 6, 0, 0], [0] * 7]
