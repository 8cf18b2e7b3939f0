"""
Tuples of arrays that kernels take by reference.

Numba passes a tuple of arrays as separate numbers, about eight for each array, in every call between kernels. A kernel
with a hundred arrays then has 800 arguments, and most of its LLVM code copies them. A `KernelTuple` keeps these numbers
in one block of memory, and kernels pass the address of the block.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray


class KernelTuple(tuple[Any, ...]):
    """
    A tuple of arrays, numbers and such tuples, which kernels take by reference.

    Kernels and Python code use it like a plain tuple. In kernels, indices are constants. Plain tuples among the items
    become kernel tuples.

    Attributes
    ----------
    kernel_type : the type for Numba; None until a kernel takes the tuple
    block : int64[...], the items as kernels read them; the addresses in it are valid as long as the tuple exists
    address : the address of the block

    Examples
    --------
    >>> state = KernelTuple((np.zeros(3), 2, (np.ones((2, 2)),)))
    >>> state[0].size, state[1], state[2][0].shape
    (3, 2, (2, 2))
    """

    kernel_type: Any = None
    block: NDArray[np.int64]
    address: int

    def __new__(cls, items: Iterable[Any] = ()) -> KernelTuple:
        """Return a tuple of the items."""
        self = super().__new__(cls, (cls(item) if _is_plain_tuple(item) else item for item in items))
        # The block is made here and not at the first use, so that threads cannot make two of them.
        self.block = np.array([word for item in self for word in _encode(item)], dtype=np.int64)
        self.address = int(self.block.ctypes.data)
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return KernelTuple, (tuple(self),)


def _is_plain_tuple(item: object) -> bool:
    return isinstance(item, tuple) and not isinstance(item, KernelTuple)


def _encode(item: Any) -> Iterable[int]:
    """Return an item as 64-bit words: address, size, shape and strides of an array; the value of a number."""
    if isinstance(item, np.ndarray):
        return item.ctypes.data, item.size, *item.shape, *item.strides
    if isinstance(item, KernelTuple):
        return (item.address,)
    if isinstance(item, float | np.uint64):  # np.float64 is a float
        return (int(np.asarray(item).view(np.int64)),)
    if isinstance(item, int | np.int64 | np.bool_):
        return (int(item),)
    raise TypeError(f"kernels cannot read {item!r} from a kernel tuple: numbers have 64 bits, or are truth values")
