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
    compiled: Any = numba.njit(nogil=True, error_model="numpy")(function)
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
    for path in sorted(Path(__file__).parent.rglob("kernel*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
