"""
Write the table of methods in README.md from what the method classes declare.

    python tools/method_table.py
"""

from __future__ import annotations

from pathlib import Path

from bnsearch.learning.methods import METHODS
from bnsearch.runs.method import get_declaration

README = Path(__file__).parents[1] / "README.md"
HEADER = "| method | search space | needs | paper | use it |\n|---|---|---|---|---|\n"


def render_table() -> str:
    """Return the table of the methods of the library in Markdown."""
    rows = ((name, get_declaration(METHODS[name])) for name in METHODS.built_in)
    return HEADER + "".join(f"| `{name}` | {d.space} | {d.needs} | {d.paper} | {d.purpose} |\n" for name, d in rows)


def replace_table(text: str) -> str:
    """Return a text with the current table in place of the one that it has."""
    start = text.index("| method | search space |")
    end = text.index("\n\n", start) + 1
    return text[:start] + render_table() + text[end:]


if __name__ == "__main__":
    README.write_text(replace_table(README.read_text(encoding="utf-8")), encoding="utf-8")
