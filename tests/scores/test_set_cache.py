"""The cache of set values grows without losing values."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from bnsearch.scores import BIC, Scorer
from bnsearch.scores.kernels import KEY, WAYS, find_slot
from bnsearch.scores.set_cache import SetCache
from strategies import Table

DATA = Table(60, (("uniform", 2),) * 9, seed=5).dataset
SETS = [s for k in range(6) for s in combinations(range(9), k)]


@pytest.fixture
def small_start(monkeypatch):
    """Make caches begin with one bucket."""
    monkeypatch.setattr("bnsearch.scores.set_cache.FIRST_SLOTS", WAYS)


def in_use(cache: SetCache) -> int:
    """Return the number of slots in use."""
    return len(cache.arrays[KEY])


def test_values_survive_growth(small_start):
    """A scorer that is asked for one set after the other computes each set once, while its cache grows."""
    scorer, other = Scorer(DATA, BIC()), Scorer(DATA, BIC())
    expected = other.set_values(SETS)
    sizes = set()
    for own, value in zip(SETS, expected, strict=True):
        assert scorer.set_value(own) == value
        sizes.add(in_use(scorer.cache))
    assert len(sizes) > 5
    lost = scorer.computed
    np.testing.assert_array_equal(scorer.set_values(SETS), expected)
    assert scorer.computed - lost < len(SETS) / 50  # those of full buckets


def test_entries_move_to_their_buckets(small_start):
    """After each doubling, every entry is found, and no bucket has a gap before an entry."""
    rng = np.random.default_rng(1)
    cache = SetCache(3, 1 << 10, rng)
    keys = rng.integers(1, 2**64, (100, 2), dtype=np.uint64)
    stored = {}
    for i, (high, low) in enumerate(keys):
        cache.make_room(written=1)
        _, key, value, _ = cache.arrays
        slot, _ = find_slot(key, high, low)
        key[slot], value[slot] = (high, low), i
        stored = {int(value[s]) for s in np.flatnonzero(key.any(axis=1))}
    _, key, value, _ = cache.arrays
    assert len(key) == 512
    assert len(stored) > 90
    for i in stored:
        slot, known = find_slot(key, *keys[i])
        assert known
        assert value[slot] == i
    used = key.any(axis=1).reshape(-1, WAYS)
    assert np.all(used[:, :-1] >= used[:, 1:])


def test_growth_ends_at_the_maximum(small_start):
    """The cache never has more slots than allowed, and starts with few."""
    cache = SetCache(3, 64, np.random.default_rng(1))
    assert in_use(cache) == WAYS
    cache.make_room(5)
    assert in_use(cache) == 32
    cache.make_room(10**9)
    assert in_use(cache) == 64
