"""Structures as adjacency matrices."""

from __future__ import annotations

import pytest
from hypothesis import given

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.formats import adjacency
from bnsearch.networks.formats.source import Source
from format_samples import LAWN, dags

LAWN_CSV = "rain,sprinkler,grass\n0,1,1\n0,0,1\n0,0,0\n"


def parse(text: str) -> DAG:
    return adjacency.parse_structure(Source("lawn.csv", text))


def test_sample() -> None:
    """Rain -> sprinkler, rain -> grass, sprinkler -> grass: rows are parents, columns are children."""
    assert parse(LAWN_CSV) == LAWN.dag
    assert adjacency.render_structure(LAWN.dag) == LAWN_CSV


@pytest.mark.parametrize("corner", ["", ",", "name,"])
def test_row_names(corner: str) -> None:
    """A first column of names is accepted, with an empty, a filled or no cell above it."""
    assert parse(f"{corner}a,b\r\n\r\na, 0, 1\r\nb,0,0\r\n") == DAG(["a", "b"], [(), (0,)])


@given(dags())
def test_round_trip(dag: DAG) -> None:
    """Any structure is restored."""
    assert parse(adjacency.render_structure(dag)) == dag


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "lawn.csv: the file is empty"),
        ("a,b\n", "lawn.csv: 2 names in the header but 0 rows"),
        ("a,b\n0,1\n", "lawn.csv: 2 names in the header but 1 rows"),
        ("a,b\n0,1\n0\n", "lawn.csv, line 3: 1 cells for 2 variables"),
        ("a,b\na,0,1\nc,0,0\n", "lawn.csv, line 3: 3 cells for 2 variables"),
        ("a,b\n0,1\n\n0,2\n", "lawn.csv, line 4: cell 2 is '2'; it must be 0 or 1"),
        ("a,b\n0,1\n1,0\n", "lawn.csv: the graph has a directed cycle"),
        ("a,a\n0,1\n0,0\n", "lawn.csv: variable 'a' is named twice"),
        ("a\n" + "x" * 200_000, "lawn.csv, line 2: not CSV"),
    ],
)
def test_errors(text: str, words: str) -> None:
    """Every error names the file, the line if there is one, and the reason."""
    with pytest.raises(InputError) as caught:
        parse(text)
    assert str(caught.value).startswith(words)
