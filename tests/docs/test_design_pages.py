"""The pages on the design name files and functions that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import bnsearch

SOURCE = Path(bnsearch.__file__).parent
ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "docs" / "architecture.md", *sorted((ROOT / "docs" / "design").glob("*.md"))]
PAGE = ROOT / "docs" / "design" / "learn.md"
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


@cache
def list_path_endings() -> set[str]:
    """Return the paths of all files of the repository and of the library, and their endings after each slash."""
    files = [path.relative_to(ROOT).as_posix() for path in ROOT.glob("[!.]*/**/*.*")]
    files += [path.relative_to(SOURCE.parent).as_posix() for path in SOURCE.rglob("*.*")]
    return {"/".join(parts[i:]) for parts in (file.split("/") for file in files) for i in range(len(parts))}


@cache
def list_words() -> set[str]:
    """Return all words of the code."""
    files = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.js"), *ROOT.glob("benchmarks/*.py"), *ROOT.glob("tools/*.py")]
    return {word for file in files for word in re.findall(r"\w+", file.read_text(encoding="utf-8"))}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_files_exist(page):
    """A file in backticks is a file of the library or of the repository; the page may leave out the first folders."""
    named = set(re.findall(r"`([\w/]+\.(?:py|js|md|toml))`", page.read_text(encoding="utf-8")))
    assert named - list_path_endings() == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_names_exist(page):
    """The words of a name in backticks, such as `Run.offer`, occur in the code."""
    names = set(re.findall(r"`([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(\w*\))?`", page.read_text(encoding="utf-8")))
    files = {name for name in names if name.endswith((".py", ".js"))}  # the test above checks these
    assert {word for name in names - files for word in name.split(".")} - list_words() == set()
