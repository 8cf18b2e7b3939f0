"""
Certificates of upper bounds: JSON files that `checker.py` verifies without the solver.

A certificate is one JSON object with these keys:

    format, version : "bnsearch certificate", 1
    variables : the names of the variables; numbers below are places in this list
    table : digest of the names and of the scores of the empty parent sets. It tells tables of different data apart. The
        checker computes the bound over the parent sets of the table that it is given
    bound : the upper bound
    leaves : the parts of the search space, each with its own bound. A part has the keys
        decisions : list of [child, parent, true or false]: the edge parent -> child must be in the network, or must not
        clusters : list of [members, order, multiplier], as in `ClusterBound`
    checksum : digest of all other keys

The decisions of the leaves are the paths of a complete binary tree from its root, so that the leaves cover all
networks. Without branching there is one leaf without decisions. The certificate contains no networks, so it proves an
upper bound; it proves optimality together with a network whose score is the bound.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from bnsearch._tools.files import atomic_open, read_bytes
from bnsearch.errors import InputError
from bnsearch.exact.cluster_bound import ClusterBound, pack_clusters
from bnsearch.parent_sets.table import ParentSets

FORMAT, VERSION = "bnsearch certificate", 1


class Decision(NamedTuple):
    """An edge that a part of the search space contains or excludes."""

    child: int
    parent: int
    is_edge: bool


@dataclass(frozen=True)
class Leaf:
    """
    A part of the search space with its bound.

    Attributes
    ----------
    decisions : path from the root of the search tree
    bound : a bound over the rows that the decisions allow
    """

    decisions: tuple[Decision, ...]
    bound: ClusterBound


def write_certificate(
    path: str | os.PathLike[str], parent_sets: ParentSets, proof: ClusterBound | Sequence[Leaf]
) -> None:
    """Write the certificate of a bound, or of the leaves of a search tree; gzipped if the name ends in .gz."""
    leaves = [Leaf((), proof)] if isinstance(proof, ClusterBound) else list(proof)
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "variables": list(parent_sets.names),
        "table": compute_table_digest(parent_sets),
        "bound": max(leaf.bound.value for leaf in leaves),
        "leaves": [_describe(leaf) for leaf in leaves],
    }
    content["checksum"] = _compute_digest(content)
    with atomic_open(path) as file:
        file.write(json.dumps(content, allow_nan=False).encode() + b"\n")


def read_certificate(path: str | os.PathLike[str], parent_sets: ParentSets) -> list[Leaf]:
    """
    Return the leaves of a certificate, with bounds computed over the candidate table.

    Raise an InputError if the file is damaged or belongs to another table. The values of bounds of leaves with
    decisions are bounds over all rows of the table.
    """
    try:
        content = json.loads(read_bytes(path))
        checksum = content.pop("checksum")
        if checksum != _compute_digest(content) or content["format"] != FORMAT or content["version"] != VERSION:
            raise ValueError
        digest, leaves = content["table"], content["leaves"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{path} is not a certificate, or it is damaged: write it again") from None
    if digest != compute_table_digest(parent_sets):
        raise InputError(f"{path} was made for another table: the variables or their scores differ")
    return [_restore(leaf, parent_sets) for leaf in leaves]


def compute_table_digest(parent_sets: ParentSets) -> str:
    """Return the digest of the names and of the scores of the empty parent sets."""
    empty = parent_sets.scores[parent_sets.begin[1:] - 1].tolist()
    return _compute_digest([list(parent_sets.names), [repr(score) for score in empty]])


def _describe(leaf: Leaf) -> dict[str, Any]:
    """Return a leaf as JSON has it."""
    bound = leaf.bound
    numbers = bound.orders.tolist(), bound.multipliers.tolist()
    return {
        "decisions": [list(decision) for decision in leaf.decisions],
        "clusters": [list(cluster) for cluster in zip(bound.list_members(), *numbers, strict=True)],
    }


def _restore(leaf: dict[str, Any], parent_sets: ParentSets) -> Leaf:
    """Return a leaf from JSON."""
    clusters = leaf["clusters"]
    first = np.cumsum([0] + [len(members) for members, _, _ in clusters])
    members = np.array([v for own, _, _ in clusters for v in own], dtype=np.int32)
    bound = ClusterBound.evaluate(
        parent_sets,
        pack_clusters(first, members, parent_sets.n_variables),
        np.array([order for _, order, _ in clusters], dtype=np.int64),
        np.array([multiplier for _, _, multiplier in clusters], dtype=np.float64),
    )
    return Leaf(tuple(Decision(*decision) for decision in leaf["decisions"]), bound)


def _compute_digest(content: object) -> str:
    """Return the SHA-256 digest of the JSON text of an object."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
