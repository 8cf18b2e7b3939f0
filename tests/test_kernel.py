"""The kernel decorators: kernels are cached on disk, and compiled again after a change in any kernel file."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import bnsearch
from bnsearch.counting.kernels_terms import find_product
from bnsearch.kernels.compile import compute_kernel_digest, list_kernel_files

SOURCE = Path(bnsearch.__file__).parent
KERNEL_FILES = set(list_kernel_files())
PROGRAM = """
import sys
import numpy as np
import bnsearch.kernels.compile
if len(sys.argv) > 1:
    bnsearch.kernels.compile.compute_kernel_digest = lambda: sys.argv[1]
from bnsearch.counting.kernels_terms import find_product
assert find_product(np.array([1.0, 2.0, 4.0]), 2.0) == 1
print(sum(find_product.stats.cache_hits.values()), sum(find_product.stats.cache_misses.values()))
"""


def count_hits_and_misses(folder, *arguments, **environment):
    """Call a kernel in a new process with the given cache folder; return the hits and misses of the cache."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments],
        env={**os.environ, "PYTHONPATH": str(SOURCE.parent), "NUMBA_CACHE_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return tuple(map(int, done.stdout.split()))


def test_a_second_process_compiles_nothing(tmp_path):
    """The first process compiles, the second one loads; after a change of any kernel the next one compiles again."""
    assert count_hits_and_misses(tmp_path) == (0, 1)
    assert count_hits_and_misses(tmp_path) == (1, 0)
    assert count_hits_and_misses(tmp_path, "another digest") == (0, 1)


def test_kernels_work_without_a_cache_folder(tmp_path):
    """If no folder is writable, kernels are compiled in every process."""
    assert count_hits_and_misses(tmp_path, NUMBA_CACHE_LOCATOR_CLASSES="ZipCacheLocator") == (0, 1)
    assert not list(tmp_path.iterdir())


NOTE = """
from bnsearch.kernels.cache import describe_cache, describe_missing_cache
print(describe_cache()[0] is None, describe_missing_cache())
"""


@pytest.mark.parametrize("writable", [True, False])
def test_a_missing_cache_is_explained(tmp_path, writable):
    """Only if no folder is writable, a note names the variable to set."""
    locator = {} if writable else {"NUMBA_CACHE_LOCATOR_CLASSES": "ZipCacheLocator"}
    environment = {**os.environ, "PYTHONPATH": str(SOURCE.parent), "NUMBA_CACHE_DIR": str(tmp_path), **locator}
    done = subprocess.run([sys.executable, "-c", NOTE], env=environment, capture_output=True, text=True, check=True)
    if writable:
        assert done.stdout == "False None\n"
    else:
        assert done.stdout.startswith("True compiled kernels cannot be stored")
        assert "NUMBA_CACHE_DIR" in done.stdout


def test_the_digest_is_part_of_the_stamp():
    """Numba compares the cached stamp with that of the source; the stamp includes the digest of all kernels."""
    assert re.fullmatch("[0-9a-f]{64}", compute_kernel_digest())
    assert find_product._cache._cache_file._source_stamp[1] == compute_kernel_digest()


def test_the_digest_reads_all_kernel_files():
    """The digest covers every file that imports a kernel decorator or Numba."""
    assert {SOURCE / "kernels" / "compile.py", SOURCE / "counting" / "kernels_terms.py"} < KERNEL_FILES
    for path in SOURCE.rglob("*.py"):
        if re.search(r"^from bnsearch\.kernels\.compile import|^(import|from) numba\b", path.read_text("utf-8"), re.M):
            assert path in KERNEL_FILES, path


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: path.relative_to(SOURCE).as_posix())
def test_kernels_live_in_kernel_files(path):
    """Other files import neither Numba nor kernels at module level, so that Numba is imported on first use."""
    if path in KERNEL_FILES:
        return
    imported = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:  # imports inside functions are allowed
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported.add(node.module)
    for name in imported - {"bnsearch.kernels.tuples"}:  # which imports Numba only when a kernel takes a tuple
        parts = name.split(".")
        assert parts[0] != "numba" and not any(part.startswith("kernels") for part in parts)


def test_python_does_not_call_inner_kernels():
    """A call of an inner kernel from Python would crash the interpreter."""
    inner, called = set(), set()
    for path in SOURCE.rglob("*.py"):
        home = ".".join(("bnsearch", *path.relative_to(SOURCE).with_suffix("").parts))
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.name: (home, node.name) for node in tree.body if isinstance(node, ast.FunctionDef)}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                names |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
        for node in tree.body:
            marks = {mark.id for mark in getattr(node, "decorator_list", []) if isinstance(mark, ast.Name)}
            if marks & {"inner_kernel", "inner_borrowing_kernel", "inlined_kernel", "noinline_kernel"}:
                inner.add((home, node.name))
            if not any(mark.endswith("kernel") for mark in marks):
                used = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
                called |= {names[name] for name in used if name in names}
    assert len(inner) > 100
    assert not inner & called
