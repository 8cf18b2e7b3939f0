"""How an error shows what was handed in."""

from __future__ import annotations

from bnsearch._tools.wording import listed, shown


def test_texts_are_quoted_and_cut() -> None:
    """A text stands on one line and is at most 60 characters long, the dots included."""
    assert shown("a\nb") == "'a\\nb'"
    assert shown("x" * 60) == repr("x" * 60)
    assert shown("x" * 61) == repr("x" * 57 + "...")


def test_lists_end_after_five() -> None:
    """Five texts are shown; dots stand for the others. Any iterable will do, and long texts are cut."""
    assert listed([]) == ""
    assert listed("abcde") == "'a', 'b', 'c', 'd', 'e'"
    assert listed(iter("abcdef")) == "'a', 'b', 'c', 'd', 'e', ..."
    assert listed(["x" * 100, "y"]) == f"{shown('x' * 100)}, 'y'"
