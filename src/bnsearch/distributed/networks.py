"""Networks and families as small arrays, which travel between processes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.parent_sets.rows import Families

MAX_FAMILIES = 100_000  # maximum number of families in a message, about 3 MB, unless each variable has one


@dataclass(frozen=True, eq=False)
class ScoredNetwork:
    """
    A network with its local scores.

    Attributes
    ----------
    sizes : int32[n], number of parents of each variable
    members : int32[...], parents of the first variable, then those of the second, and so on
    scores : float64[n], local scores
    """

    sizes: NDArray[np.int32]
    members: NDArray[np.int32]
    scores: NDArray[np.float64]

    @property
    def score(self) -> float:
        """The score of the network, summed exactly."""
        return math.fsum(self.scores.tolist())

    @property
    def parents(self) -> list[list[int]]:
        """The parents of each variable."""
        members = self.members.tolist()
        return [members[start:stop] for start, stop in pairwise([0, *np.cumsum(self.sizes).tolist()])]

    def make_dag(self, names: Sequence[str]) -> DAG:
        """Return the network as a DAG."""
        return DAG(names, self.parents)


def describe_network(parents: Sequence[Sequence[int]], scores: NDArray[np.float64]) -> ScoredNetwork:
    """Return a network given by parents and local scores."""
    sizes = np.array([len(own) for own in parents], dtype=np.int32)
    members = np.array([parent for own in parents for parent in own], dtype=np.int32)
    return ScoredNetwork(sizes, members, np.array(scores))


def list_best_families(families: Families, n: int, number: int) -> Families:
    """Return the best families of each variable, up to a number; ties keep the given order."""
    order = np.lexsort((-families.scores, families.child))
    child = families.child[order]
    begin = np.searchsorted(child, np.arange(n))
    chosen = order[np.arange(len(order)) - begin[child] < number]
    first, sizes = families.first[chosen], families.sizes[chosen]
    offsets = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    members = families.members[np.repeat(first, sizes) + offsets]
    return Families(families.child[chosen], families.scores[chosen], sizes, members)


def count_families(n: int, number: int) -> int:
    """Return the number of families of each of n variables in a message: `number`, or fewer with many variables."""
    return max(1, min(number, MAX_FAMILIES // n))


def copy_families(families: Families) -> Families:
    """Return writable copies: arrays from another process may be read-only, and kernels would be compiled again."""
    child, scores, sizes, members = families
    return Families(np.array(child), np.array(scores), np.array(sizes), np.array(members))
