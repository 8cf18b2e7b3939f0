"""Tables from text files: the meaning of the fields, and invalid files."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.data.text import TYPE_SAMPLE_ROWS, read_text
from bnsearch.errors import InputError


def write(folder: Path, text: str | bytes, name: str = "table.csv") -> Path:
    """Write a file and return its path."""
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def labels(data: Dataset) -> list[tuple[str, ...]]:
    """Return the rows of a table as labels."""
    return [tuple(data.states[v][data.codes[v, row]] for v in range(data.n_variables)) for row in range(data.n_rows)]


def test_numbers_in_numeric_order_text_in_alphabetical(tmp_path: Path) -> None:
    """10 comes after 9 but "b10" before "b9"; truth values stay as they are spelled."""
    data = Dataset.read(write(tmp_path, "n,t,b\n10,b9,TRUE\n9,b10,FALSE\n-1,b9,TRUE\n"))
    assert data.names == ("n", "t", "b")
    assert data.states == (("-1", "9", "10"), ("b10", "b9"), ("FALSE", "TRUE"))
    assert data.codes.tolist() == [[2, 1, 0], [1, 0, 1], [1, 0, 1]]


def test_equal_numbers_are_one_state(tmp_path: Path) -> None:
    """1, 01, +1, 1.0 and 1e0 are one number; with one word among them they are five texts."""
    column = ["1", "01", "+1", "1.0", "1e0", " 1", "2"]
    data = Dataset.read(write(tmp_path, "\n".join(["n", *column])))
    assert data.states == (("1", "2"),)
    data = Dataset.read(write(tmp_path, "\n".join(["n", *column, "x"])))
    assert data.states == (tuple(sorted([*column, "x"])),)


def test_numbers_too_long_to_be_numbers_are_text(tmp_path: Path) -> None:
    """A number of 5,000 digits is kept as it is written."""
    assert Dataset.read(write(tmp_path, "n\n" + "9" * 5_000 + "\n1\n")).states == (("1", "9" * 5_000),)


@pytest.mark.parametrize("late", ["x", "256", "-1", "1.0", "07"])
def test_a_late_surprise_in_a_column_of_small_numbers(tmp_path: Path, late: str) -> None:
    """The type of a column that the first rows suggest is revised if a later value has another type."""
    rows = TYPE_SAMPLE_ROWS + 50
    data = Dataset.read(write(tmp_path, "a,b\n" + "1,3\n" * rows + f"{late},3\n"))
    expected = {"x": ("1", "x"), "256": ("1", "256"), "-1": ("-1", "1"), "1.0": ("1",), "07": ("1", "7")}[late]
    assert data.states == (expected, ("3",))
    assert data.states[0][data.codes[0, -1]] == expected[0 if late == "-1" else -1]
    assert data.n_rows == rows + 1


def test_rare_labels_after_the_sample(tmp_path: Path) -> None:
    """States that first occur in late rows are sorted among the others, and all earlier rows are recoded."""
    words = ["m"] * 3_000 + ["z", "a", "m"]
    data = Dataset.read(write(tmp_path, "w\n" + "\n".join(words)))
    assert data.states == (("a", "m", "z"),)
    assert data.codes[0].tolist() == [1] * 3_000 + [2, 0, 1]


def test_without_header_the_columns_are_numbered(tmp_path: Path) -> None:
    """The first row is data and the names are "0" and "1"."""
    data = Dataset.read(write(tmp_path, "1,0\n0,0\n"), header=False)
    assert data.names == ("0", "1")
    assert labels(data) == [("1", "0"), ("0", "0")]


@pytest.mark.parametrize(
    "text",
    [
        b"a,b\nx,1\ny,2",
        b"a,b\r\nx,1\r\ny,2\r\n",
        b"a,b\rx,1\ry,2\r",
        b"\xef\xbb\xbfa,b\nx,1\ny,2\n",
        b"\n\na,b\nx,1\ny,2\n\n\r\n",
        b'"a","b"\n"x","1"\n"y","2"\n',
    ],
)
def test_line_ends_marks_and_quotes(tmp_path: Path, text: bytes) -> None:
    """Line ends of all systems, a byte-order mark, blank lines at the ends and quotes do not change the table."""
    data = Dataset.read(write(tmp_path, text))
    assert data.names == ("a", "b")
    assert labels(data) == [("x", "1"), ("y", "2")]


def test_quoted_fields_hold_anything(tmp_path: Path) -> None:
    """Commas, quotes and line ends inside quotes are part of the field, also in the header."""
    data = Dataset.read(write(tmp_path, '"a\nb","c,d"\n"x\ny","say ""hi"""\nz,w\n'))
    assert data.names == ("a\nb", "c,d")
    assert labels(data) == [("x\ny", 'say "hi"'), ("z", "w")]


def test_one_row_one_column_and_constants(tmp_path: Path) -> None:
    """A single cell is a table; a constant column has arity 1."""
    data = Dataset.read(write(tmp_path, "a\n5\n"))
    assert (data.names, data.states, data.codes.tolist()) == (("a",), (("5",),), [[0]])
    assert Dataset.read(write(tmp_path, "a,b\nx,0\nx,1\n")).arities.tolist() == [1, 2]


def test_many_states_need_wider_codes(tmp_path: Path) -> None:
    """65,535 distinct numbers are legal, in order; one more is not."""
    rows = [str(v) for v in range(65_535)]
    data = Dataset.read(write(tmp_path, "id\n" + "\n".join(reversed(rows))))
    assert data.codes.dtype == np.uint16
    assert data.codes[0, 0] == 65_534
    assert data.states[0] == tuple(rows)
    with pytest.raises(InputError, match=r"column 'id' has 65,536 or more distinct values; at most 65,535"):
        Dataset.read(write(tmp_path, "id\n" + "\n".join(rows) + "\nx\n"))


@pytest.mark.parametrize("spelling", ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?", " ? "])
@pytest.mark.parametrize("others", ["1", "yes"])
def test_missing_values_are_named_with_their_row(tmp_path: Path, spelling: str, others: str) -> None:
    """A missing value in the third data row is reported, in a column of numbers and in a column of text."""
    rows = [f"x,{others}"] * 2 + [f"x,{spelling}"] + [f"x,{others}"] * 200
    with pytest.raises(InputError, match="column 'b', row 3: missing value"):
        Dataset.read(write(tmp_path, "\n".join(["a,b", *rows])))


def test_none_is_a_state(tmp_path: Path) -> None:
    """Well-known networks have states called None."""
    assert Dataset.read(write(tmp_path, "a\nNone\nMild\n")).states == (("Mild", "None"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("a,b\n", "no data rows"),
        ("a,b\n1\n", r"row 1 \(line 2\) has 1 fields; the table has 2 columns"),
        ("a,b\n1,2\n1,2,3\n", r"row 2 \(line 3\) has 3 fields; the table has 2 columns"),
        ("a,b\n" + "1,2\n" * 300 + "1\n1,2\n", r"row 301 \(line 302\) has 1 fields"),
        ("a,b\n1,2\n\n1,2\n", r"row 2 \(line 3\) is blank"),
        ("a\n1\n\n1\n", r"row 2 \(line 3\) is blank"),
        ('a,b\n"x\ny",2\n1\n', r"row 2 \(line 4\) has 1 fields"),
        ("a,a\n1,2\n", "two columns are named 'a'"),
        ("1,0,1\n0,0,0\n", "two columns are named '1': rename one; if the first row is data, read with header=False"),
        ("a,,b\n1,2,3\n", "column 2 has no name"),
        ("a;b\n1;2\n", "separated by ';': separate them by commas"),
        ("a;b\n1,5;2\n2,5;3\n", "separated by ';': separate them by commas"),
        ("a|b\n1|2\n", r"separated by '\|': separate them by commas"),
        ("# mine\na,b\n1,2\n", r"row 1 \(line 2\) has 2 fields; the table has 1 column$"),
        ("a\tb\n1\t2\n", r"separated by '\\t': separate them by commas"),
        ("a,b\n1,0.5\n2,1\n", r"column 'b' is continuous \(it contains 0.5\): discretise"),
        ("a\n1e-3\n", "column 'a' is continuous"),
        ('a,b\n1,"2\n3,4\n', "check its quotes"),
        ('a,b\n1,"2"x\n3,4\n', "line 2: .* check its quotes"),
        (b"a,b\n1,caf\xe9\n", "line 2 is not UTF-8 text"),
        (b"a\xe9,b\n1,2\n", "line 1 is not UTF-8 text"),
        (b"a,b\n" + b"1,2\n" * 200 + b"\xff,1\n", "line 202 is not UTF-8 text"),
        ("a,b\n1,2\n".encode("utf-16"), "line 1 is not UTF-8 text"),
    ],
)
def test_bad_files(tmp_path: Path, text: str | bytes, message: str) -> None:
    """Each invalid file raises an error of one line that starts with the path."""
    path = write(tmp_path, text)
    with pytest.raises(InputError, match=message) as caught:
        Dataset.read(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


BENCHPRESS = "a,b\n2,3\n" + "0,1\n1,0\n" * 6


def test_benchpress_arities_count(tmp_path: Path) -> None:
    """The second row declares 2 and 3 states; code 2 of b does not occur."""
    for options in ({}, {"arities_row": True}):
        data = Dataset.read(write(tmp_path, BENCHPRESS), **options)
        assert data.names == ("a", "b")
        assert data.states == (("0", "1"), ("0", "1", "2"))
        assert data.codes.tolist() == [[0, 1] * 6, [1, 0] * 6]


def test_plain_csv_is_not_taken_for_benchpress(tmp_path: Path) -> None:
    """Few rows, one column, a first row that is not the largest everywhere, or False: all rows are data."""
    assert Dataset.read(write(tmp_path, BENCHPRESS), arities_row=False).n_rows == 13
    assert Dataset.read(write(tmp_path, "a,b\n2,3\n0,1\n1,0\n")).n_rows == 3
    assert Dataset.read(write(tmp_path, "a\n2\n" + "0\n1\n" * 6)).n_rows == 13
    assert Dataset.read(write(tmp_path, BENCHPRESS + "2,0\n")).n_rows == 14
    assert Dataset.read(write(tmp_path, BENCHPRESS + "1,x\n")).n_rows == 14
    assert Dataset.read(write(tmp_path, BENCHPRESS.removeprefix("a,b\n")), header=False).n_rows == 13


def test_numbers_beyond_every_arity(tmp_path: Path) -> None:
    """A number with too many digits for Python's int() is text, not an arity."""
    huge = "9" * 5_000
    data = Dataset.read(write(tmp_path, f"a,b\n{huge},3\n" + "0,1\n1,0\n" * 6))
    assert data.states == (("0", "1", huge), ("0", "1", "3"))


def test_dat_files_have_names_and_arities(tmp_path: Path) -> None:
    """Any number of blanks separates two fields; blanks at the ends of a line are ignored."""
    for text in ("a b\n2 3\n0 1\n1 0\n", " a\tb \r\n2  3\r\n 0 1 \r\n1 0\r\n\r\n"):
        data = Dataset.read(write(tmp_path, text, "table.dat"))
        assert data.names == ("a", "b")
        assert data.arities.tolist() == [2, 3]
        assert data.codes.tolist() == [[0, 1], [1, 0]]
    plain = Dataset.read(write(tmp_path, "a b\nx 3\n", "table.dat"), arities_row=False)
    assert labels(plain) == [("x", "3")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b\n2 2\n0 1\n0 2\n", "column 'b', row 2: '2' is not one of its states '0', '1'"),
        ("a b\n2 2\n0 1\n-1 1\n", "column 'a', row 2: '-1' is not one of"),
        ("a b\n2 2\n0 1\n0 red\n", "column 'b', row 2: 'red' is not one of"),
        ("a b\n2\n0 1\n", "the row of arities has 1 fields, the header 2"),
        ("a b\n2 0\n0 0\n", "column 'b': '0' in the row of arities is not a whole number from 1 to 65,535"),
        ("a b\n2 x\n0 0\n", "column 'b': 'x' in the row of arities"),
        ("a b\n2 99999\n0 0\n", "column 'b': '99999' in the row of arities"),
        ("a b\n", "the row of arities has 0 fields, the header 2"),
        ("a b\n2 2\n", "no data rows"),
        ("a b\n2 2\n0 1\n0\n", r"row 2 \(line 4\) has 1 fields"),
        ("a b\n2 2\n0 1\n0 ?\n", "column 'b', row 2: missing value"),
        (" ", "the file is empty"),
    ],
)
def test_bad_dat_files(tmp_path: Path, text: str, message: str) -> None:
    """Rows are counted after the row of arities."""
    with pytest.raises(InputError, match=message):
        Dataset.read(write(tmp_path, text, "table.dat"))


def test_gzip_and_wrong_names(tmp_path: Path) -> None:
    """A gzipped CSV file is read as the plain one; a wrong extension, a folder and a missing file raise an error."""
    data = Dataset.read(write(tmp_path, gzip.compress(b"a\n1\n2\n"), "t.CSV.GZ"))
    assert data.states == (("1", "2"),)
    for name, message in (
        ("t.xlsx", r"must end with \.csv, \.dat, \.parquet, optionally followed by \.gz"),
        ("nothing.csv", "does not exist"),
        ("folder.csv", "is a folder"),
    ):
        (tmp_path / "folder.csv").mkdir(exist_ok=True)
        with pytest.raises(InputError, match=message):
            Dataset.read(tmp_path / name)


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=4)


@given(st.data())
def test_any_text_comes_back(data: st.DataObject) -> None:
    """Rows written by Python's csv module are restored; the states are the sorted values that occur."""
    width = data.draw(st.integers(1, 4))
    row = st.tuples(*[st.one_of(CELL, st.sampled_from(["a", "b"])).map(lambda s: f"_{s}")] * width)
    rows = data.draw(st.lists(row, min_size=1, max_size=8))
    file = io.StringIO()
    quoting = csv.QUOTE_ALL if any("\r" in cell for row in rows for cell in row) else csv.QUOTE_MINIMAL
    csv.writer(file, lineterminator="\n", quoting=quoting).writerows([[f"v{i}" for i in range(width)], *rows])
    names, columns = read_text(file.getvalue().encode(), blanks=False, header=True, arities_row=None)
    table = Dataset.from_columns(names, columns)
    assert labels(table) == rows
    assert table.states == tuple(tuple(sorted({row[v] for row in rows})) for v in range(width))


@given(st.binary(max_size=60), st.booleans(), st.booleans())
def test_hostile_bytes_give_a_table_or_a_clear_error(data: bytes, blanks: bool, header: bool) -> None:
    """Arbitrary bytes raise no error except InputError."""
    try:
        names, columns = read_text(data, blanks=blanks, header=header, arities_row=None)
        Dataset.from_columns(names, columns)
    except InputError as error:
        assert "\n" not in str(error)


@given(st.lists(st.sampled_from(["1", ",", "\n", '"', "x", " ", "\r", "2.5", "NA"]), max_size=30).map("".join))
def test_hostile_text_gives_a_table_or_a_clear_error(text: str) -> None:
    """Arbitrary texts of the characters of CSV files raise no error except InputError."""
    try:
        names, columns = read_text(text.encode(), blanks=False, header=True, arities_row=None)
        Dataset.from_columns(names, columns)
    except InputError as error:
        assert "\n" not in str(error)


def test_public_binary_tables(shared_data: Path) -> None:
    """The DEBD tables have no header; nltcs.valid has 16 binary columns and 2,157 rows."""
    data = Dataset.read(shared_data / "debd" / "nltcs.valid.csv.gz", header=False)
    assert (data.n_variables, data.n_rows) == (16, 2_157)
    raw = gzip.decompress((shared_data / "debd" / "nltcs.valid.csv.gz").read_bytes()).decode()
    expected = np.array([line.split(",") for line in raw.split()], dtype=int)
    assert np.array_equal(data.codes, expected.T)


def test_quotes_distinguish_states_from_missing_values(tmp_path):
    """In quotes, NA is a state; without quotes, or empty, a field is missing; doubled quotes are part of a text."""
    path = tmp_path / "a.csv"
    path.write_text('a,b\nx,"NA"\ny,"z,""NA"","\n"?",u\n')
    data = Dataset.read(path)
    assert data.states == (("?", "x", "y"), ("NA", "u", 'z,"NA",'))
    path.write_text('a,b\nx,"NA"\ny,NA\n')
    with pytest.raises(InputError, match="column 'b', row 2: missing value"):
        Dataset.read(path)
    path.write_text('a,b\nx,u\ny,""\n')
    with pytest.raises(InputError, match="column 'b', row 2: missing value"):
        Dataset.read(path)
