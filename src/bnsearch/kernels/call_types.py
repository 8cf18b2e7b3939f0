"""
A cache of the types that Numba infers for calls of its own functions, such as `a + b`.

Numba tries a dozen implementations of an operator for each call in each kernel. This takes a fifth of the time of
compilation. While a kernel is compiled, the result is remembered for each operator and each list of argument types.
Numba's timers of the compilation are switched off, because each nested kernel adds one.

This uses private names of Numba. Without them the cache is not used.
"""

# Numba has no type annotations.
# mypy: allow-untyped-calls
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

_signatures: dict[tuple[Any, ...], Any] = {}
_depth = 0  # number of kernels that are being compiled: the compiler calls itself for the kernels that a kernel calls


@contextmanager
def cached_call_types() -> Iterator[None]:
    """Use the cache within the block. The thread must hold Numba's compiler lock, so no other thread compiles."""
    global _depth  # noqa: PLW0603
    from numba.core import event
    from numba.core.types import functions

    patched: Any = getattr(functions, "BaseFunction", None)
    known = hasattr(patched, "get_call_type") and hasattr(patched, "get_impl_key") and hasattr(event, "install_timer")
    if _depth or not known:
        yield
        return
    original = patched.get_call_type

    def get_call_type(function: Any, context: Any, args: Any, kws: Any) -> Any:
        if kws:
            return original(function, context, args, kws)
        key = function, context, args
        found = _signatures.get(key)
        if found is None:
            found = original(function, context, args, kws)
            # Implementations in Python are compiled for each caller's options, so they are not remembered.
            if found is not None and function.get_impl_key(found) is function.typing_key:
                _signatures[key] = found
        return found

    _depth += 1
    timers: Any = event
    install_timer = timers.install_timer
    patched.get_call_type = get_call_type
    timers.install_timer = lambda *_: nullcontext()
    try:
        yield
    finally:
        patched.get_call_type = original
        timers.install_timer = install_timer
        _depth -= 1
