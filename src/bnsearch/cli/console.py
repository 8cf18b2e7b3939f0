"""Output: text for people on stderr, JSON on stdout."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TextIO

from bnsearch.cli.failures import one_line
from bnsearch.cli.json_fields import SCHEMA_VERSION

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


DRAWING_CHARACTERS = "\u251c\u2500\u2514\u2502\u2501\u2026"


def show(*parts: RenderableType) -> None:
    """Print texts and tables on stderr; texts are printed without markup or wrapping."""
    from rich.console import Console

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str))


def print_json(facts: Mapping[str, object]) -> None:
    """
    Print one JSON object on stdout, with the version of its fields.

    Parameters of a method that JSON has no form for are printed as text.
    """
    print(json.dumps({"schema_version": SCHEMA_VERSION, **facts}, allow_nan=False, default=str))


def note(text: str) -> None:
    """Print one line on stderr."""
    print(one_line(text), file=sys.stderr)


def table(*headings: str) -> Table:
    """Return an empty table whose first column is left-aligned and whose other columns are right-aligned."""
    from rich import box
    from rich.table import Table

    empty = Table(box=box.SIMPLE_HEAD)
    for i, heading in enumerate(headings):
        empty.add_column(heading, justify="right" if i else "left")
    return empty


def get_width() -> int:
    """Return the number of columns of the terminal, at least 20; 80 if there is none."""
    return max(20, shutil.get_terminal_size().columns)


def supports_unicode(stream: TextIO | None = None) -> bool:
    """Return True if the encoding of a stream, by default stdout, has the characters of drawings."""
    stream = stream or sys.stdout
    return escape_unknown(DRAWING_CHARACTERS, stream) == DRAWING_CHARACTERS


def escape_unknown(text: str, stream: TextIO) -> str:
    """Return a text in which the characters that the encoding of a stream does not have are escaped."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def print_text(line: str) -> None:
    """Print a line of text on stdout."""
    if sys.stdout is not None:
        print(escape_unknown(line, sys.stdout))


def fit_text(text: str, width: int) -> str:
    """Return a text that is cut, with a mark at the end, if it takes more than a number of columns."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(text) <= width:
        return text
    mark = "\u2026" if supports_unicode() else "..."
    return set_cell_size(text, max(0, width - len(mark))).rstrip() + mark


def align_columns(rows: Sequence[Sequence[str]], right: bool = True) -> list[str]:
    """Return one line for each row; columns are two blanks apart, and aligned to the right except the first one."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        blanks = [" " * (width - cell_len(text)) for text, width in zip(row, widths, strict=True)]
        parts = [
            gap + text if right and i else text + gap for i, (text, gap) in enumerate(zip(row, blanks, strict=True))
        ]
        lines.append("  ".join(parts).rstrip())
    return lines


def indent_paragraph(text: str) -> str:
    """Return a paragraph wrapped to the terminal and indent_paragraph."""
    width = max(40, min(100, shutil.get_terminal_size().columns))
    return textwrap.fill(text, width, initial_indent=" " * 4, subsequent_indent=" " * 4)
