"""The one way to compile: every Numba kernel of the library carries this decorator."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a top-level function over arrays and scalars; cached on disk where one may write, run without the GIL."""
    return _compiled(function, no_cfunc_wrapper=True, _nrt=True)  # else a borrowing caller's setting is inherited


def inner_kernel(function: Callable[..., Any]) -> Any:
    """
    Compile a function that only other kernels call; Python cannot.

    What makes arrays of Python's objects, and objects of results, is a sixth of the time of compiling.
    """
    return _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=True)


def borrowing_kernel(function: Callable[..., Any]) -> Any:
    """
    Compile a function that makes no arrays: it borrows those it is given, and does not count references to them.

    Counting costs an atomic operation for every array that a function is handed, which adds up where a dozen arrays go
    to functions that take a tenth of a microsecond.
    """
    return _compiled(function, no_cfunc_wrapper=True, _nrt=False)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """Compile a borrowing function that becomes part of whatever kernel calls it; Python cannot call it."""
    return _compiled(function, no_cfunc_wrapper=True, no_cpython_wrapper=True, forceinline=True, _nrt=False)


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    """Compile with the options that all kernels share; wrappers that nobody calls only cost compilation."""
    compiled: Any = numba.njit(nogil=True, error_model="numpy", **options)(function)
    # RuntimeError: there is no folder to keep a cache in. AttributeError: the private names below are gone, and the
    # cache is only less careful.
    with suppress(RuntimeError, AttributeError):
        compiled.enable_caching()
        index = compiled._cache._cache_file
        index._source_stamp = (index._source_stamp, digest_of_kernels())
    return compiled


@cache
def digest_of_kernels() -> str:
    """
    Return a digest of the source of all kernels, and of this file.

    Numba's cache looks at the file of the function it compiles, not at those of the functions it calls; kept with
    the cache, this digest makes a change of any kernel count for all.
    """
    digest = hashlib.sha256()
    for path in kernel_files():
        digest.update(path.read_bytes())
    return digest.hexdigest()


def kernel_files() -> list[Path]:
    """Return the files that hold kernels: those named kernels*.py, and all in folders named kernels."""
    root = Path(__file__).parents[1]
    files = (path.relative_to(root) for path in root.rglob("*.py"))
    return [root / path for path in sorted(files) if path.name.startswith("kernels") or "kernels" in path.parts[:-1]]
