"""Cut the text of a BIF or Hugin file into coarse tokens, in one pass and linear time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from bnsearch._tools.wording import shown
from bnsearch.errors import InputError
from bnsearch.networks.formats.source import Source


class Token(NamedTuple):
    """
    A piece of a file.

    kind : a mark is its own kind; "quoted" is a quoted text, quotes removed; "run" is everything up to the
        next mark, quote or comment: one or more words (a row of numbers is a single run, which is what
        makes large tables fast); "end" comes last
    text : what stands there
    start : its position in the file's text
    """

    kind: str
    text: str
    start: int


QUOTED = r'"[^"\\]*+(?:\\[\s\S][^"\\]*+)*+"'


def token_pattern(marks: str, comment: str, run: str) -> re.Pattern[str]:
    """Return the pattern of a language's tokens from its marks and the patterns of a comment and a run."""
    return re.compile(
        rf"(?P<skip>\s++|{comment})|(?P<quoted>{QUOTED})|(?P<mark>[{re.escape(marks)}])|(?P<run>{run})"
        r"|(?P<bad>[\s\S])"
    )


def quote(text: str) -> str:
    """Return the text between double quotes; a quote or a backslash in it gets a backslash."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquote(text: str) -> str:
    """Undo `quote`; any other backslash stands for itself."""
    return re.sub(r'\\(["\\])', r"\1", text[1:-1])


class Tokens:
    """The tokens of a file, taken one after the other; `position` may be kept and set back."""

    def __init__(self, source: Source, pattern: re.Pattern[str]) -> None:
        self.source = source
        self.position = 0
        self._tokens = _tokenize(source, pattern)

    @property
    def next(self) -> Token:
        """The token that `take` would return."""
        return self._tokens[self.position]

    def take(self) -> Token:
        """Return the next token and step over it; the end stays the end."""
        token = self._tokens[self.position]
        if token.kind != "end":
            self.position += 1
        return token

    def expect(self, kind: str, place: str) -> Token:
        """Take a token of this kind or complain about what stands there instead."""
        token = self.take()
        if token.kind != kind:
            raise self.unexpected(token, place, f"'{kind}'")
        return token

    def take_until(self, kind: str, place: str) -> list[Token]:
        """Take runs and quoted texts up to a mark, and the mark itself."""
        taken = []
        while (token := self.take()).kind != kind:
            if token.kind not in {"run", "quoted"}:
                raise self.unexpected(token, place, f"'{kind}'")
            taken.append(token)
        return taken

    def take_family(self, place: str) -> tuple[list[Token], list[Token]]:
        """Take `( X | A, B )`: the tokens before the bar and those after it; there may be no bar."""
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
        """Take everything up to and including a mark."""
        while (token := self.take()).kind != kind:
            if token.kind == "end":
                raise self.unexpected(token, place, f"'{kind}'")

    def unexpected(self, token: Token, place: str, wanted: str) -> InputError:
        """Return the error for a token that should not be there."""
        if token.kind == "end":
            return self.source.error(f"the file ends in {place}; expected {wanted}", token.start)
        return self.source.error(f"{shown(token.text.strip())} in {place}; expected {wanted}", token.start)


def _tokenize(source: Source, pattern: re.Pattern[str]) -> list[Token]:
    """Return the file's tokens, the end included."""
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
        else:  # stop at once: scanning for the end of every open comment would be quadratic
            what = "quoted text" if text == '"' else "comment"
            raise source.error(f"a {what} is opened here and never closed", start)
    tokens.append(Token("end", "", len(source.text)))
    return tokens


def split_first_word(token: Token) -> tuple[str, Token]:
    """Part a run in its first word and the rest; anything else has no first word."""
    if token.kind != "run":
        return "", token
    word, *rest = token.text.split(maxsplit=1)
    text = "".join(rest)
    return word, Token("run", text, token.start + len(token.text) - len(text))


def group_words(tokens: Iterable[Token]) -> list[list[str]]:
    """Return the words of a list, grouped by the commas between them; a quoted text is one word."""
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
    """Return the `count` names in a list apart by commas, or by blanks; None where neither gives as many."""
    if str(len(groups)) == count:
        return [" ".join(group) for group in groups]
    words = [word for group in groups for word in group]
    return words if str(len(words)) == count else None
