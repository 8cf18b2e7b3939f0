"""
Run the examples of a page in Markdown, in the current folder, one after the other.

    python tools/doc_examples.py README.md

Blocks of Python code share their variables. In blocks of shell commands, each line is one call of `bnsearch`. All time
budgets are one second. A comment before a block changes what happens with it:

    <!-- not run: REASON -->     the block is not run
    <!-- file: NAME -->          the block is written to this file
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
FENCE = re.compile(
    r"^(?:<!-- (?P<note>not run|file): (?P<text>.+?) -->\n+)?```(?P<language>\S*)[^\n]*\n(?P<code>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
PYTHON, SHELL = ("python", "{code-cell}"), ("sh",)
SHORTER = re.compile(r"(\bseconds=|--seconds )\d+")


class Block(NamedTuple):
    """A fenced block: language, contents, line of the contents, and the comment before it."""

    language: str
    code: str
    line: int
    note: str | None
    text: str | None

    @property
    def is_run(self) -> bool:
        """True if the block is an example that is run."""
        return self.note is None and self.language in PYTHON + SHELL


def list_pages() -> list[Path]:
    """Return the README and the pages of the documentation."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def read_blocks(page: Path) -> Iterator[Block]:
    """Yield the fenced blocks of a page."""
    text = page.read_text(encoding="utf-8")
    for found in FENCE.finditer(text):
        line = 1 + text.count("\n", 0, found.start("code"))
        yield Block(found["language"], found["code"], line, found["note"], found["text"])


def run_page(page: Path) -> int:
    """Run the examples of a page in the current folder; return their number."""
    variables: dict[str, object] = {"__name__": "__main__"}
    blocks = list(read_blocks(page))
    for block in blocks:
        code = SHORTER.sub(r"\g<1>1", block.code)
        if block.note == "file":
            Path(str(block.text)).write_text(block.code, encoding="utf-8")
        elif block.is_run and block.language in PYTHON:
            padding = "\n" * (block.line - 1)  # errors name the line of the page
            exec(compile(padding + code, str(page), "exec"), variables)
        elif block.is_run:
            for line in code.splitlines():
                run_command(line, f"{page}:{block.line}")
    return sum(block.is_run for block in blocks)


def run_command(line: str, place: str) -> None:
    """Run one call of `bnsearch` in this process, and raise an error if it fails; a comment is ignored."""
    from bnsearch.cli.main import main

    words = shlex.split(line, comments=True)
    if not words or words[:2] == ["pip", "install"]:
        return
    if words[0] != "bnsearch":
        raise ValueError(f"{place}: {line!r} is no call of bnsearch: put '<!-- not run: REASON -->' before the block")
    with contextlib.redirect_stderr(io.StringIO()) as errors:
        status = main(words[1:])
    if status:
        raise ValueError(f"{place}: {line!r} has exit status {status}: {errors.getvalue()}")


if __name__ == "__main__":
    run_page(Path(sys.argv[1]))
