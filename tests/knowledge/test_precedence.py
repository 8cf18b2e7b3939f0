"""Repair of orderings that violate required edges."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.knowledge.precedence import Precedence
from knowledge_cases import random_knowledge

NAMES = tuple("abcdefgh")


@given(st.integers(0, 2**32 - 1), st.permutations(range(8)))
def test_a_repaired_ordering_has_parents_before_children(seed, order):
    """The result is a permutation without violations; other variables keep their positions; repair is idempotent."""
    required = random_knowledge(NAMES, seed).constraints(NAMES).required
    precedence = Precedence(*np.nonzero(required))
    before = np.array(order, dtype=np.int32)
    after = precedence.repair(before)
    assert sorted(after.tolist()) == list(range(8))
    place = {v: i for i, v in enumerate(after.tolist())}
    assert all(place[parent] < place[child] for child, parent in np.argwhere(required).tolist())
    assert precedence.find_violations(after) == []
    untouched = ~(required.any(axis=0) | required.any(axis=1))[before]
    assert (after[untouched] == before[untouched]).all()
    assert precedence.repair(after) is after


def test_a_repair_is_near():
    """With a -> b and b -> c required, c d b a becomes a d b c: d keeps its position, the others are sorted."""
    precedence = Precedence(np.array([1, 2]), np.array([0, 1]))
    assert precedence.find_violations(np.array([2, 3, 1, 0])) == [(0, 1), (1, 2)]
    assert precedence.repair(np.array([2, 3, 1, 0])).tolist() == [0, 3, 1, 2]
