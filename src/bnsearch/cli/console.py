"""Output: text for people on stderr, JSON on stdout."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

from bnsearch.cli.failures import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table


def show(*parts: RenderableType) -> None:
    """Print texts and tables on stderr; texts are printed without markup or wrapping."""
    from rich.console import Console

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str))


def print_json(result: object) -> None:
    """Print one JSON object on stdout; parameters of a method that JSON has no form for are printed as text."""
    print(json.dumps(result, allow_nan=False, default=str))


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


def indent_paragraph(text: str) -> str:
    """Return a paragraph wrapped to the terminal and indent_paragraph."""
    width = max(40, min(100, shutil.get_terminal_size().columns))
    return textwrap.fill(text, width, initial_indent=" " * 4, subsequent_indent=" " * 4)
