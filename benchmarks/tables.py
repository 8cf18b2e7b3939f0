"""
Tables of benchmarks by name.

`alarm/1000` is a sample of 1,000 rows of a repository network, `debd/plants.train` and `uci/adult` are files in that
folder. Seeds are fixed. States that do not occur are removed, and so are columns with one state.
"""

from __future__ import annotations

import numpy as np

from bnsearch.data import Dataset
from bnsearch.networks import load_network, sample
from counting import data_folder


def load_table(name: str) -> Dataset:
    """Return a table, read from a file or sampled."""
    folder, _, rest = name.partition("/")
    if folder in ("debd", "uci"):
        return with_observed_states(Dataset.read(data_folder() / folder / f"{rest}.csv.gz", header=False))
    network = load_network(str(data_folder() / "networks" / f"{folder}.bif.gz"))
    return with_observed_states(sample(network, int(rest), 1))


def with_observed_states(data: Dataset) -> Dataset:
    """Return a table with only the states that occur, without columns of one state."""
    columns = [np.unique(column, return_inverse=True)[1] for column in data.codes]
    kept = [i for i, column in enumerate(columns) if column.max() > 0]
    return Dataset.from_codes(np.stack([columns[i] for i in kept], axis=1), names=[data.names[i] for i in kept])
