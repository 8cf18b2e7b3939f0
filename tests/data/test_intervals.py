"""Intervals that are states of a network."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data.conversion import as_rows_of
from bnsearch.data.dataset import Dataset
from bnsearch.data.discretize import label_intervals
from bnsearch.data.intervals import parse_intervals
from bnsearch.errors import InputError

CUTS = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=0, max_size=6, unique=True).map(sorted)


@given(CUTS, st.randoms())
def test_cut_points_of_labels(cuts, random):
    """The cut points of the labels of intervals are those that made them, in any order of the labels."""
    labels = list(label_intervals(cuts))
    random.shuffle(labels)
    assert parse_intervals(labels) == tuple(cuts)


@pytest.mark.parametrize(
    "states",
    [("no", "yes"), ("<=1", "1..2"), ("<=1", ">2"), ("<=1", "1..2", ">3"), ("<=a", ">a"), ("1..2", "2..3"), ("0", "1")],
)
def test_other_states(states):
    """States that are not all intervals of one column have no cut points."""
    assert parse_intervals(states) is None


@pytest.mark.parametrize("kind", ["frame", "csv", "parquet"])
def test_new_rows_have_the_same_intervals(tmp_path, kind):
    """Numbers are divided at the known cut points; text and columns without intervals are not changed."""
    frame = pl.DataFrame({"age": [10, 18, 19, 90], "size": [0.5, 1.5, 2.5, 3.5], "sex": ["f", "m", "m", "f"]})
    states = {"age": ("<=18", "18..65", ">65"), "size": ("<=2", ">2"), "sex": ("f", "m")}
    source = frame
    if kind != "frame":
        source = tmp_path / f"t.{kind}"
        frame.write_csv(source) if kind == "csv" else frame.write_parquet(source)
    found = as_rows_of(states, source).to_polars()
    assert found["age"].cast(pl.String).to_list() == ["<=18", "<=18", "18..65", ">65"]
    assert found["size"].cast(pl.String).to_list() == ["<=2", "<=2", ">2", ">2"]
    labels = pl.DataFrame({"age": ["<=18", ">65"], "size": ["<=2", ">2"], "sex": ["f", "m"]})
    assert as_rows_of(states, labels).states[0] == ("<=18", ">65")


def test_given_cut_points_have_precedence():
    """A rule divides the columns without known intervals; given cut points replace known ones."""
    frame = pl.DataFrame({"a": [0.5, 1.5], "b": [0.5, 1.5]})
    known = {"a": ("<=1", ">1")}
    assert as_rows_of(known, frame, {"b": [0.7]}).states == (("<=1", ">1"), ("<=0.7", ">0.7"))
    assert as_rows_of(known, frame, {"a": [0.7], "b": [0.7]}).states[0] == ("<=0.7", ">0.7")
    with pytest.raises(InputError, match="'b' is continuous"):
        as_rows_of(known, frame)


def test_discrete_tables_are_not_divided():
    """A Dataset and an array of codes are discrete already."""
    data = Dataset.from_codes(np.array([[0, 1], [1, 0]]))
    assert as_rows_of({"0": ("<=1", ">1")}, data) is data
