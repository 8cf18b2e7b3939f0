"""The best network that a run has found."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import inf

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.scores.score import improves

MAX_KEYS = 1000  # number of networks with the same score that are not compared again


class Incumbent:
    """
    The network with the highest score among those offered; it does not depend on the order of the offers.

    The network with the exactly highest score is kept; of several, the one whose parent lists come first in
    lexicographic order. `offer` returns True only for an improvement above the tolerance of `improves`.

    Attributes
    ----------
    score : score of the network; minus infinity before the first offer
    """

    def __init__(self) -> None:
        self.score = -inf
        self._make: Callable[[], DAG] | None = None
        self._dag: DAG | None = None
        self._keys: set[Hashable] = set()  # keys of networks that were offered with the score of the incumbent

    def offer(self, score: float, make: Callable[[], DAG], key: Hashable = None) -> bool:
        """
        Return True if a network improves the incumbent by more than rounding errors; keep it if it is the best.

        key : identifies the network, so that it is not made and compared again; None means that it is not known
        """
        improved = improves(score, self.score)
        if improved or score > self.score:
            self.score, self._make, self._dag, self._keys = score, make, None, {key}
        elif score == self.score and self._make is not None and (key is None or key not in self._keys):
            self._dag = min(self.dag, make(), key=lambda dag: dag.parents)
            if len(self._keys) < MAX_KEYS:
                self._keys.add(key)
        return improved

    @property
    def dag(self) -> DAG:
        """The network, which is constructed on first use."""
        if self._make is None:
            raise InputError("the run has found no network yet")
        self._dag = self._dag or self._make()
        return self._dag
