"""Tables given as arrays of codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsearch.data.coding import MAX_ARITY, missing_value_error
from bnsearch.errors import InputError


def check_codes(array: ArrayLike) -> NDArray[Any]:
    """Return a rows x variables array of integers as variables x rows; raise an InputError if it is invalid."""
    try:
        codes = np.asarray(array)
    except ValueError:
        raise InputError("the rows of the array of codes have different lengths") from None
    if codes.ndim != 2:
        raise InputError(f"an array of codes must have two dimensions, rows x variables, not shape {codes.shape}")
    if not codes.size:
        raise InputError(f"the array of codes is empty: {codes.shape[0]} rows, {codes.shape[1]} columns")
    if codes.dtype.kind == "b":
        codes = codes.astype(np.uint8)
    if codes.dtype.kind not in "iu":
        raise InputError(
            f"codes must be integers, not {codes.dtype}: convert them, or pass a data frame to Dataset.from_frame"
        )
    return codes.T


def check_mask(array: object, names: Sequence[str] | None = None) -> None:
    """Raise an InputError if a value of a masked array, rows x variables, is masked; other arrays are accepted."""
    if isinstance(array, np.ma.MaskedArray) and array.ndim == 2 and np.ma.is_masked(array):
        masked = np.ma.getmaskarray(array)
        column = int(masked.any(axis=0).argmax())
        name = str(column) if names is None else names[column]
        raise missing_value_error(name, int(masked[:, column].argmax()), "masked")


def label_codes(
    codes: NDArray[Any],
    names: Sequence[str],
    arities: Sequence[int] | NDArray[np.integer] | None,
    states: Sequence[Sequence[str]] | None,
) -> list[tuple[str, ...]]:
    """
    Return the labels of the states of each variable.

    By default the labels are the numbers 0, 1, ...; their number is the arity, or the largest code + 1.
    """
    for what, given in (("names", names), ("arities", arities), ("lists of states", states)):
        if given is not None and len(given) != len(codes):
            raise InputError(f"{len(codes)} columns of codes but {len(given)} {what}")
    if states is not None:
        labels = [tuple(map(str, s)) for s in states]
        for name, arity, own in zip(names, arities if arities is not None else (), labels, strict=False):
            if arity != len(own):
                raise InputError(f"column {name!r} has arity {arity} but {len(own)} states")
        return labels
    if arities is None:
        # Dataset reports negative codes with their rows
        arities = [max(int(code) + 1, 1) for code in codes.max(axis=1)]
    for name, arity in zip(names, arities, strict=True):
        if not (isinstance(arity, int | np.integer) and 1 <= arity <= MAX_ARITY):
            raise InputError(f"column {name!r} has arity {arity}; it must be a whole number from 1 to {MAX_ARITY:,}")
    return [tuple(map(str, range(arity))) for arity in arities]
