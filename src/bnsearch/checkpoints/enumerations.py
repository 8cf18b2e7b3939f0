"""The enumeration of parent sets as a part of a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.checkpoints.container import Part
from bnsearch.checkpoints.values import encode_number
from bnsearch.counting.pieces import Piece
from bnsearch.parent_sets.assembly import RankedFamilies
from bnsearch.selection.walk_state import OpenSize, WalkState

FIELDS = RankedFamilies._fields


class EnumerationEncoder:
    """
    Describes an enumeration again and again.

    Arrays of complete sizes do not change any more. They are the same read-only arrays each time, so that a checkpoint
    writes them once.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[object, NDArray[Any]]] = {}  # by name: the source of an array, and the array

    def encode(self, state: WalkState) -> Part:
        """Return the state of an enumeration as a part."""
        opened = state.opened
        arrays = {name: self._keep(name, getattr(state, name), np.asarray) for name in ("values", "best_scores")}
        for size, families in state.kept.items():
            arrays |= self._encode_families(f"size {size}", families)
        if opened is not None:
            arrays |= self._encode_open_size(opened)
        facts = {
            "complete": state.depth,
            "sizes": list(state.kept),
            "open size": None if opened is None else opened.size,
            "seconds per set": state.seconds_per_set,
            "seconds for next": encode_number(state.seconds_for_next),
        }
        return Part(facts, arrays)

    def _encode_families(self, name: str, families: list[RankedFamilies]) -> dict[str, NDArray[Any]]:
        return {
            f"{name} {field}": self._keep(f"{name} {field}", [getattr(own, field) for own in families], np.concatenate)
            for field in FIELDS
        }

    def _encode_open_size(self, opened: OpenSize) -> dict[str, NDArray[Any]]:
        # A copy, because the search continues to write into the arrays.
        arrays: dict[str, NDArray[Any]] = {
            "open values": np.array(opened.values),
            "open best_scores": np.array(opened.best_scores),
        }
        arrays["open pieces"] = np.array(list(opened.kept), dtype=np.int64)
        arrays["open sizes"] = np.array([len(own.places) for own in opened.kept.values()], dtype=np.int64)
        for field in FIELDS:
            arrays[f"open {field}"] = np.concatenate([getattr(own, field) for own in opened.kept.values()])
        return arrays

    def _keep(self, name: str, source: Any, make: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
        """Return the read-only array of a source: the last one of this name if the source is the same."""
        last, array = self._known.get(name, (None, None))
        if array is None or not _is_same(source, last):
            array = make(source).view()
            array.flags.writeable = False
            self._known[name] = source, array
        return array


def _is_same(source: Any, last: Any) -> bool:
    """Return True if two sources are the same array, or lists of the same arrays."""
    if not isinstance(source, list):
        return source is last
    return isinstance(last, list) and len(source) == len(last) and all(map(_is_same, source, last))


def decode_enumeration(part: Part) -> WalkState:
    """Return the state of an enumeration."""
    facts, arrays = part.facts, part.arrays
    kept = {int(size): [_take_families(f"size {size}", arrays)] for size in facts["sizes"]}
    size = facts["open size"]
    return WalkState(
        int(facts["complete"]),
        float(facts["seconds per set"]),
        float(facts["seconds for next"]),
        arrays["values"],
        arrays["best_scores"],
        kept,
        None if size is None else _decode_open_size(int(size), arrays),
    )


def _decode_open_size(size: int, arrays: Mapping[str, NDArray[Any]]) -> OpenSize:
    families = _take_families("open", arrays)
    bounds: Iterable[tuple[int, int]] = pairwise([0, *np.cumsum(arrays["open sizes"]).tolist()])
    parts = [RankedFamilies._make(array[first:last] for array in families) for first, last in bounds]
    pieces = [Piece(*numbers) for numbers in arrays["open pieces"].tolist()]
    return OpenSize(size, dict(zip(pieces, parts, strict=True)), arrays["open values"], arrays["open best_scores"])


def _take_families(name: str, arrays: Mapping[str, NDArray[Any]]) -> RankedFamilies:
    return RankedFamilies(*(arrays[f"{name} {field}"] for field in FIELDS))
