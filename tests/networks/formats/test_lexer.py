"""Tokens of BIF and NET files."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.networks.formats.lexer import (
    Token,
    TokenStream,
    group_words,
    quote,
    split_first_word,
    split_names,
    token_pattern,
    unquote,
)
from bnsearch.networks.formats.source import Source

PATTERN = token_pattern("{};", comment=r"#[^\n]*+", run=r'[^{};"#]++')


def test_tokens_and_their_places() -> None:
    """Runs, quoted texts and marks, with comments and leading blanks left out."""
    tokens = TokenStream(Source("f", ' one 2{"th\\"ree" # four\n five;'), PATTERN)
    assert [tokens.take() for _ in range(7)] == [
        Token("run", "one 2", 1),
        Token("{", "{", 6),
        Token("quoted", 'th"ree', 7),
        Token("run", "five", 25),
        Token(";", ";", 29),
        Token("end", "", 30),
        Token("end", "", 30),
    ]


@given(st.text())
def test_quote_and_back(text: str) -> None:
    """Any quoted text is restored as a single token."""
    assert unquote(quote(text)) == text
    assert TokenStream(Source("f", quote(text)), PATTERN).take() == Token("quoted", text, 0)


def test_other_backslashes_stay() -> None:
    r"""A path such as "C:\net" keeps its backslash."""
    assert unquote(r'"C:\net"') == r"C:\net"


def test_first_word() -> None:
    """The rest has its own position; a mark has no first word."""
    assert split_first_word(Token("run", "table  0.1, 0.9 ", 10)) == ("table", Token("run", "0.1, 0.9 ", 17))
    assert split_first_word(Token("run", "table", 10)) == ("table", Token("run", "", 15))
    assert split_first_word(Token("{", "{", 10)) == ("", Token("{", "{", 10))


@pytest.mark.parametrize(
    ("count", "names"), [("2", ["a b", "c d"]), ("4", ["a", "b", "c", "d"]), ("3", None), ("10" * 9, None)]
)
def test_lists_by_commas_or_blanks(count: str, names: list[str] | None) -> None:
    """`a b, "c" d,` is two names or four, depending on the count."""
    groups = group_words([Token("run", "a b, ", 0), Token("quoted", "c", 5), Token("run", "d,", 8)])
    assert split_names(groups, count) == names
