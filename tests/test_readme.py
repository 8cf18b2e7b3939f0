"""README.md agrees with the library."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import bnsearch

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


def test_the_python_code_runs(tmp_path):
    """All blocks of Python code run one after the other as one program, here with shorter time budgets."""
    program = load_tool("readme_program").make_program()
    environment = {**os.environ, "PYTHONPATH": str(Path(bnsearch.__file__).parents[1])}
    command = [sys.executable, "-W", "error", "-c", program]
    done = subprocess.run(command, cwd=tmp_path, env=environment, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert program.count("bnsearch.learn(") >= 3
    assert done.stdout.startswith("Result(34 variables")
    assert len(bnsearch.read_network(tmp_path / "learned.bif").names) == 34
