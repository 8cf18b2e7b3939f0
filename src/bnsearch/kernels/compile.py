"""The decorators that compile the library's Numba kernels; no kernel is compiled in another way."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba

from bnsearch.kernels.linking import get_kernel_compiler, get_linked_compiler, get_noinline_compiler
from bnsearch.kernels.tuple_types import get_dispatcher_class

# All kernels also have explicit settings of _nrt and forceinline. Numba would otherwise use those of the caller.
SHARED: dict[str, Any] = {"nogil": True, "error_model": "numpy"}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a top-level function over arrays and scalars. It releases the GIL, and is cached on disk if possible."""
    return _compile(function, no_cfunc_wrapper=True, _nrt=True)


def inner_kernel(function: Callable[..., Any]) -> Any:
    """Compile a function that only other kernels call. A call from Python crashes."""
    return _compile_linked(function, get_linked_compiler(), _nrt=True)


def borrowing_kernel(function: Callable[..., Any]) -> Any:
    """
    Compile a function that allocates no arrays, and does not count references to its arguments.

    Reference counting costs an atomic operation per array argument. That is a large part of the time of a function
    that takes a dozen arrays and a tenth of a microsecond.
    """
    return _compile(function, no_cfunc_wrapper=True, _nrt=False)


def inner_borrowing_kernel(function: Callable[..., Any]) -> Any:
    """Compile a borrowing function that only other kernels call. A call from Python crashes."""
    return _compile_linked(function, get_linked_compiler(), _nrt=False)


def inlined_kernel(function: Callable[..., Any]) -> Any:
    """Compile a borrowing function that is inlined into the kernels that call it. A call from Python crashes."""
    return _compile_linked(function, get_linked_compiler(), forceinline=True, _nrt=False)


def noinline_kernel(function: Callable[..., Any]) -> Any:
    """
    Compile a borrowing function that only other kernels call, and that is not inlined. A call from Python crashes.

    This is for large functions that are called at several places, each of which would contain a copy.
    """
    return _compile_linked(function, get_noinline_compiler(), _nrt=False)


def _compile_linked(function: Callable[..., Any], compiler: Any, **options: Any) -> Any:
    """Compile a function without wrappers for Python, and without machine code of its own if possible."""
    options |= {"no_cfunc_wrapper": True, "no_cpython_wrapper": True}
    if compiler is None:
        return _compile(function, **options)
    return numba.njit(**SHARED, **{"forceinline": False, "pipeline_class": compiler, **options})(function)


def _compile(function: Callable[..., Any], **options: Any) -> Any:
    """Compile a function with the options that all kernels share, and add the digest of all kernels to its cache."""
    options = {"forceinline": False, "pipeline_class": get_kernel_compiler(), **options}
    compiled: Any = numba.njit(**SHARED, **options)(function)
    with suppress(TypeError):  # dispatchers of another version of Numba may not allow it
        compiled.__class__ = get_dispatcher_class(compiled.__class__)
    # RuntimeError: no folder for the cache is writable. AttributeError: another version of Numba lacks the private
    # names below; then a change in a called kernel does not invalidate the cache.
    with suppress(RuntimeError, AttributeError):
        compiled.enable_caching()
        index = compiled._cache._cache_file
        index._source_stamp = (index._source_stamp, compute_kernel_digest())
    return compiled


@cache
def compute_kernel_digest() -> str:
    """
    Return a digest of the source of all kernels, including this file.

    Numba's cache checks the file of the compiled function, but not those of the functions that it calls. With this
    digest in the cache, a change in any kernel file invalidates all cached kernels.
    """
    digest = hashlib.sha256()
    for path in list_kernel_files():
        digest.update(path.read_bytes())
    return digest.hexdigest()


def list_kernel_files() -> list[Path]:
    """Return the files that may contain kernels: those named kernels*.py, and all in folders named kernels."""
    root = Path(__file__).parents[1]
    files = (path.relative_to(root) for path in root.rglob("*.py"))
    return [root / path for path in sorted(files) if path.name.startswith("kernels") or "kernels" in path.parts[:-1]]
