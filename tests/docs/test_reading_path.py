"""The page that follows `learn` names functions that exist, and files that call them."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import bnsearch

SOURCE = Path(bnsearch.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "design" / "learn.md"
ROWS = re.findall(
    r"^\| \d+ \| `([\w.]+)` \| `([\w/.]+)` \| .* \| `([\w/.]+)` \|$", PAGE.read_text("utf-8"), re.MULTILINE
)


def list_functions(path: Path) -> set[str]:
    """Return the functions of a module, and the methods of its classes as Class.method."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef)}
    return found


def list_names_used(path: Path) -> set[str]:
    """Return all names and attributes that a module uses, except in definitions, and the names that it imports."""
    used = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name):
            used.add(node.id)
        elif isinstance(node, ast.Attribute):
            used.add(node.attr)
        elif isinstance(node, ast.alias):
            used.add(node.name)
    return used


def test_the_rows_are_numbered():
    """Each numbered line of the table is read: the numbers are 1, 2, 3, ..."""
    numbers = re.findall(r"^\| (\d+) \|", PAGE.read_text("utf-8"), re.MULTILINE)
    assert numbers == [str(i + 1) for i in range(len(ROWS))]
    assert len(ROWS) >= 20


@pytest.mark.parametrize(("name", "file", "caller"), ROWS, ids=[f"{file}:{name}" for name, file, _ in ROWS])
def test_functions_exist_and_are_called(name, file, caller):
    """A function is defined at the top level of its file or in a class, and the other file uses its name."""
    assert name in list_functions(SOURCE / file)
    assert name.rpartition(".")[2] in list_names_used(SOURCE / caller)
