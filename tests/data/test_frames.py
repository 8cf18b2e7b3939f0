"""Tables from data frames: the types of each library, and the same table from all libraries."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.errors import InputError


def assert_same(one: Dataset, two: Dataset) -> None:
    """Assert that two tables are the same in all parts."""
    assert one.names == two.names
    assert one.states == two.states
    assert one.codes.dtype == two.codes.dtype
    assert np.array_equal(one.codes, two.codes)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_plain_types(library: Any) -> None:
    """Integers are sorted by value and text alphabetically; booleans become False and True, whole floats integers."""
    columns = {"i": [10, 9, -1], "t": ["b", "a", "b"], "b": [True, False, True], "f": [2.0, 1.0, 2.0]}
    data = Dataset.from_frame(library(columns))
    assert data.names == ("i", "t", "b", "f")
    assert data.states == (("-1", "9", "10"), ("a", "b"), ("False", "True"), ("1", "2"))
    assert data.codes.tolist() == [[2, 1, 0], [1, 0, 1], [1, 0, 1], [1, 0, 1]]


@pytest.mark.parametrize("ordered", [False, True])
def test_pandas_categories_are_declared(ordered: bool) -> None:
    """Level 'w' never occurs and comes first; numbers and intervals are labelled by their text."""
    frame = pd.DataFrame(
        {
            "c": pd.Categorical(["u", "v", "u"], categories=["w", "v", "u"], ordered=ordered),
            "n": pd.Categorical([2, 1, 2], categories=[3, 2, 1], ordered=ordered),
            "cut": pd.cut([1, 2, 3], [0, 1, 2, 3, 4]),
        }
    )
    data = Dataset.from_frame(frame)
    assert data.states[:2] == (("w", "v", "u"), ("3", "2", "1"))
    assert data.states[2] == ("(0, 1]", "(1, 2]", "(2, 3]", "(3, 4]")
    assert data.codes.tolist() == [[2, 1, 2], [1, 2, 1], [0, 1, 2]]
    arrow = pa.Table.from_pandas(frame[["c", "n"]], preserve_index=False)
    assert_same(Dataset.from_frame(arrow), data.select(["c", "n"]))


def test_arrow_dictionaries_that_differ_by_chunk() -> None:
    """Chunks (q, p) and (r, p) share the dictionary q, p, r."""
    chunks = [pa.array(["q", "p"]).dictionary_encode(), pa.array(["r", "p"]).dictionary_encode()]
    data = Dataset.from_frame(pa.table({"d": pa.chunked_array(chunks)}))
    assert data.states == (("q", "p", "r"),)
    assert data.codes.tolist() == [[0, 1, 2, 1]]


def test_polars_enum_is_declared_and_categorical_is_text() -> None:
    """An Enum keeps its order and its unobserved level; a Categorical's states are the sorted values."""
    values = ["b", "a", "b"]
    frame = pl.DataFrame(
        [pl.Series("e", values, dtype=pl.Enum(["c", "b", "a"])), pl.Series("c", values, dtype=pl.Categorical)]
    )
    data = Dataset.from_frame(frame)
    assert data.states == (("c", "b", "a"), ("a", "b"))
    assert data.codes.tolist() == [[1, 2, 1], [1, 0, 1]]


def test_pandas_stores_the_same_in_many_ways() -> None:
    """Object columns of one type, nullable, Arrow-backed and sparse columns produce the same table as plain ones."""
    stored = {
        "i": [pd.Series([3, 1, 3], dtype=t) for t in ("int8", "Int64", "object", "int64[pyarrow]")]
        + [pd.Series(pd.arrays.SparseArray([3, 1, 3]))],
        "b": [pd.Series([True, False, True], dtype=t) for t in ("bool", "boolean", "object", "bool[pyarrow]")],
        "t": [pd.Series(["y", "x", "y"], dtype=t) for t in ("str", "object", "string[python]", "string[pyarrow]")]
        + [pd.Series(["y", "x", "y"]).astype(pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())))],
    }
    for states, variants in zip((("1", "3"), ("False", "True"), ("x", "y")), stored.values(), strict=True):
        for series in variants:
            data = Dataset.from_frame(series.to_frame("v"))
            assert data.states == (states,), series.dtype
            assert data.codes.tolist() == [[1, 0, 1]]


def test_pandas_text_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pyarrow, text columns produce the same table."""
    import narwhals

    def refuse(self: object) -> None:
        raise ModuleNotFoundError("No module named 'pyarrow'")

    frame = pd.DataFrame({"t": ["y", "x"]})
    expected = Dataset.from_frame(frame)
    monkeypatch.setattr(narwhals.Series, "to_polars", refuse)
    assert_same(Dataset.from_frame(frame), expected)


def test_extreme_integers() -> None:
    """Ranges that overflow their type, and ranges too wide for a table, are coded by value."""
    frame = pl.DataFrame(
        [
            pl.Series("int8", [127, -128, 0], dtype=pl.Int8),
            pl.Series("int64", [2**63 - 1, -(2**63), 0], dtype=pl.Int64),
            pl.Series("uint64", [2**64 - 1, 2**64 - 3, 2**64 - 3], dtype=pl.UInt64),
            pl.Series("small uint64", [5, 0, 2], dtype=pl.UInt64),
            pl.Series("float", [1e15, -1e15, 0.0]),
            pl.Series("single", [16_777_216.0, -1.0, 0.0], dtype=pl.Float32),
        ]
    )
    data = Dataset.from_frame(frame)
    assert data.states[0] == ("-128", "0", "127")
    assert data.states[1] == (str(-(2**63)), "0", str(2**63 - 1))
    assert data.states[2] == (str(2**64 - 3), str(2**64 - 1))
    assert data.states[3] == ("0", "2", "5")
    assert data.states[4] == ("-1000000000000000", "0", "1000000000000000")
    assert data.states[5] == ("-1", "0", "16777216")
    assert data.codes.tolist() == [[2, 0, 1], [2, 0, 1], [1, 0, 0], [2, 0, 1], [2, 0, 1], [2, 0, 1]]


def test_other_column_names_become_text() -> None:
    """An array in pandas has columns 0, 1, ..., which are named by their digits."""
    assert Dataset.from_frame(pd.DataFrame([[0, 1]])).names == ("0", "1")


def test_names_that_polars_takes_for_patterns() -> None:
    """Columns named ^a$, * and a are read as three columns."""
    frame = pl.DataFrame({"^a$": ["x"], "*": ["y"], "a": ["z"]})
    data = Dataset.from_frame(frame)
    assert data.names == ("^a$", "*", "a")
    assert data.states == (("x",), ("y",), ("z",))
    assert data.to_polars().rows() == frame.rows()


DAY = datetime.date(2020, 1, 1)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pl.DataFrame({"a": [1, 2], "b": ["x", None]}), "column 'b', row 2: missing value"),
        (pd.DataFrame({"a": [1.0, None, 2.0]}), "column 'a', row 2: missing value"),
        (pd.DataFrame({"a": pd.Categorical(["x", None])}), "column 'a', row 2: missing value"),
        (pd.DataFrame({"a": pd.Series(["x", None], dtype=object)}), "column 'a', row 2: missing value"),
        (pa.table({"a": pa.array([1, None])}), "column 'a', row 2: missing value"),
        (pl.DataFrame({"a": [1.0, float("nan")]}), "column 'a', row 2: missing value"),
        (pl.DataFrame({"a": [None, None]}), "column 'a', row 1: missing value"),
        (pl.DataFrame({"a": [1.0, 2.5]}), r"column 'a' is continuous \(it contains 2\.5\): discretise"),
        (pl.DataFrame({"a": [1.0, float("inf")]}), "column 'a' is continuous"),
        (pl.DataFrame({"a": [1e300]}), "column 'a' is continuous"),
        (pl.DataFrame({"a": [DAY]}), "column 'a' has values of type Date: convert them to text"),
        (pd.DataFrame({"a": pd.to_datetime([DAY])}), "column 'a' has values of type Datetime"),
        (pl.DataFrame({"a": [[1], [2]]}), "column 'a' has values of type List"),
        (pl.DataFrame({"a": pl.Series([1], dtype=pl.Int128)}), "column 'a' has values of type Int128"),
        (
            pl.DataFrame({"a": pl.Series([1], dtype=pl.Decimal(9, 2))}),
            "column 'a' has values of type Decimal",
        ),
        (pl.DataFrame({"a": [b"x"]}), "column 'a' has values of type Binary"),
        (
            pd.DataFrame({"a": pd.Series(["x", 1], dtype=object)}),
            "column 'a' has values of type int and str",
        ),
        (
            pd.DataFrame({"a": pd.Series([True, 1], dtype=object)}),
            "column 'a' has values of type bool and int",
        ),
        (pd.DataFrame({"a": pd.Series([2**70], dtype=object)}), "column 'a' has integers beyond 64 bits"),
        (pd.DataFrame({"a": pd.Categorical([1, "1"])}), "column 'a' has two states labelled '1'"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "cannot read a table from DataFrame .*'a' 2 times"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "two columns are named '1'"),
        (pl.DataFrame({"": [1]}), "column 1 has no name"),
        (pl.DataFrame(), "the table is empty: 0 rows, 0 columns"),
        (pl.DataFrame({"a": []}), "the table is empty: 0 rows, 1 columns"),
        (pl.DataFrame({"a": range(65_536)}), "column 'a' has 65,536 or more distinct values"),
        (pl.DataFrame({"a": [str(i) for i in range(65_536)]}), "column 'a' has 65,536 or more distinct values"),
        (pl.DataFrame({"a": range(0, 65_536 * 50, 50)}), "column 'a' has 65,536 or more distinct values"),
        (pl.LazyFrame({"a": [1]}), "cannot read a table from LazyFrame"),
        (np.zeros((2, 2), dtype=int), "cannot read a table from ndarray"),
        ({"a": [1]}, "cannot read a table from dict"),
        (None, "cannot read a table from NoneType"),
    ],
)
def test_bad_frames(frame: Any, message: str) -> None:
    """Each invalid frame raises an error of one line that names the column and, if there is one, the row."""
    with pytest.raises(InputError, match=message) as caught:
        Dataset.from_frame(frame)
    assert "\n" not in str(caught.value)


COLUMNS = st.one_of(
    st.tuples(st.just(st.integers(-(2**63), 2**63 - 1)), st.just(pl.Int64)),
    st.tuples(st.just(st.integers(-3, 300)), st.just(pl.Int64)),
    st.tuples(st.just(st.text(max_size=3)), st.just(pl.String)),
    st.tuples(st.just(st.booleans()), st.just(pl.Boolean)),
    st.tuples(st.just(st.integers(-5, 5).map(float)), st.just(pl.Float64)),
)


@given(st.data())
def test_libraries_agree_and_states_are_sorted(data: st.DataObject) -> None:
    """pandas, polars and Arrow produce the same table, whose states are the sorted distinct values."""
    rows = data.draw(st.integers(1, 12))
    columns = {}
    for i in range(data.draw(st.integers(1, 3))):
        values, dtype = data.draw(COLUMNS)
        columns[f"v{i}"] = pl.Series(data.draw(st.lists(values, min_size=rows, max_size=rows)), dtype=dtype)
    frame = pl.DataFrame(columns)
    table = Dataset.from_frame(frame)
    assert_same(Dataset.from_frame(frame.to_arrow()), table)
    assert_same(Dataset.from_frame(pd.DataFrame({k: v.to_list() for k, v in columns.items()})), table)
    for v, series in enumerate(frame):
        values = [int(x) if isinstance(x, float) else x for x in series.to_list()]
        assert table.states[v] == tuple(str(x) for x in sorted(set(values)))
        assert [table.states[v][c] for c in table.codes[v]] == [str(x) for x in values]
    assert_same(Dataset.from_frame(table.to_polars()), table)
