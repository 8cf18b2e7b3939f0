"""Tokens of BIF and Hugin files, found in one pass and linear time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from bnsearch._tools.wording import shown
from bnsearch.errors import InputError
from bnsearch.networks.formats.source import Source


class Token(NamedTuple):
    """
    A token of a file.

    kind : the mark itself for a mark; "quoted" for a quoted text, without the quotes; "run" for all words up to the
        next mark, quote or comment (a row of numbers is one run, so large tables are read fast); "end" at the end
    text : text of the token
    start : position in the text of the file
    """

    kind: str
    text: str
    start: int


QUOTED = r'"[^"\\]*+(?:\\[\s\S][^"\\]*+)*+"'


def token_pattern(marks: str, comment: str, run: str) -> re.Pattern[str]:
    """Return the pattern of the tokens of a language, given its marks and the patterns of comments and runs."""
    return re.compile(
        rf"(?P<skip>\s++|{comment})|(?P<quoted>{QUOTED})|(?P<mark>[{re.escape(marks)}])|(?P<run>{run})"
        r"|(?P<bad>[\s\S])"
    )


def quote(text: str) -> str:
    """Return the text in double quotes, with a backslash before quotes and backslashes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquote(text: str) -> str:
    """Return the text without quotes and escapes, the inverse of `quote`; other backslashes are kept."""
    return re.sub(r'\\(["\\])', r"\1", text[1:-1])


class TokenStream:
    """The sequence of tokens of a file; setting `position` moves to an earlier token."""

    def __init__(self, source: Source, pattern: re.Pattern[str]) -> None:
        self.source = source
        self.position = 0
        self._tokens = _tokenize(source, pattern)

    @property
    def next(self) -> Token:
        """The next token, which is not taken."""
        return self._tokens[self.position]

    def take(self) -> Token:
        """Return the next token and move past it; at the end, return the end token again."""
        token = self._tokens[self.position]
        if token.kind != "end":
            self.position += 1
        return token

    def expect(self, kind: str, place: str) -> Token:
        """Return the next token and move past it; raise an InputError if it has another kind."""
        token = self.take()
        if token.kind != kind:
            raise self.unexpected(token, place, f"'{kind}'")
        return token

    def take_until(self, kind: str, place: str) -> list[Token]:
        """Return the runs and quoted texts up to a mark, and move past the mark."""
        taken = []
        while (token := self.take()).kind != kind:
            if token.kind not in {"run", "quoted"}:
                raise self.unexpected(token, place, f"'{kind}'")
            taken.append(token)
        return taken

    def take_family(self, place: str) -> tuple[list[Token], list[Token]]:
        """Read `( X | A, B )` and return the tokens before and after the bar, which is optional."""
        self.expect("(", place)
        before: list[Token] = []
        after: list[Token] = []
        part = before
        while (token := self.take()).kind != ")":
            if token.kind == "|" and part is before:
                part = after
            elif token.kind in {"run", "quoted"}:
                part.append(token)
            else:
                raise self.unexpected(token, place, "')'")
        return before, after

    def skip_past(self, kind: str, place: str) -> None:
        """Move past the next mark of this kind."""
        while (token := self.take()).kind != kind:
            if token.kind == "end":
                raise self.unexpected(token, place, f"'{kind}'")

    def unexpected(self, token: Token, place: str, wanted: str) -> InputError:
        """Return the error for an unexpected token."""
        if token.kind == "end":
            return self.source.error(f"the file ends in {place}; expected {wanted}", token.start)
        return self.source.error(f"{shown(token.text.strip())} in {place}; expected {wanted}", token.start)


def _tokenize(source: Source, pattern: re.Pattern[str]) -> list[Token]:
    """Return the tokens of the file, including the end."""
    tokens = []
    for match in pattern.finditer(source.text):
        kind = match.lastgroup
        if kind == "skip":
            continue
        text, start = match.group(), match.start()
        if kind == "run":
            tokens.append(Token("run", text, start))
        elif kind == "mark":
            tokens.append(Token(text, text, start))
        elif kind == "quoted":
            tokens.append(Token("quoted", unquote(text), start))
        else:  # stop here: searching for the end of every open comment would take quadratic time
            what = "quoted text" if text == '"' else "comment"
            raise source.error(f"a {what} starts here and is never closed", start)
    tokens.append(Token("end", "", len(source.text)))
    return tokens


def split_first_word(token: Token) -> tuple[str, Token]:
    """Return the first word and the rest of a run; the first word of other tokens is empty."""
    if token.kind != "run":
        return "", token
    word, *rest = token.text.split(maxsplit=1)
    text = "".join(rest)
    return word, Token("run", text, token.start + len(token.text) - len(text))


def group_words(tokens: Iterable[Token]) -> list[list[str]]:
    """Return the words of a list in groups separated by commas; a quoted text is one word."""
    groups: list[list[str]] = [[]]
    for token in tokens:
        if token.kind == "quoted":
            groups[-1].append(token.text)
        else:
            first, *others = token.text.split(",")
            groups[-1] += first.split()
            groups += [other.split() for other in others]
    return [group for group in groups if group]


def split_names(groups: list[list[str]], count: str) -> list[str] | None:
    """Return `count` names separated by commas or by blanks, or None if neither produces this number."""
    if str(len(groups)) == count:
        return [" ".join(group) for group in groups]
    words = [word for group in groups for word in group]
    return words if str(len(words)) == count else None
