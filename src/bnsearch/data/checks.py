"""Checks of the parts of a table: names, states and codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.data.arrays import check_mask
from bnsearch.data.coding import MAX_ARITY, check_names, code_range_error
from bnsearch.errors import InputError


def check_states(names: Sequence[str], all_states: Sequence[Sequence[str]]) -> None:
    """Raise an InputError if names or states are missing or occur twice, or a variable has too many states."""
    check_names(names)
    if len(names) != len(all_states):
        raise InputError(f"{len(names)} names but {len(all_states)} lists of states")
    for name, states in zip(names, all_states, strict=True):
        if len(set(states)) != len(states):
            twice = next(s for s in states if states.count(s) > 1)
            raise InputError(f"column {name!r} has two states labelled {twice!r}: rename one")
        if not 1 <= len(states) <= MAX_ARITY:
            raise InputError(f"column {name!r} has {len(states):,} states; it must have 1 to {MAX_ARITY:,}")


def check_code_ranges(codes: NDArray[Any], names: Sequence[str], arities: NDArray[np.int64]) -> None:
    """Raise an InputError if codes, variables x rows, have a wrong type or shape, or one is masked or out of range."""
    if codes.dtype.kind not in "iu":
        raise InputError(f"codes must be integers, not {codes.dtype}")
    if codes.ndim != 2 or len(codes) != len(names):
        raise InputError(f"codes have shape {codes.shape}; for {len(names)} variables it must be ({len(names)}, rows)")
    check_mask(codes.T, names)
    if not codes.shape[1]:
        raise InputError("the table has no rows")
    legal = (codes.min(axis=1) >= 0) & (codes.max(axis=1) < arities)
    if not legal.all():
        v = int(legal.argmin())
        row = int(((codes[v] < 0) | (codes[v] >= arities[v])).argmax())
        raise code_range_error(names[v], row, int(codes[v, row]), int(arities[v]))


def freeze_codes(codes: NDArray[Any], dtype: type[np.uint8 | np.uint16]) -> NDArray[Any]:
    """Return the array itself if it is read-only and has the right type and layout, otherwise a read-only copy."""
    if codes.dtype != dtype or codes.flags.writeable or not codes.flags.c_contiguous or type(codes) is not np.ndarray:
        codes = np.array(codes, dtype=dtype, order="C")
        codes.flags.writeable = False
    return codes
