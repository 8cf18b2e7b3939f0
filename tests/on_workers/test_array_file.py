"""Arrays in a file that processes map into memory."""

from __future__ import annotations

import os

import numpy as np

from bnsearch.distributed.array_file import ALIGNMENT, ArrayFile


def test_arrays_are_mapped(tmp_path):
    """Types, shapes and values are those that were written, also of an empty array; the arrays can be written."""
    arrays = np.arange(5, dtype=np.int32), np.linspace(0.0, 1.0, 12).reshape(3, 4), np.empty(0), np.ones((2, 0))
    file = ArrayFile.write(tmp_path, arrays)
    found = file.map()
    for array, expected in zip(found, arrays, strict=True):
        assert array.dtype == expected.dtype
        assert np.array_equal(array, expected)
        assert array.flags.writeable
        assert array.ctypes.data % ALIGNMENT == 0


def test_parts_are_joined(tmp_path):
    """Arrays in parts along the first axis, also empty ones and one that is not contiguous."""
    parts = [np.empty((0, 2)), np.arange(12.0).reshape(3, 4)[:, ::2], np.ones((1, 2))], [np.arange(3), np.arange(2)]
    for array, expected in zip(ArrayFile.write_joined(tmp_path, parts).map(), parts, strict=True):
        assert np.array_equal(array, np.concatenate(expected))


def test_a_write_changes_no_other_array(tmp_path):
    """Each process has its own copy of a page that it changes."""
    file = ArrayFile.write(tmp_path, [np.zeros(10)])
    (first,), (second,) = file.map(), file.map()
    first[3] = 1.0
    assert second[3] == 0.0
    assert file.map()[0][3] == 0.0


def test_a_file_that_is_missing_or_incomplete_is_not_mapped(tmp_path):
    """After the file is cut or removed; arrays that were mapped before it was removed stay."""
    file = ArrayFile.write(tmp_path, [np.arange(10)])
    (kept,) = file.map()
    cut = ArrayFile.write(tmp_path, [np.arange(10)])
    os.truncate(cut.path, 40)
    assert cut.map() is None
    file.remove()
    assert file.map() is None
    file.remove()  # twice
    assert kept.tolist() == list(range(10))
