"""Tables written to files are restored, or writing raises an error."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.data.coding import MISSING
from bnsearch.data.writing import check_table_target
from bnsearch.errors import InputError


@st.composite
def tables(draw: st.DrawFn) -> Dataset:
    """Draw a table of a few variables with any labels, declared in any order, some of them unobserved."""
    label = st.one_of(st.text(max_size=3), st.sampled_from(["0", "1", "10", "01", "NA", "2.5", "-1", "None"]))
    states = draw(st.lists(st.lists(label, min_size=1, max_size=5, unique=True), min_size=1, max_size=4))
    names = draw(st.lists(st.text(min_size=1, max_size=4), min_size=len(states), max_size=len(states), unique=True))
    rows = draw(st.integers(1, 12))
    row = st.tuples(*(st.integers(0, len(s) - 1) for s in states))
    return Dataset.from_codes(draw(st.lists(row, min_size=rows, max_size=rows)), names=names, states=states)


@pytest.mark.parametrize("extension", [".parquet", ".parquet.gz"])
@given(data=tables())
def test_parquet_keeps_everything(tmp_path_factory: pytest.TempPathFactory, extension: str, data: Dataset) -> None:
    """Parquet restores names, codes and all states in their order."""
    path = tmp_path_factory.mktemp("tables") / f"table{extension}"
    data.write(path)
    back = Dataset.read(path)
    assert back.names == data.names
    assert back.states == data.states
    assert np.array_equal(back.codes, data.codes)


@pytest.mark.parametrize("extension", [".csv", ".csv.gz"])
@given(data=tables())
def test_csv_keeps_every_label_or_refuses(
    tmp_path_factory: pytest.TempPathFactory, extension: str, data: Dataset
) -> None:
    """CSV restores all labels and, with the old states, all codes."""
    path = tmp_path_factory.mktemp("tables") / f"table{extension}"
    try:
        data.write(path)
    except InputError as error:
        assert "write .parquet instead" in str(error)
        assert not path.exists()
        return
    back = Dataset.read(path, arities_row=False)
    assert back.names == data.names
    again = back.with_states(dict(zip(data.names, data.states, strict=True)))
    assert np.array_equal(again.codes, data.codes)


@pytest.mark.parametrize("label", ["", " ", " NA", "01", "1.0", "0.5", "+1"])
def test_csv_refuses_labels_that_would_change(tmp_path: Path, label: str) -> None:
    """Empty labels, and other spellings of numbers raise an error for CSV if they occur."""
    data = Dataset.from_codes([[0], [0]], names=["v"], states=[[label, "other"]])
    with pytest.raises(InputError, match=r"column 'v' has the state .*: write \.parquet instead"):
        data.write(tmp_path / "table.csv")
    data.write(tmp_path / "table.parquet")
    assert list(tmp_path.iterdir()) == [tmp_path / "table.parquet"]


def test_csv_is_plain(tmp_path: Path) -> None:
    """A CSV file has a header and the labels only; the gzipped bytes do not depend on the time."""
    data = Dataset.from_codes([[0, 1], [1, 0]], names=["^a$", "b"], states=[["no", "yes"], ["x,y", "z"]])
    data.write(tmp_path / "table.csv")
    assert (tmp_path / "table.csv").read_text() == '^a$,b\nno,z\nyes,"x,y"\n'
    data.select(["^a$"]).write(tmp_path / "one.csv.gz")
    assert (tmp_path / "one.csv.gz").read_bytes()[3:8] == bytes(5)  # no name, no time


def test_write_refuses_bad_paths(tmp_path: Path) -> None:
    """A missing folder, a wrong extension and .dat raise an error before anything is written."""
    data = Dataset.from_codes([[0]])
    for name, message in (
        ("none/table.csv", "the folder .* does not exist"),
        ("table.xlsx", r"must end with \.csv"),
        ("table.dat", r"write \.csv or \.parquet"),
    ):
        for use in (data.write, check_table_target):
            with pytest.raises(InputError, match=message):
                use(tmp_path / name)
    check_table_target(tmp_path / "table.csv.gz")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("data", [b"", b"junk", b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_broken_parquet(tmp_path: Path, data: bytes) -> None:
    """Bytes that are not a Parquet file raise an error of one line."""
    path = tmp_path / "table.parquet"
    path.write_bytes(data)
    with pytest.raises(InputError, match="not a readable Parquet file") as caught:
        Dataset.read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_truncated_parquet(tmp_path: Path) -> None:
    """Every truncated Parquet file raises an error."""
    path = tmp_path / "table.parquet"
    pl.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "x"]}).write_parquet(path)
    assert Dataset.read(path).states == (("1", "2", "3"), ("x", "y"))
    data = path.read_bytes()
    for size in range(0, len(data), 37):
        path.write_bytes(data[:size])
        with pytest.raises(InputError, match="not a readable Parquet file"):
            Dataset.read(path)


def test_parquet_errors_name_the_file(tmp_path: Path) -> None:
    """An invalid column of a Parquet file is named after the path; `arities_row` is an error for Parquet."""
    path = tmp_path / "table.parquet"
    pl.DataFrame({"a": [0.5]}).write_parquet(path)
    with pytest.raises(InputError, match=r"table\.parquet: column 'a' is continuous"):
        Dataset.read(path)
    with pytest.raises(InputError, match="no row of arities"):
        Dataset.read(path, arities_row=True)


@pytest.mark.parametrize("label", sorted(MISSING - {""}))
def test_csv_keeps_states_that_are_spelled_like_missing_values(tmp_path: Path, label: str) -> None:
    """A state, or a name, such as NA is written in quotes, and read as a state; the other columns do not change."""
    data = Dataset.from_codes([[0, 1], [1, 0]], names=[label, "n"], states=[(label, "x"), ("1", "2")])
    data.write(tmp_path / "a.csv")
    back = Dataset.read(tmp_path / "a.csv")
    assert back.names == data.names
    assert back.to_polars().rows() == data.to_polars().rows()
