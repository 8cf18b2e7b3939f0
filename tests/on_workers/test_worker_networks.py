"""Networks and families as they travel between processes."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.distributed.networks import copy_families, describe_network, list_best_families
from bnsearch.parent_sets.rows import Families


def as_rows(families):
    """Return families as tuples: child, parents, score."""
    first = families.first.tolist()
    members = families.members.tolist()
    parents = [tuple(members[a:b]) for a, b in pairwise(first)]
    return list(zip(families.child.tolist(), parents, families.scores.tolist(), strict=True))


def from_rows(rows):
    """Return the families of tuples."""
    return Families(
        np.array([child for child, _, _ in rows], dtype=np.int32),
        np.array([score for _, _, score in rows], dtype=np.float64),
        np.array([len(parents) for _, parents, _ in rows], dtype=np.int64),
        np.array([u for _, parents, _ in rows for u in parents], dtype=np.int32),
    )


ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.lists(st.integers(5, 9), max_size=3).map(tuple), st.sampled_from([-3.0, -2.0, 0.5]))
)


@given(ROWS, st.integers(1, 4))
def test_the_best_families_of_each_variable(rows, number):
    """By definition: sort each variable's families by descending score, stable, and take the first ones."""
    expected = []
    for child in range(5):
        own = [row for row in rows if row[0] == child]
        expected += sorted(own, key=lambda row: -row[2])[:number]
    assert as_rows(list_best_families(from_rows(rows), 5, number)) == expected


def test_a_network_keeps_its_parents_and_scores():
    """The parents, the exact sum of the scores and the DAG are those that were given."""
    network = describe_network([[1, 2], [], [1]], np.array([-1.5, -2.25, -3.0]))
    assert network.parents == [[1, 2], [], [1]]
    assert network.score == -6.75
    assert network.make_dag("abc").edges == [("b", "a"), ("c", "a"), ("b", "c")]


def test_copies_of_families_are_writable():
    """Kernels are compiled for writable arrays."""
    families = from_rows([(0, (5,), -1.0)])
    families.scores.flags.writeable = False
    assert copy_families(families).scores.flags.writeable
