"""
The tables of the gauntlet, by name.

`alarm/1000` is a sample of 1,000 rows of a repository network, `debd/plants.train` and `uci/adult` are files in that
folder, `random/500` is a sample of a random network. Seeds are fixed. States that do not occur are removed, and so are
columns with one state: programs that infer the states from the rows then compute the same score.
"""

from __future__ import annotations

import numpy as np

from bnsearch.data import Dataset
from bnsearch.networks import load_network, random_network, sample
from counting import data_folder

SMALL = ("child", "insurance", "alarm", "water", "barley", "mildew", "hailfinder", "win95pts", "hepar2")
LARGE = ("pigs", "diabetes")  # 441 and 413 variables
ROWS = (1_000, 10_000)
DEBD = (
    "nltcs.test", "kdd.valid", "plants.train", "baudio.train", "jester.train", "accidents.train", "mushrooms.test",
    "connect4.train", "dna.train", "book.test", "cwebkb.test", "bbc.test",
)  # fmt: skip
UCI = ("adult", "letter", "shuttle", "mushroom", "steel", "flag", "soybean", "carpo100")
RANDOM = {500: (2.0, 4, 5_000), 1_000: (1.5, 3, 2_000), 3_000: (1.5, 3, 1_000)}  # variables: p, m, rows

TABLES = (
    *(f"{network}/{rows}" for network in SMALL + LARGE for rows in ROWS),
    *(f"debd/{name}" for name in DEBD),
    *(f"uci/{name}" for name in UCI),
    *(f"random/{n}" for n in RANDOM),
)
LONG = (
    "alarm/10000", "barley/10000", "hailfinder/10000", "win95pts/10000", "pigs/10000", "debd/plants.train",
    "debd/accidents.train", "debd/mushrooms.test", "debd/connect4.train", "random/500",
)  # fmt: skip
"""Tables that are also measured for 60 s, and by `--anytime`."""

LONGEST = ("barley/10000", "debd/accidents.train", "debd/connect4.train", "random/500")
"""Tables of `--longer`."""

WITH_BDEU = (
    "child/1000", "alarm/10000", "barley/1000", "mildew/1000", "hailfinder/1000", "win95pts/10000",
    "debd/plants.train", "debd/mushrooms.test", "uci/adult", "uci/soybean",
)  # fmt: skip
"""Tables that are also measured with BDeu."""

PUNCTUAL = "debd/bbc.test"  # 1,058 variables


def load_table(name: str) -> Dataset:
    """Return a table, read from a file or sampled."""
    folder, _, rest = name.partition("/")
    if folder in ("debd", "uci"):
        return with_observed_states(Dataset.read(data_folder() / folder / f"{rest}.csv.gz", header=False))
    if folder == "random":
        p, m, rows = RANDOM[int(rest)]
        return with_observed_states(sample(random_network(int(rest), p, m, seed=1), rows, 1))
    network = load_network(str(data_folder() / "networks" / f"{folder}.bif.gz"))
    return with_observed_states(sample(network, int(rest), 1))


def with_observed_states(data: Dataset) -> Dataset:
    """Return a table with only the states that occur, without columns of one state."""
    columns = [np.unique(column, return_inverse=True)[1] for column in data.codes]
    kept = [i for i, column in enumerate(columns) if column.max() > 0]
    return Dataset.from_codes(np.stack([columns[i] for i in kept], axis=1), names=[data.names[i] for i in kept])
