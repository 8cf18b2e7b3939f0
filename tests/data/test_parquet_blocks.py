"""Parquet files that are read in blocks of columns give the same table as a data frame."""

from __future__ import annotations

import gzip
import itertools

import numpy as np
import polars as pl
import pytest

from bnsearch import Dataset, InputError
from bnsearch.data import content
from bnsearch.data.content import variables_by_content

MAX_CELLS = "bnsearch.data.parquet.MAX_CELLS"


def make_frame(rows: int = 50) -> pl.DataFrame:
    """Return a frame with columns of all kinds, and names that polars could take as patterns."""
    rng = np.random.default_rng(1)
    levels = pl.Enum(["low", "high", "never"])
    return pl.DataFrame({
        "^a.*$": pl.Series(rng.choice(["x", "yy", "z"], rows)),
        "b": pl.Series(rng.choice(["low", "high"], rows)).cast(levels),
        "c": rng.integers(-3, 4, rows),
        "d": rng.random(rows) < 0.5,
        "e": rng.integers(0, 3, rows).astype(float),
        "f": pl.Series(rng.choice(["u", "v"], rows)).cast(pl.Categorical),
        "g": pl.Series(rng.choice(["low", "high"], rows)).cast(levels),
        "*": pl.Series(rng.choice(["1", "10", "2"], rows)),
    })  # fmt: skip


@pytest.mark.parametrize("max_cells", [1, 100, 151, 10**6])
@pytest.mark.parametrize("packed", [False, True])
def test_blocks_of_columns(tmp_path, monkeypatch, max_cells, packed):
    """For blocks of one column, of two, of three, and of all columns."""
    frame = make_frame()
    path = tmp_path / ("table.parquet.gz" if packed else "table.parquet")
    frame.write_parquet(tmp_path / "plain.parquet", row_group_size=20)
    content = (tmp_path / "plain.parquet").read_bytes()
    path.write_bytes(gzip.compress(content) if packed else content)
    monkeypatch.setattr(MAX_CELLS, max_cells)
    found, expected = Dataset.read(path), Dataset.from_frame(frame)
    assert found.names == expected.names
    assert found.states == expected.states
    assert (found.codes == expected.codes).all()


def test_discretized_blocks(tmp_path, monkeypatch):
    """Columns of numbers are divided into intervals in each block."""
    frame = make_frame().with_columns(pl.Series("h", np.random.default_rng(2).random(50)))
    frame.write_parquet(tmp_path / "table.parquet")
    monkeypatch.setattr(MAX_CELLS, 60)
    rule = "quantile:4"
    found, expected = (
        Dataset.read(tmp_path / "table.parquet", discretize=rule),
        Dataset.from_frame(frame, discretize=rule),
    )
    assert found.states == expected.states
    assert (found.codes == expected.codes).all()


@pytest.mark.parametrize("column", ["^a.*$", "b", "c", "d", "e", "f"])
def test_missing_values_of_later_blocks(tmp_path, monkeypatch, column):
    """The message names the column and the row, whatever the type of the column."""
    frame = make_frame()
    frame = frame.with_columns(pl.when(pl.arange(0, 50) == 17).then(None).otherwise(frame[column]).alias(column))
    frame.write_parquet(tmp_path / "table.parquet")
    monkeypatch.setattr(MAX_CELLS, 1)
    with pytest.raises(InputError, match=r"row 18: missing value") as error:
        Dataset.read(tmp_path / "table.parquet")
    assert repr(column) in str(error.value)


def test_empty_parquet_files(tmp_path):
    """A file without rows is rejected, and so is one that is no Parquet file."""
    make_frame().head(0).write_parquet(tmp_path / "empty.parquet")
    (tmp_path / "other.parquet").write_bytes(b"PAR1 but no more")
    for name, message in (("empty", "the table is empty: 0 rows, 8 columns"), ("other", "not a readable Parquet")):
        with pytest.raises(InputError, match=message):
            Dataset.read(tmp_path / f"{name}.parquet")


def test_order_by_content(monkeypatch):
    """Columns that differ only in late rows have an order that does not depend on their position."""
    columns = [[0, 1, 0, 1, 1, 0], [0, 1, 0, 1, 0, 1], [0, 1, 0, 1, 0, 0], [0, 2, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]]
    monkeypatch.setattr(content, "FIRST_ROWS", 2)
    for order in itertools.permutations(range(5)):
        data = Dataset.from_codes(np.array([columns[v] for v in order]).T)
        assert [order[v] for v in variables_by_content(data)] == [2, 1, 0, 4, 3]
