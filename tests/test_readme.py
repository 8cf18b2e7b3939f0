"""README.md agrees with the library."""

from __future__ import annotations

import importlib.util
from pathlib import Path

ROOT = Path(__file__).parents[1]


def load_tool(name: str):
    """Return a module of the folder `tools`."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_of_methods_is_that_of_the_registry():
    """The table has a row for each method with what its class declares; `tools/method_table.py` writes it."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert load_tool("method_table").replace_table(text) == text
