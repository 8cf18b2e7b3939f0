"""Cuts: linear inequalities that the parent sets of every network without cycles satisfy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.components import Component

MAX_LOCAL_VARIABLES = 6  # variables of a local cut: it has c * 2^c coefficients


@dataclass(frozen=True, eq=False)
class Cut:
    """
    An inequality: the sum of the coefficients of the chosen parent sets of its members is at most `limit`.

    A *cluster inequality* of order k has the coefficient 1 for parent sets with at least k parents in the cluster, and
    0 for others. In a topological order, the first k of c members have fewer than k parents in the cluster. So at most
    c - k members have k or more. A *local cut* has any coefficients that depend on the parents among its members. Its
    limit is the maximum over all networks of the members.

    Attributes
    ----------
    members : int64[c], the variables
    order : k of a cluster inequality; 0 for a local cut
    weights : float64[c, 2^c], the coefficients of a local cut: weights[i, mask] belongs to the i-th member, and bit j
        of the mask means that the j-th member is a parent. Empty for a cluster inequality
    limit : maximum of the sum
    """

    members: NDArray[np.int64]
    order: int
    weights: NDArray[np.float64]
    limit: float


def make_cluster_cut(members: NDArray[np.int64], order: int) -> Cut:
    """Return the cluster inequality of some variables."""
    return Cut(members, order, np.empty((0, 0)), float(len(members) - order))


def restrict_cuts(cuts: Sequence[Cut], component: Component) -> list[Cut]:
    """Return those cuts whose members are all in a component, as cuts of the component."""
    place = {v: i for i, v in enumerate(component.variables.tolist())}
    return [
        replace(cut, members=np.array([place[v] for v in cut.members.tolist()]))
        for cut in cuts
        if place.keys() >= set(cut.members.tolist())
    ]


class CutPool:
    """
    The cuts of one component, in arrays that kernels read.

    Parameters
    ----------
    n_variables : number of variables of the component
    memory : maximum number of bytes

    Attributes
    ----------
    count : number of cuts
    """

    def __init__(self, n_variables: int, memory: int) -> None:
        self.count = 0
        self._memory = memory
        self._places = np.zeros((64, n_variables), dtype=np.int16)
        self._clusters = np.zeros((64, (n_variables + 63) // 64), dtype=np.uint64)
        self._orders, self._sizes, self._starts = np.zeros((3, 64), dtype=np.int64)
        self._limits = np.zeros(64)
        self._weights = np.zeros(1024)
        self._n_weights = 0
        self._numbers: dict[bytes, int] = {}

    @property
    def arrays(self) -> tuple[NDArray[np.generic], ...]:
        """The argument `pool` of kernels."""
        return self._clusters, self._places, self._orders, self._sizes, self._starts, self._weights

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of members of each cut."""
        return self._sizes[: self.count]

    @property
    def limits(self) -> NDArray[np.float64]:
        """The limit of each cut."""
        return self._limits[: self.count]

    @property
    def is_full(self) -> bool:
        """Whether the next growth of the arrays may exceed the memory."""
        used = self._clusters.nbytes + self._places.nbytes + 4 * self._limits.nbytes + self._weights.nbytes
        return 2 * used > self._memory

    def add(self, cut: Cut) -> int:
        """Add a cut, and return its number; that of an equal cut if there is one."""
        key = cut.members.tobytes() + bytes([cut.order]) + cut.weights.round(9).tobytes()
        if key in self._numbers:
            return self._numbers[key]
        if self.count == len(self._limits):
            self._grow()
        number = self.count
        self._places[number, cut.members] = np.arange(1, len(cut.members) + 1)
        words, bits = np.divmod(cut.members, 64)
        np.bitwise_or.at(self._clusters[number], words, np.uint64(1) << bits.astype(np.uint64))
        self._orders[number], self._sizes[number] = cut.order, len(cut.members)
        self._starts[number], self._limits[number] = self._n_weights, cut.limit
        stop = self._n_weights + cut.weights.size
        if stop > len(self._weights):
            self._weights = np.resize(self._weights, 2 * stop)
        self._weights[self._n_weights : stop] = cut.weights.reshape(-1)
        self._n_weights = stop
        self.count += 1
        self._numbers[key] = number
        return number

    def __getitem__(self, number: int) -> Cut:
        """Return a cut by its number."""
        members = np.flatnonzero(self._places[number])
        members = members[np.argsort(self._places[number, members])]
        c, start = len(members), self._starts[number]
        size = 0 if self._orders[number] else c << c
        weights = self._weights[start : start + size].reshape((c, 1 << c) if size else (0, 0))
        return Cut(members, int(self._orders[number]), weights.copy(), float(self._limits[number]))

    def _grow(self) -> None:
        """Double the arrays."""
        for name in ("_clusters", "_places", "_orders", "_sizes", "_starts", "_limits"):
            array = getattr(self, name)
            setattr(self, name, np.concatenate((array, np.zeros_like(array))))
