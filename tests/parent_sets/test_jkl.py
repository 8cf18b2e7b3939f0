"""Score files: what is read, and what is refused, with its line."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.parent_sets.jkl import read_rows, read_scores
from bnsearch.parent_sets.table import ParentSets
from strategies import examples

SAMPLE = "3\n0 2\n-1.5 2 1 2\n-10 0\n1 1\n-20.25 0\n2 3\n-2 1 0\n-3 1 1\n-30 0\n"
EXPECTED = [[(-1.5, (1, 2)), (-10.0, ())], [(-20.25, ())], [(-2.0, (0,)), (-3.0, (1,)), (-30.0, ())]]
NAMED = "3\nage 2\n-1.5 2 7 sex\n-10 0\n7 1\n-20.25 0\nsex 3\n-2 1 age\n-3 1 7\n-30 0\n"

Write = Callable[[str | bytes], Path]


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
def test_reads(text: str, score_file: Write) -> None:
    """However the same scores are written, they give the same table."""
    table = read_scores(score_file(text))
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


def test_rows_are_the_file_as_it_is(score_file: Write) -> None:
    """Rows keep the order of the file, repeated and dominated sets, and the order of parents."""
    rows = read_rows(score_file("2\n1 3\n-9 1 0\n-2 0\n-9 1 0\n0 1\n1e2 0\n"))
    assert rows.child.tolist() == [1, 1, 1, 0]
    assert rows.scores.tolist() == [-9, -2, -9, 100]
    assert rows.first.tolist() == [0, 1, 1, 2, 2]
    assert rows.members.tolist() == [0, 0]
    assert read_scores(score_file("2\n1 3\n-9 1 0\n-2 0\n-9 1 0\n0 1\n1e2 0\n")).n_sets == 2


def test_names_for_variables(score_file: Write) -> None:
    """A file may name the variables, and one of the names may be a number: here 7 is the second variable."""
    table = read_scores(score_file("# GOBNILP\n\n" + NAMED.replace("\n", "\r\n")))
    assert table.names == ("age", "7", "sex")
    assert sets_of(table) == EXPECTED


def test_names_in_a_comment(score_file: Write) -> None:
    """The names are found in their comment, in front or behind; any other comment is none of ours."""
    line = '# names: ["age", "s e\\"x", "\\u00e9,\\n#"]\n'
    for text in (line + SAMPLE, SAMPLE + line, SAMPLE + line.rstrip(), SAMPLE.replace("1 1\n", line + "1 1\n", 1)):
        assert read_scores(score_file(text)).names == ("age", 's e"x', "\u00e9,\n#")
    for text in ("# name: [3]\n" + SAMPLE, SAMPLE.replace("1 1\n", "1 1 # names: []\n", 1), "  # names: []\n" + SAMPLE):
        assert read_scores(score_file(text)).names == ("0", "1", "2")


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
def test_refuses(old: str, new: str, line: int, message: str, score_file: Write) -> None:
    """A wrong file is refused with its name, the line and what is wrong there."""
    assert old in SAMPLE
    path = score_file(SAMPLE.replace(old, new, 1))
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
def test_refuses_with_names(old: str, new: str, line: int, message: str, score_file: Write) -> None:
    """So is a file that names its variables, in the words of the file."""
    assert old in NAMED
    path = score_file(NAMED.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_scores(path)
    assert str(caught.value).startswith(f"{path}, line {line}: ")
    assert message in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# nothing\n", b"\xef\xbb\xbf"])
def test_refuses_nothing(content: bytes, score_file: Write) -> None:
    """A file without any scores says so."""
    with pytest.raises(InputError, match="holds no scores"):
        read_scores(score_file(content))


def test_refuses_names_that_are_not_text(score_file: Write) -> None:
    """A name in another encoding than UTF-8 is refused with its line."""
    with pytest.raises(InputError, match="line 2: a variable's name is not UTF-8 text"):
        read_scores(score_file("1\n\xe9t\xe9 1\n-1 0\n".encode("latin-1")))


def test_missing_file(tmp_path: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(InputError, match=r"none.jkl does not exist"):
        read_scores(tmp_path / "none.jkl")


def survives(content: bytes, score_file: Write) -> bool:
    """Read a file; False where it was refused, in one short line that names it."""
    path = score_file(content)
    try:
        read_scores(path, threads=1)
    except InputError as error:
        assert str(error).startswith(str(path))
        assert "\n" not in str(error)
        assert len(str(error)) < 400
        return False
    return True


@pytest.mark.parametrize("text", [SAMPLE, NAMED])
def test_cut_files(text: str, score_file: Write) -> None:
    """A file cut anywhere is refused."""
    assert survives(text.encode(), score_file)
    for end in range(len(text) - 1):
        assert not survives(text[:end].encode(), score_file)


@examples(300)
@given(text=st.sampled_from([SAMPLE, NAMED]), data=st.data())
def test_damaged_files(text: str, data: st.DataObject, score_file: Write) -> None:
    """A file with any part replaced is read or refused."""
    piece = st.one_of(
        st.binary(max_size=6),
        st.text(alphabet="0123456789 \n-.e#", max_size=12).map(str.encode),
        st.sampled_from([b"9" * 18, b"9" * 30, b"1e400", b"nan", b"\n" * 50, b" ", b"# names: ", b"\x1f\x8b", b"\0"]),
    )
    content = text.encode()
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        content = content[:start] + data.draw(piece) + content[start + data.draw(st.integers(0, 8)) :]
    survives(content, score_file)


def test_knowledge_decides_what_is_dropped(score_file):
    """With b -> a required, a's set {b} stays though the empty set scores more; {b, c} goes: {b} alone is better."""
    path = score_file("3\na 4\n-5 0\n-6 1 b\n-7 2 b c\n-1 1 c\nb 2\n-4 0\n-2 1 c\nc 1\n-3 0\n")
    known = Knowledge(required=[("b", "a")], forbidden=[("c", "b")])
    table = read_scores(path, knowledge=known)
    rows = [[parents for _, parents in table.sets(v)] for v in range(3)]
    assert rows == [[(1,), ()], [()], [()]]
    # What can be made up for is 0, each variable having one legal set; the margin is 1: -6 - 0 - 1.
    assert table.scores.tolist() == [-6.0, -7.0, -4.0, -3.0]
    assert [parents for _, parents in read_scores(path).sets(0)] == [(2,), ()]


def test_a_file_without_the_required_parents_is_refused(score_file):
    """No set of b holds a."""
    path = score_file("2\na 1\n-5 0\nb 1\n-4 0\n")
    with pytest.raises(InputError, match="no candidate set of 'b' holds its required parents 'a'"):
        read_scores(path, knowledge=Knowledge(required=[("a", "b")]))
