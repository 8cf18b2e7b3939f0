"""
Files of local scores, as GOBNILP, BLIP and MINOBS exchange them (.jkl).

The first line gives the number of variables. Then comes for each variable a line `variable count` and `count` lines
`score size parent...`; higher scores are better. Variables are numbered from 0, or named.
"""

from __future__ import annotations

import json
import math
import os
import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.files import read_bytes
from bnsearch.errors import InputError
from bnsearch.knowledge.knowledge import Knowledge
from bnsearch.parent_sets.table import ParentSets

NAMES = b"# names: "  # start of the comment with the variables' names, a JSON list
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
SHORTEST_SET = 4  # bytes of the shortest line of a set, `0 0` and a line end; the same for a variable's line
NO_HEADER = "expected `variable count`, found a line that begins with {}: is the count before it right?"


class ScoreRows(NamedTuple):
    """
    The rows of a score file in its order, as `ParentSets.build` takes them.

    Attributes
    ----------
    names : the variables
    child : int32[rows], the variable of each row
    scores : float64[rows]
    first : int64[rows + 1]
    members : int32[...]; the parents of row r are `members[first[r]:first[r + 1]]`
    """

    names: tuple[str, ...]
    child: NDArray[np.int32]
    scores: NDArray[np.float64]
    first: NDArray[np.int64]
    members: NDArray[np.int32]


def read_scores(
    path: str | os.PathLike[str], *, threads: int | None = None, knowledge: Knowledge | None = None
) -> ParentSets:
    """
    Read a score file into a candidate table, without dominated sets; of a set listed twice the best score counts.

    With knowledge, the table contains only legal sets, and a set is dropped only if a legal one dominates it. Without
    knowledge, a set that contains required parents may be dropped because of one that does not.

    The file may be gzipped, list variables and sets in any order, and have blank lines and comments, which go from a
    token that starts with # to the end of the line. Variables have the names of the comment that `write_scores` makes,
    or else the names in the file, in the order of their lines.

    Parameters
    ----------
    path : str or path
        A .jkl file, which may be gzipped.
    threads : int, optional
        Number of threads; None means all cores.
    knowledge : Knowledge, optional
        Background knowledge.

    Returns
    -------
    ParentSets
        The candidate table.

    Raises
    ------
    InputError
        If the file is missing or not valid, or the knowledge names an unknown variable.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> table = bnsearch.Sequential(max_parents=1).select(data, bnsearch.BIC()).table
    >>> bnsearch.write_scores(table, "asia.jkl")
    >>> bnsearch.read_scores("asia.jkl").n_sets == table.n_sets
    True
    """
    rows = read_rows(path)
    if knowledge is None:
        return ParentSets.build(*rows, threads=threads)
    from bnsearch.parent_sets.legal import legal_table

    return legal_table(*rows, knowledge.constraints(rows.names), threads=threads)


def read_rows(path: str | os.PathLike[str]) -> ScoreRows:
    """Read a score file with all of its sets, including dominated ones."""
    return _parse(_Source(os.fspath(path), read_bytes(path).removeprefix(b"\xef\xbb\xbf")))


@dataclass(frozen=True)
class _Source:
    """A file's name and content."""

    path: str
    data: bytes

    def error(self, at: int, message: str) -> InputError:
        """Return an InputError for a position in the data."""
        return self.error_in_line(self.data.count(b"\n", 0, at) + 1, message)

    def error_in_line(self, line: int, message: str) -> InputError:
        """Return an InputError for a line of the file."""
        return InputError(f"{self.path}, line {line}: {message}")

    def token(self, at: int) -> bytes:
        """Return the token that starts at a position."""
        found = re.compile(rb"[^ \t\r\n]*").match(self.data, at)
        return found[0] if found else b""

    def shown(self, at: int) -> str:
        """Return the token at a position as error messages show it."""
        return _shown(self.token(at))


def _shown(token: bytes) -> str:
    """Return a token as error messages show it: quoted and not too long."""
    text = token.decode("utf-8", "replace")
    return repr(text if len(text) <= 40 else text[:37] + "...")


def _parse(source: _Source, names: tuple[str, ...] | None = None) -> ScoreRows:
    """Return the rows of a file; `names` are the names that were replaced by numbers."""
    from bnsearch.parent_sets import kernels_jkl as kernels

    data = np.frombuffer(source.data, dtype=np.uint8)
    n, at = _read_first_line(source, data)
    max_rows = min(source.data.count(b"\n") + 1, len(data) // SHORTEST_SET + 1)
    child, scores, long = np.empty(max_rows, np.int32), np.empty(max_rows), np.empty(max_rows, bool)
    first, members = np.zeros(max_rows + 1, np.int64), np.empty(len(data) // 2, np.int32)
    header, last_row = np.full(n, -1), np.full(n, -1)
    row = 0
    for done in range(n):
        wrong, at, row = kernels.read_variable(data, at, row, header, last_row, (child, scores, long, first, members))
        if wrong == kernels.UNNUMBERED and names is None:
            return _parse(*_numbered(source))
        if wrong:
            raise source.error(at, _explain(wrong, source, at, n, done, names))
    at = kernels.next_line(data, at)
    if at < len(data):
        raise source.error(at, f"found {source.shown(at)} after the last of {n} variables: is their number right?")
    _read_long_scores(source, scores, long[:row])
    names = names or _read_names(source, n) or tuple(map(str, range(n)))
    lacking = np.setdiff1d(np.arange(n), child[:row][np.diff(first[: row + 1]) == 0])
    if len(lacking):
        v = int(lacking[0])
        raise source.error(int(header[v]), f"variable {names[v]!r} lacks the score of its empty parent set")
    return ScoreRows(names, child[:row], scores[:row], first[: row + 1], members[: first[row]])


def _read_first_line(source: _Source, data: NDArray[np.uint8]) -> tuple[int, int]:
    """Return the number of variables and the position after it."""
    from bnsearch.parent_sets.kernels_jkl import next_line, next_token, whole_number

    start, end = next_token(data, next_line(data, 0))
    if start == end:
        raise InputError(f"{source.path} holds no scores")
    n = whole_number(data, start, end)
    extra, extra_end = next_token(data, end)
    if n < 1 or extra < extra_end:
        raise source.error(start, f"a score file begins with the number of variables, not {source.shown(start)}")
    if n * 2 * SHORTEST_SET > len(data) + 1:  # the last line need not end
        raise source.error(start, f"{n} variables are announced, but the file is too short for their scores")
    return n, extra


def _explain(wrong: int, source: _Source, at: int, n: int, done: int, names: tuple[str, ...] | None) -> str:
    """Return the message for an error at a position, after a number of variables."""
    from bnsearch.parent_sets import kernels_jkl as kernels

    token = source.shown(at)
    if names and wrong in (kernels.ENDS, kernels.AGAIN, kernels.SELF, kernels.TWICE) and at < len(source.data):
        token = repr(names[int(source.token(at))])
    if wrong == kernels.ENDS and at == len(source.data):
        return f"the file ends after {done} of {n} variables"
    return {
        kernels.ENDS: f"the file ends before all sets that are announced for variable {token}",
        kernels.HEADER: NO_HEADER.format(token),
        kernels.UNNUMBERED: f"{token} is not a variable's name or number",
        kernels.OUTSIDE: f"variable {token} is not one of 0 to {n - 1}",
        kernels.AGAIN: f"variable {token} comes twice",
        kernels.SCORE: f"expected a score, a finite number, found {token}",
        kernels.SIZE: f"the set's size, {token}, is not the number of parents that follow",
        kernels.PARENT: f"parent {token} is not a variable of this file",
        kernels.SELF: f"variable {token} is its own parent",
        kernels.TWICE: f"parent {token} comes twice in one set",
    }[wrong]


def _read_long_scores(source: _Source, scores: NDArray[np.float64], long: NDArray[np.bool_]) -> None:
    """Replace the positions of long tokens by the numbers at these positions."""
    for row in np.flatnonzero(long):
        at = int(scores[row])
        scores[row] = float(source.token(at))
        if not math.isfinite(scores[row]):
            raise source.error(at, f"the score {source.shown(at)} is too large")


def _read_names(source: _Source, n: int) -> tuple[str, ...] | None:
    """Return the names in the comment of `write_scores`, or None if there is none."""
    data = source.data
    at = 0 if data.startswith(NAMES) else data.find(b"\n" + NAMES) + 1
    if not data.startswith(NAMES, at):
        return None
    end = data.find(b"\n", at)
    try:
        names = json.loads(data[at + len(NAMES) : end if end >= 0 else None])
        good = all(isinstance(name, str) and name.encode() for name in names) and len(set(names)) == len(names) == n
    except (ValueError, TypeError, RecursionError):  # not JSON, not a list, lone surrogates, too many brackets
        good = False
    if not good:
        raise source.error(at, f"the names must be a JSON list of {n} different names")
    return tuple(names)


def _numbered(source: _Source) -> tuple[_Source, tuple[str, ...]]:
    """Return the file with the variables' names replaced by numbers, in the order of their lines, and the names."""
    lines = source.data.split(b"\n")
    content = [i for i, line in enumerate(lines) if _tokens(line)]
    numbers: dict[bytes, bytes] = {}
    at, headers = 1, set()
    while at < len(content):
        i = content[at]
        name, *rest = _tokens(lines[i])
        if len(rest) != 1 or not rest[0].isdigit() or len(rest[0]) > 18 or _is_score(name):
            raise source.error_in_line(i + 1, NO_HEADER.format(_shown(name)))
        if name in numbers:
            raise source.error_in_line(i + 1, f"variable {_shown(name)} comes twice")
        numbers[name] = b"%d" % len(numbers)
        headers.add(i)
        at += 1 + int(rest[0])
    for i in content[1:]:
        tokens = _tokens(lines[i])
        places = slice(0, 1) if i in headers else slice(2, None)
        # A number that is not a name must not be taken for the number of a variable.
        tokens[places] = [numbers.get(t, b"+" + t if t.isdigit() else t) for t in tokens[places]]
        lines[i] = b" ".join(tokens)
    try:
        names = tuple(name.decode() for name in numbers)
    except UnicodeDecodeError as error:
        at = source.data.find(error.object)
        raise source.error(at, "a variable's name is not UTF-8 text: convert the file to UTF-8") from None
    return _Source(source.path, b"\n".join(lines)), names


def _is_score(token: bytes) -> bool:
    """Return True if a token is a number that cannot be the number of a variable."""
    return bool(NUMBER.fullmatch(token)) and not token.isdigit()


def _tokens(line: bytes) -> list[bytes]:
    """Return the tokens of a line before any comment."""
    tokens = line.split()
    return tokens[: next((i for i, token in enumerate(tokens) if token.startswith(b"#")), None)]
