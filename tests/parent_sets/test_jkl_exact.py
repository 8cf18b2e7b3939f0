"""Score files: every number as it was written, here and by others."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.parent_sets import jkl_writer
from bnsearch.parent_sets.jkl import read_rows, read_scores
from bnsearch.parent_sets.jkl_writer import write_scores
from bnsearch.parent_sets.table import ParentSets

Write = Callable[[str | bytes], Path]

number = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map(repr),
    st.tuples(st.floats(-1e5, 1e5), st.integers(0, 16)).map(lambda x: f"{x[0]:.{x[1]}f}"),
    st.from_regex(r"[+-]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})([eE][+-]?[0-9]{1,2})?", fullmatch=True),
    st.tuples(st.integers(2**53, 10**18), st.integers(0, 18)).map(lambda x: f"{Decimal(-x[0]).scaleb(-x[1]):f}"),
    st.integers(2**52, 2**59).map(lambda x: str(2 * x + 1)),  # between two floats, and near it
)  # fmt: skip


@given(tokens=st.lists(number, min_size=1, max_size=20))
def test_scores_are_the_nearest_floats(tokens: list[str], score_file: Write) -> None:
    """A number of any length and form reads as Python reads it, to the last bit."""
    rows = read_rows(score_file(f"1\n0 {len(tokens)}\n" + "".join(f"{token} 0\n" for token in tokens)))
    assert [x.hex() for x in rows.scores.tolist()] == [float(token).hex() for token in tokens]


@st.composite
def tables(draw: st.DrawFn) -> ParentSets:
    """Draw a table of up to 12 variables with any finite scores and any names."""
    n = draw(st.integers(1, 12))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    name = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
    names = draw(st.one_of(st.just([str(v) for v in range(n)]), st.lists(name, min_size=n, max_size=n, unique=True)))
    child, sizes, members = list(range(n)), [0] * n, []
    for _ in range(draw(st.integers(0, 40)) if n > 1 else 0):
        v, *parents = rng.permutation(n)[: rng.integers(2, n, endpoint=True)].tolist()
        child.append(v)
        sizes.append(len(parents))
        members += parents
    scores = rng.normal(0, 10.0 ** rng.integers(-12, 13, len(child)))
    return ParentSets.build(
        names,
        np.array(child, dtype=np.int32),
        scores if draw(st.booleans()) else np.round(scores, 3),
        np.cumsum([0, *sizes]),
        np.array(members, dtype=np.int32),
    )


@given(table=tables(), name=st.sampled_from(["t.jkl", "t.jkl.gz", "t.scores", "t"]), chunk=st.integers(1, 20))
def test_round_trip(table: ParentSets, name: str, chunk: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """What is written reads as the same table, bit by bit, gzipped where the name says so."""
    path = tmp_path_factory.getbasetemp() / name
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jkl_writer, "CHUNK", chunk)
        write_scores(table, path)
    assert path.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    again = read_scores(path)
    assert again.names == table.names
    for attribute in ("begin", "scores", "first", "members"):
        assert getattr(again, attribute).tobytes() == getattr(table, attribute).tobytes()


def test_written_file(score_file: Write, tmp_path: Path) -> None:
    """The names come behind all the scores, where a reader that knows no comments has stopped."""
    names = '# names: ["age", "\\u00e9"]\n'
    text = "2\n0 2\n-1.5 1 1\n-10.0 0\n1 1\n-0.1 0\n"
    write_scores(read_scores(score_file(names + text)), tmp_path / "out.jkl")
    assert (tmp_path / "out.jkl").read_text() == text + names
    write_scores(read_scores(score_file(text)), tmp_path / "out.jkl")
    assert (tmp_path / "out.jkl").read_text() == text
    assert list(tmp_path.iterdir()) == [tmp_path / "out.jkl"]


def test_same_table_same_gzip_file(score_file: Write, tmp_path: Path) -> None:
    """Two gzipped files of one table are equal byte by byte, whatever their names."""
    table = read_scores(score_file("2\n0 2\n-1.5 1 1\n-10 0\n1 1\n-0.1 0\n"))
    for name in ("a.gz", "b.gz"):
        write_scores(table, tmp_path / name)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_cannot_write(score_file: Write, tmp_path: Path) -> None:
    """A folder that is not there is named; nothing is left behind."""
    with pytest.raises(InputError, match=r"the folder .*none does not exist"):
        write_scores(read_scores(score_file("2\n0 2\n-1.5 1 1\n-10 0\n1 1\n-0.1 0\n")), tmp_path / "none" / "x.jkl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "n", "n_sets", "repeated"),
    [
        ("iris_BIC.txt", 5, 26, 0),
        ("soybean_BIC.txt", 36, 5_926, 0),
        ("steel_BIC.txt.gz", 28, 93_026, 0),
        ("diabetes_1000.scores.gz", 413, 21_493, 0),
        ("accidents.test.is6-t330.jkl.gz", 111, 35_398, 0),
        ("bbc.test.is6.jkl.gz", 1_058, 59_508, 1),
        ("tmovie.test.m16k4.jkl.gz", 500, 52_391, 0),
    ],
)
def test_published_files(name: str, n: int, n_sets: int, repeated: int, shared_data: Path) -> None:
    """Public files have as many variables and sets as their lines say (soybean: as published), nearly all useful."""
    rows = read_rows(shared_data / "scores" / name)
    assert len(rows.names) == n
    assert len(rows.scores) == n_sets
    assert ParentSets.build(*rows).n_sets == n_sets - repeated


def test_published_file_line_by_line(shared_data: Path) -> None:
    """Every number of soybean equals what Python reads in its line."""
    path = shared_data / "scores" / "soybean_BIC.txt"
    lines = [line.split() for line in path.read_text().splitlines()]
    sets = []
    at = 1
    while at < len(lines):
        count = int(lines[at][1])
        sets += [(int(lines[at][0]), line) for line in lines[at + 1 : at + 1 + count]]
        at += 1 + count
    rows = read_rows(path)
    assert rows.child.tolist() == [v for v, _ in sets]
    assert rows.scores.tolist() == [float(line[0]) for _, line in sets]
    assert np.diff(rows.first).tolist() == [int(line[1]) for _, line in sets]
    assert rows.members.tolist() == [int(parent) for _, line in sets for parent in line[2:]]
