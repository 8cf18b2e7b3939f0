"""Score files: what is read, what is written, and what is refused, with its line."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.parent_sets import jkl
from bnsearch.parent_sets.jkl import read_rows, read_scores, write_scores
from bnsearch.parent_sets.table import ParentSets

SAMPLE = "3\n0 2\n-1.5 2 1 2\n-10 0\n1 1\n-20.25 0\n2 3\n-2 1 0\n-3 1 1\n-30 0\n"
EXPECTED = [[(-1.5, (1, 2)), (-10.0, ())], [(-20.25, ())], [(-2.0, (0,)), (-3.0, (1,)), (-30.0, ())]]
NAMED = "3\nage 2\n-1.5 2 7 sex\n-10 0\n7 1\n-20.25 0\nsex 3\n-2 1 age\n-3 1 7\n-30 0\n"

Write = Callable[[str | bytes], Path]


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Write:
    """Return a function that puts text into a file, always the same one."""
    path = tmp_path_factory.mktemp("scores") / "some.jkl"

    def write(content: str | bytes) -> Path:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def sets_of(table: ParentSets) -> list[list[tuple[float, tuple[int, ...]]]]:
    """Return all candidates of all variables."""
    return [list(table.sets(v)) for v in range(table.n_variables)]


@pytest.mark.parametrize(
    "text",
    [
        SAMPLE,
        SAMPLE.rstrip(),
        "\ufeff" + SAMPLE,
        SAMPLE.replace("\n", "\r\n"),
        SAMPLE.replace("\n", " \t\n"),
        SAMPLE.replace(" ", " \t  "),
        "# a\n\n  # b 1 2\n" + SAMPLE.replace("\n", "\n\n#\n") + "\n# end",
        SAMPLE.replace("\n", " # names: 1 2\n"),
        "3\n2 3\n-3 1 1\n-2 1 0\n-30 0\n0 2\n-10 0\n-1.5 2 2 1\n1 1\n-20.25 0\n",
        SAMPLE.replace("2 3\n", "2 6\n-33 0\n-2.5 1 0\n-3 1 1\n"),
        SAMPLE.replace("0 2\n", "0 3\n-10.5 1 1\n"),
        SAMPLE.replace("-20.25", "-2025e-2").replace("-10", "-00010.").replace("-1.5", "-.15E+1"),
        SAMPLE.replace("-20.25", "-20.2500000000000000000000000").replace("-30", "-30.0"),
    ],
    ids=[
        "plain", "no last line end", "byte-order mark", "CRLF", "blanks at the end", "many blanks", "comments",
        "comments behind", "any order", "listed twice", "dominated", "exponents", "many digits",
    ],
)  # fmt: skip
def test_reads(text: str, file: Write) -> None:
    """However the same scores are written, they give the same table."""
    table = read_scores(file(text))
    assert sets_of(table) == EXPECTED
    assert table.names == ("0", "1", "2")


def test_reads_gzip_by_name_and_by_content(tmp_path: Path) -> None:
    """A gzipped file is unpacked whatever its name, and half of one is refused."""
    packed = gzip.compress(SAMPLE.encode())
    for name in ("a.jkl.gz", "a.scores", "a"):
        (tmp_path / name).write_bytes(packed)
        assert sets_of(read_scores(tmp_path / name)) == EXPECTED
    (tmp_path / "half.jkl.gz").write_bytes(packed[:-9])
    with pytest.raises(InputError, match=r"half.jkl.gz is not a whole gzip file"):
        read_scores(tmp_path / "half.jkl.gz")


def test_rows_are_the_file_as_it_is(file: Write) -> None:
    """Rows keep the order of the file, repeated and dominated sets, and the order of parents."""
    rows = read_rows(file("2\n1 3\n-9 1 0\n-2 0\n-9 1 0\n0 1\n1e2 0\n"))
    assert rows.child.tolist() == [1, 1, 1, 0]
    assert rows.scores.tolist() == [-9, -2, -9, 100]
    assert rows.first.tolist() == [0, 1, 1, 2, 2]
    assert rows.members.tolist() == [0, 0]
    assert read_scores(file("2\n1 3\n-9 1 0\n-2 0\n-9 1 0\n0 1\n1e2 0\n")).n_sets == 2


def test_names_for_variables(file: Write) -> None:
    """A file may name the variables, and one of the names may be a number: here 7 is the second variable."""
    table = read_scores(file("# GOBNILP\n\n" + NAMED.replace("\n", "\r\n")))
    assert table.names == ("age", "7", "sex")
    assert sets_of(table) == EXPECTED


def test_names_in_a_comment(file: Write) -> None:
    """The names are found in their comment, in front or behind; any other comment is none of ours."""
    line = '# names: ["age", "s e\\"x", "\\u00e9,\\n#"]\n'
    for text in (line + SAMPLE, SAMPLE + line, SAMPLE + line.rstrip(), SAMPLE.replace("1 1\n", line + "1 1\n", 1)):
        assert read_scores(file(text)).names == ("age", 's e"x', "\u00e9,\n#")
    for text in ("# name: [3]\n" + SAMPLE, SAMPLE.replace("1 1\n", "1 1 # names: []\n", 1), "  # names: []\n" + SAMPLE):
        assert read_scores(file(text)).names == ("0", "1", "2")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("3\n", "4\n", 11, "the file ends after 3 of 4 variables"),
        ("3\n", "2\n", 3, "parent '2' is not a variable of this file"),
        ("3\n", "0\n", 1, "begins with the number of variables, not '0'"),
        ("3\n", "-3\n", 1, "begins with the number of variables, not '-3'"),
        ("3\n", "3 4\n", 1, "begins with the number of variables"),
        ("3\n", "x\n", 1, "begins with the number of variables, not 'x'"),
        ("3\n", "123456789012345678\n", 1, "the file is too short"),
        ("3\n", "12345678901234567890\n", 1, "begins with the number of variables"),
        ("3\n", "", 1, "begins with the number of variables, not '0'"),
        ("0 2\n", "0 1\n", 4, "expected `variable count`, found a line that begins with '-10'"),
        ("0 2\n", "0 3\n", 5, "the set's size, '1', is not the number of parents that follow"),
        ("0 2\n", "0 -2\n", 2, "expected `variable count`"),
        ("0 2\n", "0 2.0\n", 2, "expected `variable count`"),
        ("0 2\n", "0\n", 2, "expected `variable count`"),
        ("0 2\n", "0 2 2\n", 2, "expected `variable count`"),
        ("0 2\n", "3 2\n", 2, "variable '3' is not one of 0 to 2"),
        ("0 2\n", "-1 2\n", 2, "expected `variable count`"),
        ("2 3\n", "1 3\n", 7, "variable '1' comes twice"),
        ("2 3\n", "2 999999999999999999\n", 7, "the file ends before all sets that are announced for variable '2'"),
        ("-1.5 2 1 2", "-1.5 3 1 2", 3, "the set's size, '3',"),
        ("-1.5 2 1 2", "-1.5 1 1 2", 3, "the set's size, '1',"),
        ("-1.5 2 1 2", "-1.5 -2 1 2", 3, "the set's size, '-2',"),
        ("-1.5 2 1 2", "-1.5", 3, "the set's size, '',"),
        ("-1.5 2 1 2", "-1.5 2 1 3", 3, "parent '3' is not a variable"),
        ("-1.5 2 1 2", "-1.5 2 1 -1", 3, "parent '-1' is not a variable"),
        ("-1.5 2 1 2", "-1.5 2 1 1.0", 3, "parent '1.0' is not a variable"),
        ("-1.5 2 1 2", "-1.5 2 1 x", 3, "parent 'x' is not a variable"),
        ("-1.5 2 1 2", "-1.5 2 1 18446744073709551616", 3, "parent '18446744073709551616' is not a variable"),
        ("-1.5 2 1 2", "-1.5 2 1 1", 3, "parent '1' comes twice in one set"),
        ("-1.5 2 1 2", "-1.5 2 1 0", 3, "variable '0' is its own parent"),
        ("-1.5", "nan", 3, "expected a score, a finite number, found 'nan'"),
        ("-1.5", "-inf", 3, "expected a score, a finite number, found '-inf'"),
        ("-1.5", "-1_5", 3, "expected a score"),
        ("-1.5", "1.5.2", 3, "expected a score"),
        ("-1.5", "--1", 3, "expected a score"),
        ("-1.5", "1e", 3, "expected a score"),
        ("-1.5", "1e+", 3, "expected a score"),
        ("-1.5", ".", 3, "expected a score"),
        ("-1.5", "0x10", 3, "expected a score"),
        ("-1.5", "-1e999", 3, "the score '-1e999' is too large"),
        ("-1.5", "x" * 99, 3, "found '" + "x" * 37 + "...'"),
        ("-20.25 0\n", "-20.25 1 0\n", 5, "variable '1' lacks the score of its empty parent set"),
        ("1 1\n-20.25 0\n", "1 0\n", 5, "variable '1' lacks the score of its empty parent set"),
        ("-30 0\n", "-30 0\n-31 0\n", 11, "found '-31' after the last of 3 variables"),
        ("-30 0\n", "-30 0\n\0\0\0", 11, "found '\\x00\\x00\\x00' after"),
        ("-30 0\n", "", 7, "the file ends before all sets"),
        ("-30 0\n", "-30 0\n# names: [1, 2, 3]\n", 11, "the names must be a JSON list of 3 different names"),
        ("-30 0\n", '-30 0\n# names: ["a", "b"]\n', 11, "the names must be"),
        ("-30 0\n", '-30 0\n# names: ["a", "b", "a"]\n', 11, "the names must be"),
        ("-30 0\n", '-30 0\n# names: ["a", "b", "\\ud800"]\n', 11, "the names must be"),
        ("-30 0\n", '-30 0\n# names: ["a", "b", "c"\n', 11, "the names must be"),
        ("-30 0\n", "-30 0\n# names: 7", 11, "the names must be"),
        ("-30 0\n", "-30 0\n# names: " + 100_000 * "[", 11, "the names must be"),
    ],
)  # fmt: skip
def test_refuses(old: str, new: str, line: int, message: str, file: Write) -> None:
    """A wrong file is refused with its name, the line and what is wrong there."""
    assert old in SAMPLE
    path = file(SAMPLE.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_scores(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("3\n", "4\n", 11, "the file ends after 3 of 4 variables"),
        ("age 2\n", "age 1\n", 4, "expected `variable count`, found a line that begins with '-10'"),
        ("age 2\n", "age 3\n", 6, "expected `variable count`, found a line that begins with '-20.25'"),
        ("sex 3\n", "age 3\n", 7, "variable 'age' comes twice"),
        ("sex 3\n", "sex 4\n", 7, "the file ends before all sets that are announced for variable 'sex'"),
        ("sex 3\n", "sex x\n", 7, "expected `variable count`, found a line that begins with 'sex'"),
        ("1 age", "1 Age", 8, "parent 'Age' is not a variable"),
        ("1 age", "1 0", 8, "parent '+0' is not a variable"),
        ("1 age", "1 sex", 8, "variable 'sex' is its own parent"),
        ("2 7 sex", "2 sex sex", 3, "parent 'sex' comes twice"),
        ("-30 0\n", "", 7, "the file ends before all sets that are announced for variable 'sex'"),
        ("-30 0\n", "x 0\n", 10, "expected a score"),
        ("-30 0\n", "-30 1 7\n", 7, "variable 'sex' lacks the score of its empty parent set"),
    ],
)
def test_refuses_with_names(old: str, new: str, line: int, message: str, file: Write) -> None:
    """So is a file that names its variables, in the words of the file."""
    assert old in NAMED
    path = file(NAMED.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_scores(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# nothing\n", b"\xef\xbb\xbf"])
def test_refuses_nothing(content: bytes, file: Write) -> None:
    """A file without any scores says so."""
    with pytest.raises(InputError, match="holds no scores"):
        read_scores(file(content))


def test_refuses_names_that_are_not_text(file: Write) -> None:
    """A name in another encoding than UTF-8 is refused with its line."""
    with pytest.raises(InputError, match="line 2: a variable's name is not UTF-8 text"):
        read_scores(file("1\n\xe9t\xe9 1\n-1 0\n".encode("latin-1")))


def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(InputError, match=r"none.jkl does not exist"):
        read_scores(tmp_path / "none.jkl")


def survives(content: bytes, file: Write) -> bool:
    """Read a file; False where it was refused, in one short line that names it."""
    path = file(content)
    try:
        read_scores(path, threads=1)
    except InputError as error:
        assert str(error).startswith(str(path))
        assert "\n" not in str(error)
        assert len(str(error)) < 400
        return False
    return True


@pytest.mark.parametrize("text", [SAMPLE, NAMED])
def test_cut_files(text: str, file: Write) -> None:
    """A file cut anywhere is refused."""
    assert survives(text.encode(), file)
    for end in range(len(text) - 1):
        assert not survives(text[:end].encode(), file)


@settings(max_examples=300)
@given(text=st.sampled_from([SAMPLE, NAMED]), data=st.data())
def test_damaged_files(text: str, data: st.DataObject, file: Write) -> None:
    """Whatever is put in the place of a part of a file, it reads or is refused."""
    piece = st.one_of(
        st.binary(max_size=6),
        st.text(alphabet="0123456789 \n-.e#", max_size=12).map(str.encode),
        st.sampled_from([b"9" * 18, b"9" * 30, b"1e400", b"nan", b"\n" * 50, b" ", b"# names: ", b"\x1f\x8b", b"\0"]),
    )
    content = text.encode()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        content = content[:start] + data.draw(piece) + content[start + data.draw(st.integers(0, 8)) :]
    survives(content, file)


number = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e6, 1e6).map(repr),
    st.tuples(st.floats(-1e5, 1e5), st.integers(0, 16)).map(lambda x: f"{x[0]:.{x[1]}f}"),
    st.from_regex(r"[+-]?([0-9]{1,20}(\.[0-9]{0,20})?|\.[0-9]{1,20})([eE][+-]?[0-9]{1,2})?", fullmatch=True),
    st.tuples(st.integers(2**53, 10**18), st.integers(0, 18)).map(lambda x: f"{Decimal(-x[0]).scaleb(-x[1]):f}"),
    st.integers(2**52, 2**59).map(lambda x: str(2 * x + 1)),  # between two floats, and near it
)  # fmt: skip


@given(tokens=st.lists(number, min_size=1, max_size=20))
def test_scores_are_the_nearest_floats(tokens: list[str], file: Write) -> None:
    """A number of any length and form reads as Python reads it, to the last bit."""
    rows = read_rows(file(f"1\n0 {len(tokens)}\n" + "".join(f"{token} 0\n" for token in tokens)))
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
        patch.setattr(jkl, "CHUNK", chunk)
        write_scores(table, path)
    assert path.read_bytes().startswith(b"\x1f\x8b") == name.endswith(".gz")
    again = read_scores(path)
    assert again.names == table.names
    for attribute in ("begin", "scores", "first", "members"):
        assert getattr(again, attribute).tobytes() == getattr(table, attribute).tobytes()


def test_written_file(file: Write, tmp_path: Path) -> None:
    """The names come behind all the scores, where a reader that knows no comments has stopped."""
    names = '# names: ["age", "\\u00e9"]\n'
    text = "2\n0 2\n-1.5 1 1\n-10.0 0\n1 1\n-0.1 0\n"
    write_scores(read_scores(file(names + text)), tmp_path / "out.jkl")
    assert (tmp_path / "out.jkl").read_text() == text + names
    write_scores(read_scores(file(text)), tmp_path / "out.jkl")
    assert (tmp_path / "out.jkl").read_text() == text
    assert list(tmp_path.iterdir()) == [tmp_path / "out.jkl"]


def test_same_table_same_gzip_file(file: Write, tmp_path: Path) -> None:
    """Two gzipped files of one table are equal byte by byte, whatever their names."""
    table = read_scores(file(SAMPLE))
    for name in ("a.gz", "b.gz"):
        write_scores(table, tmp_path / name)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_cannot_write(file: Write, tmp_path: Path) -> None:
    """A folder that is not there is named; nothing is left behind."""
    with pytest.raises(InputError, match=r"the folder .*none does not exist"):
        write_scores(read_scores(file(SAMPLE)), tmp_path / "none" / "x.jkl")
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
