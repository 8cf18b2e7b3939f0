"""The type of `KernelTuple` for Numba: an address in kernels."""

# Numba has no type annotations.
# mypy: allow-untyped-calls, allow-subclassing-any, allow-untyped-decorators
from __future__ import annotations

import hashlib
from functools import cache
from typing import Any

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.extending import NativeValue, lower_builtin, models, register_model, typeof_impl, unbox
from numba.core.imputils import impl_ret_borrowed
from numba.core.types.containers import _HeterogeneousTuple

from bnsearch.kernels.tuples import KernelTuple

WORD = ir.IntType(64)


class KernelTupleType(_HeterogeneousTuple):
    """
    The type of a kernel tuple. Numba's cache contains the name of this class and of its module: do not change them.

    Parameters
    ----------
    item_types : types of the items
    """

    def __init__(self, item_types: tuple[Any, ...]) -> None:
        self.types = item_types
        self.count = len(item_types)
        self.offsets = _find_offsets(item_types)
        super().__init__(f"KernelTuple({', '.join(map(str, item_types))})")

    @property
    def key(self) -> tuple[Any, ...]:
        """What distinguishes this type from others."""
        return self.types

    @property
    def mangling_args(self) -> tuple[str, tuple[str, ...]]:
        """The name of the type in LLVM code; a digest, because the types of all items can take kilobytes."""
        return "KernelTuple", (hashlib.sha256(self.name.encode()).hexdigest()[:16],)


def _find_offsets(item_types: tuple[Any, ...]) -> list[int]:
    """Return the index of the first word of each item."""
    offsets = [0]
    for item in item_types:
        offsets.append(offsets[-1] + (2 + 2 * item.ndim if isinstance(item, types.Array) else 1))
    return offsets


_types: dict[tuple[Any, ...], KernelTupleType] = {}


def find_type(value: KernelTuple) -> KernelTupleType:
    """Return the type of a kernel tuple."""
    if value.kernel_type is not None:
        return value.kernel_type  # type: ignore[no-any-return]
    items = tuple(_find_item_type(item) for item in value)
    found = _types.get(items)
    if found is None:
        found = _types[items] = KernelTupleType(items)
    value.kernel_type = found
    return found


_array_types: dict[tuple[Any, ...], types.Array] = {}


def _find_item_type(item: Any) -> Any:
    """Return the type of an item of a kernel tuple; those of arrays are remembered, because Numba takes long."""
    if isinstance(item, KernelTuple):
        return find_type(item)
    if not isinstance(item, np.ndarray):
        return numba.typeof(item)
    key = item.dtype, item.ndim, item.flags.num
    if key not in _array_types:
        _array_types[key] = numba.typeof(item)
    return _array_types[key]


@typeof_impl.register(KernelTuple)
def _typeof_kernel_tuple(value: KernelTuple, _: object) -> KernelTupleType:
    return find_type(value)


@register_model(KernelTupleType)
class _KernelTupleModel(models.OpaqueModel):
    """A pointer."""


@unbox(KernelTupleType)
def _unbox_kernel_tuple(_: KernelTupleType, value: Any, c: Any) -> NativeValue:
    """Return the address of a kernel tuple's block."""
    address = c.pyapi.object_getattr_string(value, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@lower_builtin("static_getitem", KernelTupleType, types.IntegerLiteral)
def _get_item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Load an item."""
    tuple_type, _ = signature.args
    pointer, index = arguments
    index %= len(tuple_type)
    words = builder.bitcast(pointer, WORD.as_pointer())
    item = _load_item(context, builder, tuple_type.types[index], words, tuple_type.offsets[index])
    return impl_ret_borrowed(context, builder, signature.return_type, item)


def _load_item(context: Any, builder: Any, item_type: Any, words: Any, offset: int) -> Any:
    if isinstance(item_type, types.Array):
        return _load_array(context, builder, item_type, words, offset)
    word = _load_word(builder, words, offset)
    if isinstance(item_type, KernelTupleType):
        return builder.inttoptr(word, context.get_value_type(item_type))
    if item_type == types.boolean:
        return builder.trunc(word, ir.IntType(1))
    return builder.bitcast(word, context.get_value_type(item_type))


def _load_array(context: Any, builder: Any, item_type: Any, words: Any, offset: int) -> Any:
    """Load an array; kernels do not own it, so they do not count references to it."""
    array = context.make_array(item_type)(context, builder)
    data_type = array.data.type
    data = _load_word(builder, words, offset, data_type)
    sizes = [_load_word(builder, words, offset + 1 + i) for i in range(1 + 2 * item_type.ndim)]
    shape, strides = sizes[1 : 1 + item_type.ndim], sizes[1 + item_type.ndim :]
    array.meminfo = cgutils.get_null_value(array.meminfo.type)
    array.parent = cgutils.get_null_value(array.parent.type)
    array.nitems = sizes[0]
    array.itemsize = WORD(getattr(item_type.dtype, "bitwidth", 8) // 8)  # a truth value is a byte
    array.data = data
    array.shape = cgutils.pack_array(builder, shape, ty=WORD)
    array.strides = cgutils.pack_array(builder, strides, ty=WORD)
    return array._getvalue()


def _load_word(builder: Any, words: Any, offset: int, value_type: Any = WORD) -> Any:
    """Load a word, which never changes while kernels run, so LLVM may load it once for several uses."""
    pointer = builder.gep(words, [WORD(offset)], inbounds=True)
    loaded = builder.load(builder.bitcast(pointer, value_type.as_pointer()), typ=value_type)
    loaded.set_metadata("invariant.load", builder.module.add_metadata([]))
    return loaded


@cache
def get_dispatcher_class(base: Any) -> Any:
    """Return a subclass of a dispatcher class that finds the type of a kernel tuple in a microsecond, not in five."""

    class KernelDispatcher(base):
        """A dispatcher of a kernel."""

        def typeof_pyval(self, value: object) -> Any:
            """Return the type of an argument. Numba calls this for types that its C code does not know."""
            found = value.kernel_type if isinstance(value, KernelTuple) else None
            return super().typeof_pyval(value) if found is None else found

    return KernelDispatcher
