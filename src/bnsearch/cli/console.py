"""Where output goes: text for people to stderr, results for machines to stdout."""

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
    """Print for people; texts are taken as they are, without markup or wrapping."""
    from rich.console import Console

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, str))


def print_json(result: object) -> None:
    """Print one object for machines."""
    print(json.dumps(result, allow_nan=False))


def note(text: str) -> None:
    """Print one line for people."""
    print(one_line(text), file=sys.stderr)


def table(*headings: str) -> Table:
    """Return an empty table: texts to the left in the first column, numbers to the right in the others."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE_HEAD)
    for i, heading in enumerate(headings):
        made.add_column(heading, justify="right" if i else "left")
    return made


def indented(text: str) -> str:
    """Return a paragraph filled and moved to the right."""
    width = max(40, min(100, shutil.get_terminal_size().columns))
    return textwrap.fill(text, width, initial_indent=" " * 4, subsequent_indent=" " * 4)
