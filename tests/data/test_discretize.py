"""Discretisation of columns of numbers."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.data.discretize import label_intervals
from bnsearch.data.frames import find_cut_points
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks import fit
from bnsearch.networks.files import read_network, write_network


def cut(values: Any, how: Any) -> tuple[list[int], tuple[str, ...]]:
    """Return the codes and states of one column."""
    data = Dataset.from_frame(pl.DataFrame({"v": values}), discretize=how)
    return data.codes[0].tolist(), data.states[0]


def test_quantiles_by_hand():
    """Three intervals of 0.5, 1.5, ..., 5.5 have two values each; the cut points are the midpoints 2 and 4."""
    codes, states = cut([5.5, 0.5, 1.5, 2.5, 3.5, 4.5], "quantile:3")
    assert states == ("<=2", "2..4", ">4")
    assert codes == [2, 0, 0, 1, 1, 2]


def test_uniform_by_hand():
    """From 0 to 10.5, three intervals are 3.5 wide; 3.5 belongs to the lower one."""
    codes, states = cut([0.0, 3.5, 3.6, 7.1, 9.0, 10.5], "uniform:3")
    assert states == ("<=3.5", "3.5..7", ">7")
    assert codes == [0, 0, 1, 2, 2, 2]


def test_equal_quantiles_are_merged():
    """Fourteen of twenty values are 0: the cut points after 4, 8 and 12 rows coincide, that after 16 is at 2."""
    codes, states = cut([0.0] * 14 + [0.5, 1.5, 2.5, 3.5, 4.5, 5.5], "quantile:5")
    assert codes == [0] * 14 + [1, 1, 2, 2, 2, 2]
    assert states == ("<=0.25", "0.25..2", ">2")


def test_a_heavy_top_stays_apart():
    """Nine of ten values are the largest: the only cut point lies below them, although all quantiles lie among them."""
    assert cut([-1.5, -0.5, 0.25] + [1.0] * 27, "quantile:2") == ([0] * 3 + [1] * 27, ("<=0.625", ">0.625"))


def test_empty_uniform_intervals_are_merged():
    """From 0 to 100 by 20, nothing lies between 2.5 and 100: one cut of four remains there."""
    assert cut([0.0, 1.0, 2.0, 2.5, 2.25, 100.0], "uniform:5") == ([0] * 5 + [1], ("<=20", ">20"))


def test_fewer_values_than_intervals_are_all_kept():
    """Three distinct fractions under quantile:5 are three states for any frequencies."""
    assert cut([0.5] * 8 + [1.5, 2.5], "quantile:5") == ([0] * 8 + [1, 2], ("<=1", "1..2", ">2"))


def test_cuts_are_rounded_no_further_than_values_allow():
    """Between 0.12344 and 0.12346 no number of three or four digits lies; 0.12345 does."""
    assert cut([0.12344, 0.12346], "quantile:2")[1] == ("<=0.12345", ">0.12345")
    assert cut([1e6 + 0.25, 3e6], "quantile:2")[1] == ("<=2000000", ">2000000")


def test_what_is_left_alone():
    """Columns of up to 20 whole numbers, whole floats, text, booleans and categories are not divided."""
    frame = pd.DataFrame(
        {
            "whole": range(20),
            "float": [float(i % 3) for i in range(20)],
            "text": ["a", "b"] * 10,
            "truth": [True, False] * 10,
            "category": pd.Categorical([0.5, 1.5] * 10),
        }
    )
    data = Dataset.from_frame(frame, discretize="quantile:2")
    plain = Dataset.from_frame(frame)
    assert data.states == plain.states
    assert np.array_equal(data.codes, plain.codes)
    assert find_cut_points(frame, "quantile:2") == {}


def test_many_whole_numbers_are_cut():
    """21 distinct whole numbers are divided, unless there are as many intervals as values."""
    assert cut(list(range(21)), "uniform:2")[1] == ("<=10", ">10")
    assert cut(list(range(21)), "quantile:21")[1] == tuple(map(str, range(21)))
    wide = Dataset.from_frame(pl.DataFrame({"v": range(70_000)}), discretize="quantile:4")
    assert np.bincount(wide.codes[0]).tolist() == [17_500] * 4


def test_a_constant_column_has_one_state():
    """A column with one fraction gets a single interval."""
    assert cut([0.5, 0.5], "quantile:5") == ([0, 0], ("any",))


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_libraries_and_files_agree(tmp_path, library):
    """pandas, polars, Arrow, CSV and Parquet produce the same table."""
    rng = np.random.default_rng(5)
    columns = {"x": rng.normal(size=200), "^y$": rng.integers(-50, 50, size=200), "z": ["u", "v"] * 100}
    expected = Dataset.from_frame(pl.DataFrame(columns), discretize="uniform:4")
    assert expected.arities.tolist() == [4, 4, 2]
    pl.DataFrame(columns).write_csv(tmp_path / "t.csv")
    pl.DataFrame(columns).write_parquet(tmp_path / "t.parquet")
    for data in (
        Dataset.from_frame(library(columns), discretize="uniform:4"),
        Dataset.read(tmp_path / "t.csv", discretize="uniform:4"),
        Dataset.read(tmp_path / "t.parquet", discretize="uniform:4"),
    ):
        assert data.states == expected.states
        assert np.array_equal(data.codes, expected.codes)


def test_text_spells_numbers_in_many_ways(tmp_path):
    """Signs, exponents and blanks are accepted in numbers; a column with another field is text."""
    (tmp_path / "t.csv").write_text("a,b\n+1.5,0.5\n-2e0,x\n .25,0.5\n3.,0.5\n")
    data = Dataset.read(tmp_path / "t.csv", discretize={"a": (0, 1)})
    assert data.states == (("<=0", "0..1", ">1"), ("0.5", "x"))
    assert data.codes[0].tolist() == [2, 0, 1, 2]


def test_known_cuts_hold_for_other_rows():
    """The cut points of one table apply to another table, also outside of the range of the first."""
    train = pl.DataFrame({"x": np.linspace(0, 1, 101), "k": [0, 1] * 50 + [0]})
    cuts = find_cut_points(train, "uniform:4")
    assert cuts == {"x": (0.25, 0.5, 0.75)}
    other = Dataset.from_frame(pl.DataFrame({"x": [7.5, -3.0, 0.5, 0.51], "k": [1, 1, 1, 1]}), discretize=cuts)
    assert other.states[0] == Dataset.from_frame(train, discretize="uniform:4").states[0]
    assert other.codes[0].tolist() == [3, 0, 1, 2]


def test_cut_points_as_text():
    """Semicolons separate columns with cut points and the rule of all others; a name may have an equals sign."""
    frame = pl.DataFrame({"age": [10, 70], "b=c": [0.5, 1.5], "d": [0.25, 0.75]})
    found = Dataset.from_frame(frame, discretize=" age=18,65; b=c=1;quantile:2")
    assert found.states == (("<=18", "18..65", ">65"), ("<=1", ">1"), ("<=0.5", ">0.5"))
    with pytest.raises(InputError, match="'d' is continuous"):
        Dataset.from_frame(frame, discretize="age=18;b=c=1")
    with pytest.raises(InputError, match="the table has no such column; its columns are 'age', 'b=c', 'd'"):
        Dataset.from_frame(frame, discretize="ages=18;quantile:2")


def test_wide_integers_are_refused_as_ever():
    """Integers beyond 64 bits are not divided."""
    frame = pl.DataFrame({"a": pl.Series([1], dtype=pl.Int128)})
    with pytest.raises(InputError, match="column 'a' has values of type Int128"):
        Dataset.from_frame(frame, discretize="quantile:2")
    assert find_cut_points(frame, None) == {}


def test_labels_pass_through_network_files(tmp_path):
    """A network over intervals is restored from BIF and NET."""
    data = Dataset.from_frame(pl.DataFrame({"x": [-1.5, 0.5, 2.5], "y": [0, 1, 1]}), discretize="quantile:3")
    network = fit(DAG(["x", "y"], [[], [0]]), data)
    for name in ("a.bif", "a.net"):
        write_network(network, tmp_path / name)
        assert read_network(tmp_path / name).states == (("<=-0.5", "-0.5..1.5", ">1.5"), ("0", "1"))


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("quantile", "discretize must be quantile:K, uniform:K or X=CUT,CUT, such as quantile:5, not 'quantile'"),
        ("x=1;", "discretize must be quantile:K, uniform:K or X=CUT,CUT, such as quantile:5, not ''"),
        ("quantile:2; uniform:3", "discretize has two rules for all columns, 'quantile:2' and 'uniform:3': keep one"),
        ("x=1,b", "the cut points of column 'x' must be numbers separated by commas, such as 18,65, not '1,b'"),
        ("x=", "the cut points of column 'x' must be numbers separated by commas, such as 18,65, not ''"),
        ("x=2,1", "the cut points of column 'x' must be finite ascending numbers"),
        ("quantiles:5", "not 'quantiles:5'"),
        ("uniform:-3", "not 'uniform:-3'"),
        ("uniform:2.5", "not 'uniform:2.5'"),
        ("", "not ''"),
        ("quantile:1", "the number of intervals must be at least 2 and at most 65535, not 1"),
        ("uniform:70000", "the number of intervals must be at least 2 and at most 65535, not 70000"),
        (5, "discretize must be a text such as quantile:5 or cut points by column, not 5"),
        ({"v": (2, 1)}, r"the cut points of column 'v' must be finite ascending numbers, not \(2, 1\)"),
        ({"v": (1, math.nan)}, "the cut points of column 'v' must be finite"),
        ({"v": "abc"}, "the cut points of column 'v' must be finite"),
        ({"w": (1, 2)}, "discretize has cut points for 'w', but the table has no such column"),
        ({"t": (1, 2), "v": (1,)}, "discretize has cut points for column 't', which does not contain numbers"),
        ({}, "column 'v' is continuous"),
    ],
)
def test_bad_rules(how, message):
    """An invalid rule raises an error that names it."""
    with pytest.raises(InputError, match=message):
        Dataset.from_frame(pl.DataFrame({"v": [0.5, 1.5], "t": ["a", "b"]}), discretize=how)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("v\n0.5\nNA\n", "column 'v', row 2: missing value"),
        ("v,w\n0.5,1\n,1\n", "column 'v', row 2: missing value"),
        ("v\n0.5\n nan\n", "column 'v', row 2: missing value"),
    ],
)
def test_missing_values_in_files(tmp_path, text, message):
    """Missing values raise an error also with `discretize`."""
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        Dataset.read(tmp_path / "t.csv", discretize="quantile:2")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "column 'v', row 2: missing value"),
        (math.nan, "column 'v', row 2: missing value"),
        (math.inf, "column 'v', row 2: inf cannot be assigned to an interval"),
    ],
)
def test_values_without_a_place(value, message):
    """Missing and infinite values raise an error with their row."""
    with pytest.raises(InputError, match=message):
        cut([0.5, value], "quantile:2")


def test_the_error_suggests_it():
    """The message for a continuous column names the argument and the option."""
    with pytest.raises(InputError, match=r'discretize="quantile:5" \(--discretize quantile:5\)'):
        Dataset.from_frame(pl.DataFrame({"v": [0.5]}))


@given(
    st.lists(st.floats(-1e300, 1e300) | st.integers(-5, 5).map(lambda i: i / 2), min_size=1, max_size=60),
    st.sampled_from(["quantile", "uniform"]),
    st.integers(2, 8),
)
def test_intervals_hold_their_values(values, rule, count):
    """Every value lies in its interval, no interval is empty, cut points ascend, and few values are separated."""
    frame = pl.DataFrame({"v": pl.Series(values, dtype=pl.Float64)})
    data = Dataset.from_frame(frame, discretize=f"{rule}:{count}")
    cuts = find_cut_points(frame, f"{rule}:{count}").get("v")
    if cuts is None:
        assert all(value.is_integer() and abs(value) < 2**63 for value in values)
        return
    assert all(low < high for low, high in pairwise(cuts))
    assert data.states[0] == label_intervals(cuts)
    assert set(data.codes[0].tolist()) == set(range(len(cuts) + 1))
    assert min(len(set(values)), 2) <= len(cuts) + 1 <= count
    ends = [-math.inf, *cuts, math.inf]
    for value, code in zip(values, data.codes[0].tolist(), strict=True):
        assert ends[code] < value <= ends[code + 1]
