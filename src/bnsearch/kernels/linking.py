"""
The compiler of functions that only kernels call: it produces LLVM code, which the calling kernels contain.

Numba optimises a function together with all functions that it calls, and generates machine code for all of them. With
nested kernels it repeats this at every level, although the machine code of the inner levels is never executed. The
compiler here stops after the LLVM code. Compiling the kernels of GINOBS took 180 s of CPU time before and 78 s after.

This uses private names of Numba. `get_linked_compiler` returns None for a version of Numba that lacks them.
"""

# Numba has no type annotations.
# mypy: allow-untyped-calls, allow-subclassing-any
from __future__ import annotations

from functools import cache
from typing import Any

NEEDED = ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals")  # methods of a library


@cache
def get_linked_compiler() -> Any | None:
    """Return the compiler class for functions that only kernels call, or None if this version of Numba lacks it."""
    try:
        from numba.core.codegen import JITCodeLibrary
        from numba.core.compiler import Compiler
    except ImportError:
        return None
    if not all(hasattr(JITCodeLibrary, name) for name in NEEDED):
        return None

    class NoEnvironment:
        """Replaces the code generator where Numba writes the address of a function's environment: there is none."""

        def set_env(self, *_: object) -> None:
            """Do nothing."""

    class LinkedLibrary(JITCodeLibrary):
        """LLVM code that is optimised only as part of the library that contains it."""

        def _optimize_final_module(self) -> None:
            """Do nothing: the library that contains this one is optimised as a whole."""

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

        @property
        def codegen(self) -> NoEnvironment:
            return NoEnvironment()

    class LinkedCompiler(Compiler):
        """Numba's compiler with a library that is never executed by itself."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            if self.state.library is None:
                self.state.library = LinkedLibrary(self.state.targetctx.codegen(), "linked")

    return LinkedCompiler
