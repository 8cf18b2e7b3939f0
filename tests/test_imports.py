"""Imports point one way: down the layers that docs/architecture.md shows, and never round in a circle."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import bnsearch

SOURCE = Path(bnsearch.__file__).parent
ARCHITECTURE = Path(__file__).parents[1] / "docs" / "architecture.md"

LAYERS = (
    ("errors",),
    ("_tools", "kernels"),
    ("budgets", "data", "drawing"),
    ("graphs", "counting"),
    ("networks", "knowledge", "scores"),
    ("parent_sets", "reports"),
    ("selection",),
    ("runs",),
    ("checkpoints",),
    ("dags", "equivalence", "genetic", "orderings"),
    ("exact", "independence", "ondemand"),
    ("distributed",),
    ("learning",),
    ("experiments",),
    ("estimators", "cli"),
    ("__main__",),
)
"""The packages from the lowest to the highest: each imports from lower layers alone, and none from its own layer."""

ROOT = "bnsearch"  # its names are imported on first use, so that a module which imports one of them hides what it needs


@cache
def modules() -> dict[str, Path]:
    """Return the file of every module, by its full name."""
    found = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def statements(node: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield every import at a node or below, those inside functions too, but not those for type checkers alone."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node
    elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        for child in node.orelse:
            yield from statements(child)
    else:
        for child in ast.iter_child_nodes(node):
            yield from statements(child)


def names_imported(source: str) -> Iterator[str]:
    """Yield the full name of everything that a source imports."""
    for statement in statements(ast.parse(source)):
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names)
        else:
            assert statement.level == 0, "imports are absolute"
            yield from (f"{statement.module}.{alias.name}" for alias in statement.names)


@cache
def imports() -> dict[str, set[str]]:
    """Return the modules of the library that each of them imports; the root's own names stay as they are."""
    known = modules()
    found: dict[str, set[str]] = {}
    for module, path in known.items():
        names = [name for name in names_imported(path.read_text(encoding="utf-8")) if name.split(".")[0] == ROOT]
        homes = {name if name in known or name.count(".") == 1 else name.rpartition(".")[0] for name in names}
        found[module] = homes - {module}
    return found


def package_of(module: str) -> str:
    """Return the package, or the file beside the packages, that a module belongs to."""
    return module.split(".")[1]


def test_imports_inside_functions_count():
    """An import for type checkers alone does not count; one inside a function does."""
    source = """
import os.path
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from bnsearch.data import Dataset
else:
    from bnsearch.data import coding
def work():
    from bnsearch.runs.run import Run
"""
    expected = ["os.path", "typing.TYPE_CHECKING", "bnsearch.data.coding", "bnsearch.runs.run.Run"]
    assert list(names_imported(source)) == expected


def test_every_package_has_a_layer():
    """The table of layers names every package, and nothing else, once."""
    layered = [package for layer in LAYERS for package in layer]
    assert sorted(layered) == sorted({package_of(module) for module in modules() if module != ROOT})


def test_imports_point_down():
    """No package imports from its own layer or a higher one."""
    height = {package: i for i, layer in enumerate(LAYERS) for package in layer}
    wrong = [
        f"{module} imports {other}"
        for module, others in imports().items()
        for other in others
        if other in modules() and ROOT not in (module, other) and package_of(module) != package_of(other)
        if height[package_of(module)] <= height[package_of(other)]
    ]
    assert not wrong


def test_no_module_imports_itself():
    """There is no circle of modules, however late they import each other."""
    try:
        TopologicalSorter(imports()).prepare()
    except CycleError as error:
        raise AssertionError(" imports ".join(reversed(error.args[1]))) from None


def test_modules_import_from_where_things_are():
    """Within the library, only the version is taken from the package itself: its other names could be anything."""
    taken = {name for others in imports().values() for name in others if name.count(".") == 1 and name not in modules()}
    assert taken <= {"bnsearch.__version__"}
    assert not any(ROOT in others for others in imports().values())


def test_the_map_is_true():
    """docs/architecture.md shows the same layers, the highest first, and a line for each package."""
    text = ARCHITECTURE.read_text(encoding="utf-8")
    drawn = re.search(r"```layers\n(.*?)```", text, re.DOTALL)
    assert drawn is not None
    shown = [tuple(line.split()) for line in drawn[1].splitlines()]
    assert shown == [layer for layer in reversed(LAYERS) if layer != ("__main__",)]
    for package in {package for layer in shown for package in layer}:
        assert re.search(rf"^\| .*`{package}(/|\.py)`", text, re.MULTILINE), package
