"""The order of a variable's families in the table."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.parent_sets.kernels_rows import order_best_first
from strategies import examples


def order_of(scores):
    """Return the order of scores, in new arrays; the keys of the kernel are those of the scores in this order."""
    arrays = [np.empty(len(scores), dtype) for dtype in (np.uint64, np.int64, np.uint64, np.int64)]
    keys, rows = order_best_first(scores.view(np.uint64), *arrays)
    assert (np.diff(keys.astype(object)) >= 0).all()
    return rows.tolist()


FEW_SCORES = st.sampled_from([0.0, -0.0, 1.5, -1.5, -1e300, 5e-324, -5e-324])


@given(scores=st.lists(st.one_of(FEW_SCORES, st.floats(allow_nan=False)), max_size=300))
@examples(100)
def test_families_are_ordered_by_score_and_then_as_given(scores):
    """By definition: descending score, and the given order of equal scores, of which -0.0 and 0.0 are an example."""
    assert order_of(np.array(scores)) == sorted(range(len(scores)), key=lambda i: (-scores[i], i))


@pytest.mark.parametrize("length", [0, 1, 5_000])
def test_lengths(length):
    """No family, one, and many with equal scores; NumPy's stable sort gives the same order."""
    scores = np.round(np.random.default_rng(1).normal(-700.0, 20.0, length), 1)
    assert order_of(scores) == np.argsort(-scores, kind="stable").tolist()
