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

from collections.abc import Callable
from functools import cache
from typing import Any

from bnsearch.kernels.call_types import cached_call_types
from bnsearch.kernels.variable_lists import fast_variable_lists

NEEDED = (  # methods of a library
    "add_ir_module", "_optimize_functions", "_optimize_final_module", "_finalize_final_module",
    "_finalize_dynamic_globals",
)  # fmt: skip

compiled_observers: list[Callable[[], None]] = []  # called when a kernel that Python code can call was compiled


@cache
def get_linked_compiler() -> Any | None:
    """Return the compiler class for functions that only kernels call, or None if this version of Numba lacks it."""
    try:
        import numba.core.compiler  # noqa: F401
        from numba.core.codegen import CPUCodegen, JITCodeLibrary
    except ImportError:
        return None
    if not all(hasattr(JITCodeLibrary, name) for name in NEEDED) or not hasattr(CPUCodegen, "_function_pass_manager"):
        return None

    class NoEnvironment:
        """Replaces the code generator where Numba writes the address of a function's environment: there is none."""

        def set_env(self, *_: object) -> None:
            """Do nothing."""

    class LinkedLibrary(JITCodeLibrary):
        """LLVM code that is optimised only as part of the library that contains it."""

        inlines = True  # False if the compiled function must not be inlined

        def add_ir_module(self, ir_module: Any) -> None:
            for function in ir_module.functions:
                if function.blocks and not self.inlines and "alwaysinline" not in function.attributes:
                    function.attributes.add("noinline")
            super().add_ir_module(ir_module)

        def _optimize_functions(self, ll_module: Any) -> None:
            """Do the same as Numba, without the preparation of passes for functions that are only declared."""
            ll_module.data_layout = self._codegen._data_layout
            for function in ll_module.functions:
                if not function.is_declaration:
                    passes, builder = self._codegen._function_pass_manager()
                    passes.run(function, builder)

        def _optimize_final_module(self) -> None:
            """Do nothing: the library that contains this one is optimised as a whole."""

        def _finalize_final_module(self) -> None:
            self._finalize_dynamic_globals()
            self._finalized = True

        @property
        def codegen(self) -> NoEnvironment:
            return NoEnvironment()

    kernel_compiler: Any = get_kernel_compiler()

    class LinkedCompiler(kernel_compiler):
        """Numba's compiler with a library that is never executed by itself."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            if self.state.library is None:
                self.state.library = LinkedLibrary(self.state.targetctx.codegen(), "linked")

    return LinkedCompiler


@cache
def get_noinline_compiler() -> Any | None:
    """Return the same as `get_linked_compiler` for functions that LLVM does not inline."""
    linked_compiler: Any = get_linked_compiler()
    if linked_compiler is None:
        return None

    class NoinlineCompiler(linked_compiler):
        """A compiler that marks the compiled function, and not those that it calls."""

        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.state.library.inlines = False

    return NoinlineCompiler


@cache
def get_kernel_compiler() -> Any:
    """Return the compiler class for all kernels."""
    from numba.core.compiler import Compiler

    class KernelCompiler(Compiler):
        """Numba's compiler with a cache of the types of calls, and with faster lists of variables."""

        def _compile_core(self) -> Any:
            with cached_call_types(), fast_variable_lists():
                compiled = super()._compile_core()
            if type(self) is KernelCompiler:
                for observer in compiled_observers:
                    observer()
            return compiled

    return KernelCompiler
