"""The store of families: best first, each once, the worst one replaced in a full list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.ondemand.family_store import enlarge_store, new_store
from bnsearch.ondemand.kernels_store import MEMBER, NUMBER, RANK, SCORE, SIZE, find_best_stored, store_family
from reference_ondemand import best_first
from strategies import examples

PARENTS, CAPACITY, CHILDREN = 4, 8, 3
HASHES = np.random.default_rng(5).integers(1, 2**64, (2, 16), dtype=np.uint64)

sets = st.frozensets(st.integers(0, 9), max_size=PARENTS).map(lambda found: tuple(sorted(found)))
arrivals = st.lists(st.tuples(st.integers(0, CHILDREN - 1), sets), max_size=60)


def score_of(child: int, members: tuple[int, ...]) -> float:
    """Return a score: always the same for one family, and different for different families."""
    return -float(np.random.default_rng([child, *members]).integers(1000)) - len(members) / 8


def filled(families) -> tuple:
    """Return a store of families added one after the other; check which ones `store_family` reports as new."""
    store = new_store(CAPACITY, CHILDREN, PARENTS)
    assert store[SCORE].shape == (CHILDREN, CAPACITY)
    for child, members in families:
        there = stored(store, child)
        new = keep(store, child, members)
        assert new == (stored(store, child) != there)
    return store


def keep(store, child: int, members: tuple[int, ...]) -> bool:
    """Store a family; return True if it is new."""
    family_hash = np.bitwise_xor.reduce(np.array([HASHES[1, child], *HASHES[0, list(members)]], dtype=np.uint64))
    padded = np.array([*members, *[0] * 6], dtype=np.int32)
    return bool(store_family(store, child, padded, len(members), score_of(child, members), family_hash))


def stored(store, child: int) -> list[tuple[float, tuple[int, ...]]]:
    """Return the scores and the parents of a child's families, in the order of their ranks."""
    slots = store[RANK][child, : store[NUMBER][child]].tolist()
    members = [tuple(store[MEMBER][child, slot, : store[SIZE][child, slot]].tolist()) for slot in slots]
    return [(float(store[SCORE][child, slot]), own) for slot, own in zip(slots, members, strict=True)]


@examples(60)
@given(arrivals)
def test_each_child_keeps_its_best_families(families):
    """Best first, no family twice, at most as many as fit: the best of all that came."""
    store = filled(families)
    for child in range(CHILDREN):
        own = [(score_of(child, members), members) for c, members in families if c == child]
        kept = stored(store, child)
        assert [score for score, _ in kept] == best_first(own, CAPACITY)
        assert len({members for _, members in kept}) == len(kept)
        assert set(kept) <= set(own)
        assert sorted(store[RANK][child, : len(kept)].tolist()) == list(range(len(kept)))


def test_families_of_equal_score():
    """Families of equal score are distinguished by their hashes, and found again."""
    store = new_store(CAPACITY, 1, PARENTS)
    for _ in range(2):
        new = [bool(store_family(store, 0, np.array([v], dtype=np.int32), 1, -1.0, HASHES[0, v])) for v in range(5)]
    assert new == [False] * 5
    assert store[NUMBER].tolist() == [5]


def test_too_many_parents():
    """A family with more parents than there is room for is not stored."""
    store = new_store(CAPACITY, CHILDREN, PARENTS)
    assert not keep(store, 0, (0, 1, 2, 3, 4))
    assert keep(store, 0, (0, 1, 2, 3))
    assert store[NUMBER].tolist() == [1, 0, 0]


@examples(60)
@given(arrivals, st.permutations(range(10)), st.integers(0, 10), st.sampled_from([-np.inf, -900.0, -500.0, -100.0]))
def test_best_stored(families, order, limit, floor):
    """The best family above a score all of whose parents stand before a position; -1 where there is none."""
    store = filled(families)
    position = np.empty(10, dtype=np.int32)
    position[list(order)] = np.arange(10)
    examined = np.zeros(1, dtype=np.int64)
    for child in range(CHILDREN):
        fitting = [
            (score, members)
            for score, members in stored(store, child)
            if score > floor and all(position[p] < limit for p in members)
        ]
        slot = find_best_stored(store, child, position, limit, floor, examined)
        if fitting:
            assert store[SCORE][child, slot] == pytest.approx(max(fitting)[0])
            assert tuple(store[MEMBER][child, slot, : store[SIZE][child, slot]].tolist()) == max(fitting)[1]
        else:
            assert slot == -1
    assert 0 <= examined[0] <= store[NUMBER].sum()


def test_a_nearly_full_store_is_doubled():
    """Of capacity 8, up to 5 families fit without growth (0.7 * 8 = 5.6); with 6 it doubles, up to the maximum."""
    families = [(1, (parent,)) for parent in range(2, 8)]
    store = filled(families[:5])
    assert enlarge_store(store, 100) is store
    store = filled(families)
    assert enlarge_store(store, CAPACITY) is store
    for maximum, capacity in ((100, 16), (12, 12)):
        larger = enlarge_store(store, maximum)
        assert larger[MEMBER].shape == (CHILDREN, capacity, PARENTS)
        assert [stored(larger, child) for child in range(CHILDREN)] == [
            stored(store, child) for child in range(CHILDREN)
        ]
        assert keep(larger, 1, (8,))
        assert len(stored(larger, 1)) == 7
