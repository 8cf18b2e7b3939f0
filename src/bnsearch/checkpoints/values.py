"""Networks, tables, generators and numbers as arrays and JSON values, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.parent_sets.table import ParentSets

Arrays = dict[str, NDArray[Any]]
TABLE_ARRAYS = "begin", "scores", "first", "members"


def encode_number(number: float) -> float | str:
    """Return a number as a JSON value, of which `float` makes the number again; JSON has no infinity."""
    return float(number) if isfinite(number) else str(float(number))


def encode_parents(parents: Sequence[Sequence[int]]) -> Arrays:
    """Return the parents of all variables as arrays."""
    return {
        "sizes": np.array([len(own) for own in parents], dtype=np.int32),
        "members": np.array([parent for own in parents for parent in own], dtype=np.int32),
    }


def decode_parents(arrays: Mapping[str, NDArray[Any]]) -> list[list[int]]:
    """Return the parents of all variables."""
    members = arrays["members"].tolist()
    return [members[first:last] for first, last in pairwise([0, *np.cumsum(arrays["sizes"]).tolist()])]


def encode_table(table: ParentSets) -> Arrays:
    """Return the arrays of a candidate table, which are read-only and therefore written once."""
    return {name: getattr(table, name) for name in TABLE_ARRAYS}


def decode_table(names: Sequence[str], arrays: Mapping[str, NDArray[Any]]) -> ParentSets:
    """Return a candidate table."""
    return ParentSets(tuple(names), *(arrays[name] for name in TABLE_ARRAYS))


def encode_generator(generator: np.random.Generator) -> dict[str, Any]:
    """Return the state of a generator, and the number of generators that it has spawned, as JSON values."""
    bits = generator.bit_generator
    return {"state": bits.state, "spawned": getattr(bits.seed_seq, "n_children_spawned", 0)}


def decode_generator(seed: int, facts: Mapping[str, Any]) -> np.random.Generator:
    """Return the generator of a seed in a given state."""
    sequence = np.random.SeedSequence(seed, n_children_spawned=int(facts["spawned"]))
    generator = np.random.default_rng(sequence)
    generator.bit_generator.state = facts["state"]
    return generator
