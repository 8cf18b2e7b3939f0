"""The one way to compile: every Numba kernel of the library carries this decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compile a top-level function over arrays and scalars; cached on disk, run without the GIL."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))
