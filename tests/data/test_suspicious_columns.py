"""Properties of a table that are legal but usually unintended."""

from __future__ import annotations

import pytest

from bnsearch.data import Dataset
from bnsearch.data.suspicious_columns import describe_suspicious_columns

CASES = {
    "nothing": ("a,b\n0,1\n1,0\n0,0\n", []),
    "a constant": ("a,b\n0,x\n1,x\n", ["column 'b' has the same value in every row"]),
    "two constants": ("a,b,c\n0,x,5\n1,x,5\n", ["each of 2 columns ('b', 'c') has the same value in every row"]),
    "an identifier": (
        "id,b\n" + "".join(f"{i},{i % 2}\n" for i in range(10)),
        ["column 'id' has a different value in every row"],
    ),
    "few rows": ("id,b\n" + "".join(f"{i},{i % 2}\n" for i in range(9)), []),
    "one value twice": ("id,b\n0,0\n" + "".join(f"{i},{i % 2}\n" for i in range(10)), []),
    "no header": ("yes,low\nno,high\nyes,low\nno,low\n", ["all column names are also values of their columns"]),
    "part of a header": ("yes,level\nno,high\nyes,low\n", []),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_odd(tmp_path, name):
    """Constant columns, identifiers and a missing header are described."""
    text, wanted = CASES[name]
    (tmp_path / "t.csv").write_text(text)
    found = list(describe_suspicious_columns(Dataset.read(tmp_path / "t.csv")))
    assert len(found) == len(wanted)
    assert all(line.startswith(start) for line, start in zip(found, wanted, strict=True))


def test_states_that_are_spelled_like_missing_values(tmp_path):
    """A quoted NA is a state, and the user is informed."""
    (tmp_path / "t.csv").write_text('a,b\n"NA",x\nu,y\n')
    (line,) = describe_suspicious_columns(Dataset.read(tmp_path / "t.csv"))
    assert line == "column 'a' has a state that is spelled like a missing value, such as NA or ?"


def test_numbered_columns_are_no_header():
    """Two columns of bits are named 0 and 1, which are also their states."""
    assert list(describe_suspicious_columns(Dataset.from_codes([[0, 0], [1, 1], [0, 1]]))) == []


def test_declared_states_need_not_occur():
    """Ten states in ten rows, of which two occur, are not an identifier."""
    assert (
        list(describe_suspicious_columns(Dataset.from_codes([[i % 2, i % 2] for i in range(10)], arities=[10, 2])))
        == []
    )
