"""Tuples that kernels take by reference."""

from __future__ import annotations

import copy
import pickle

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from bnsearch.kernels.compile import inner_kernel, kernel
from bnsearch.kernels.tuples import KernelTuple

DTYPES = st.sampled_from([np.int32, np.int64, np.uint64, np.float64, np.bool_, np.uint8])


@inner_kernel
def sum_items(state, i):
    """Return the sum of an item of the array, the numbers and an item of the inner tuple."""
    values, whole, number, flag, (inner,) = state
    return values[i] + whole + number + (1 if flag else 0) + inner[i, i]


@kernel
def change_items(state):
    """Double the first array, and return the sum of the rest."""
    total = 0.0
    for i in range(state[0].size):
        total += sum_items(state, i)
        state[0][i] *= 2
    return total


@kernel
def copy_array(state, out):
    """Copy a matrix in a tuple, element by element."""
    matrix = state[1]
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            out[i, j] = matrix[i, j]
    return state[0]


@kernel
def read_three(state):
    """Return three numbers."""
    return state[0], state[1], state[2]


def make_state() -> KernelTuple:
    """Return two values, 5, 0.5, True, and a matrix of 0 1 / 2 3."""
    return KernelTuple((np.array([10.0, 20.0]), 5, 0.5, True, (np.arange(4).reshape(2, 2),)))


def test_kernels_read_and_write_the_arrays():
    """The sum is 10 + 20 + 2 * (5 + 0.5 + 1) + 0 + 3 = 46; the kernel doubles the values in place."""
    state = make_state()
    assert change_items(state) == 46.0
    assert state[0].tolist() == [20.0, 40.0]
    assert change_items(copy.deepcopy(state)) == 76.0
    assert state[0].tolist() == [20.0, 40.0]


@given(
    arrays.arrays(DTYPES, st.tuples(st.integers(0, 4), st.integers(0, 4))),
    st.sampled_from(["C", "F", "reversed"]),
)
def test_kernels_see_what_numpy_sees(matrix, layout):
    """Any type, shape and layout of an array is read as NumPy reads it."""
    given_matrix = matrix[::-1] if layout == "reversed" else np.array(matrix, order=layout)
    out = np.empty(given_matrix.shape, given_matrix.dtype)
    assert copy_array(KernelTuple((7, given_matrix)), out) == 7
    np.testing.assert_array_equal(out, given_matrix)


def test_it_is_a_tuple():
    """It is unpacked, compared and pickled like a tuple; tuples among its items become kernel tuples."""
    state = KernelTuple((1, (2, 3)))
    assert state == (1, (2, 3))
    assert isinstance(state[1], KernelTuple)
    restored = pickle.loads(pickle.dumps(state))
    assert type(restored) is KernelTuple
    assert restored == state
    assert restored.kernel_type is None


def test_tuples_of_the_same_types_have_one_type():
    """A kernel is compiled once for all tuples whose items have the same types."""
    assert numba.typeof(make_state()) is numba.typeof(make_state())
    assert numba.typeof(make_state()) != numba.typeof(KernelTuple((np.zeros(2), 5)))


def test_other_items_are_refused():
    """Text and small integers have no form in the block of memory."""
    for item in ("text", np.int32(3)):
        with pytest.raises(TypeError, match="kernels cannot read"):
            KernelTuple((np.zeros(1), item))


def test_numbers_are_read_as_they_are():
    """Whole numbers of 64 bits with and without a sign, numbers and truth values of Python and NumPy."""
    for items in ((-1, 2**63 - 1, np.int64(-5)), (np.uint64(2**64 - 1), np.uint64(1), np.uint64(2**63))):
        assert read_three(KernelTuple(items)) == items
    assert read_three(KernelTuple((-0.5, np.float64(1e300), np.inf))) == (-0.5, 1e300, np.inf)
    assert read_three(KernelTuple((True, np.bool_(False), False))) == (True, False, False)
