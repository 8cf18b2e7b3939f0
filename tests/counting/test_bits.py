"""Bitmaps against numpy arrays of truth values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.counting.kernels_bitmaps import pack_states, plan_projection, project
from bnsearch.kernels.bits import count_and, count_ones
from strategies import EDGES

DENSITIES = (0.0, 0.02, 0.5, 0.98, 1.0)


def packed(rows):
    """Return truth values as words, the first row in the lowest bit."""
    words = np.zeros(-(-len(rows) // 64), dtype=np.uint64)
    octets = np.packbits(rows, bitorder="little")
    words.view(np.uint8)[: len(octets)] = octets
    return words


def unpacked(words):
    """Return all bits of some words."""
    return np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)


def squeezed(column, mask):
    """Return the words that the library makes of a column's bits where the mask is one."""
    moves = np.empty((6, len(mask)), dtype=np.uint64)
    plan_projection(mask, moves)
    out = np.full(-(-int(unpacked(mask).sum()) // 64), 0xDEAD, dtype=np.uint64)
    project(column, mask, moves, np.empty_like(mask), out)
    return out


@st.composite
def bits(draw, columns):
    """Draw columns of truth values, each with its own density."""
    n_rows = draw(st.one_of(st.sampled_from(EDGES), st.integers(1, 700)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return [rng.random(n_rows) < draw(st.sampled_from(DENSITIES)) for _ in range(columns)]


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("n_rows", EDGES)
def test_pack_states(n_rows, dtype):
    """Each state's bitmap marks its rows; a state without a bitmap leaves no trace, nor do bits beyond the rows."""
    codes = np.random.default_rng(n_rows).integers(4, size=n_rows).astype(dtype)
    words = np.zeros((5, -(-n_rows // 64)), dtype=np.uint64)
    pack_states(codes, np.array([3, -1, 0, 4]), words)
    for item, state in enumerate([2, None, None, 0, 3]):
        assert words[item].tolist() == packed(codes == state if state is not None else codes < 0).tolist()


@given(columns=bits(2))
def test_counts_of_ones(columns):
    """The ones of a bitmap, and of two together, are those of the truth values."""
    left, right = columns
    assert count_ones(packed(left)) == left.sum()
    assert count_and(packed(left), packed(right)) == (left & right).sum()


@given(columns=bits(2))
def test_projection_keeps_the_rows_of_the_mask(columns):
    """A projected column is the column indexed by the mask; what is left of its last word is zero."""
    column, mask = columns
    found = unpacked(squeezed(packed(column), packed(mask)))
    expected = column[mask]
    assert found[: len(expected)].tolist() == expected.tolist()
    assert not found[len(expected) :].any()


@pytest.mark.parametrize("n_rows", EDGES)
def test_projection_on_nothing_and_on_everything(n_rows):
    """An empty mask leaves no words, a full one leaves the column as it is."""
    column = np.random.default_rng(n_rows).random(n_rows) < 0.5
    assert squeezed(packed(column), packed(np.zeros(n_rows, dtype=bool))).size == 0
    everything = squeezed(packed(column), packed(np.ones(n_rows, dtype=bool)))
    assert everything.tolist() == packed(column).tolist()


@pytest.mark.parametrize("word", [1, 1 << 63, 0x8000000000000001, 0xAAAAAAAAAAAAAAAA, 0xFFFFFFFF00000000, 2**64 - 1])
def test_projection_on_telling_words(word):
    """Masks of one bit at either end, of every other bit, of half a word: the mask projected on itself is all ones."""
    mask = np.array([word, 0, word], dtype=np.uint64)
    ones = unpacked(squeezed(mask, mask))
    assert ones.sum() == 2 * word.bit_count()
    assert ones[: 2 * word.bit_count()].all()
