"""Values that travel to each worker once."""

from __future__ import annotations

import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from bnsearch.data import Dataset
from bnsearch.distributed import parcels
from bnsearch.distributed.parcels import ParcelFolder, open_parcel
from bnsearch.errors import InputError
from bnsearch.scores import BIC


@pytest.fixture
def data():
    """Return a table of three variables."""
    return Dataset.from_codes(np.random.default_rng(0).integers(0, 3, (50, 3)))


def forget_values():
    """Forget all values, as a process that has not opened a parcel."""
    parcels._values.clear()


def test_the_process_that_has_written_a_parcel_uses_the_value_itself(data):
    """No copy is made for workers in threads of the driver."""
    with ParcelFolder() as folder:
        assert open_parcel(folder.write(data)) is data


def test_another_process_maps_the_file(data):
    """The codes are read from the file, read-only and aligned, so that kernels take them as those of any dataset."""
    with ParcelFolder() as folder:
        parcel = folder.write((data, BIC()))
        forget_values()
        found, score = open_parcel(parcel)
        assert np.array_equal(found.codes, data.codes)
        assert found.codes.flags.aligned and not found.codes.flags.writeable and not found.codes.flags.owndata
        assert score.name == "bic"
        assert open_parcel(parcel)[0] is found


def test_a_worker_without_the_file_needs_the_content(data):
    """On another machine the file does not exist; a parcel with its content can be opened there."""
    with ParcelFolder() as folder:
        parcel = folder.write(data)
        elsewhere = replace(parcel, path="/nowhere/file")
        complete = pickle.loads(pickle.dumps(replace(parcel.with_content(), path="/nowhere/file")))
    forget_values()
    with pytest.raises(FileNotFoundError):
        open_parcel(elsewhere)
    assert np.array_equal(open_parcel(complete).codes, data.codes)
    assert np.array_equal(open_parcel(elsewhere).codes, data.codes)  # known by its content now


def test_a_truncated_file_counts_as_missing(data):
    """A file with another content is not read."""
    with ParcelFolder() as folder:
        parcel = folder.write(data)
        forget_values()
        with Path(parcel.path).open("r+b") as file:
            file.truncate(10)
        with pytest.raises(FileNotFoundError):
            open_parcel(parcel)


def test_the_key_depends_on_the_content(data):
    """Equal tables have the same key; another value gives another one."""
    codes = np.array(data.codes)
    codes[0, 0] = 2 - codes[0, 0] // 2 * 2
    same = Dataset(np.array(data.codes), data.names, data.states)
    with ParcelFolder() as folder:
        keys = [folder.write(table).key for table in (data, same, Dataset(codes, data.names, data.states))]
    assert keys[0] == keys[1]
    assert (keys[0] == keys[2]) == np.array_equal(codes, data.codes)


def test_values_that_cannot_be_sent():
    """A score of a class inside a function, and a folder that cannot be written, give one line each."""

    class Own:
        """A class that other processes cannot import."""

    with ParcelFolder() as folder:
        with pytest.raises(InputError, match=r"cannot be sent to workers .*define its class in a module"):
            folder.write(Own())
        shutil.rmtree(folder._folder.name)
        with pytest.raises(InputError, match=r"the data for the workers cannot be written to .*TMPDIR"):
            folder.write(1)
