"""The folder of Numba's cache of the kernels."""

from __future__ import annotations

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

import numba

from bnsearch.kernels.bits import count_ones
from bnsearch.kernels.compile import compute_kernel_digest


@cache
def describe_cache() -> tuple[Path | None, str]:
    """
    Return a folder of the cache, and a digest of all that decides whether cached kernels can be used.

    The folder is None if no folder is writable, or if this version of Numba does not tell it.
    """
    try:
        folder = count_ones._cache.cache_path
        machine = count_ones.targetctx.codegen().magic_tuple()
    except AttributeError:
        return None, ""
    version = numba.__version__, sys.implementation.cache_tag, os.environ.get("NUMBA_BOUNDSCHECK")
    text = repr((compute_kernel_digest(), machine, version))
    return None if folder is None else Path(folder), hashlib.sha256(text.encode()).hexdigest()


def describe_missing_cache() -> str | None:
    """Return a note for the user if no folder for the cache is writable, otherwise None."""
    if getattr(count_ones._cache, "cache_path", "") is not None:
        return None
    return (
        "compiled kernels cannot be stored, so every process compiles them again: set the environment variable "
        "NUMBA_CACHE_DIR to a folder that is writable"
    )
