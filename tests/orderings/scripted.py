"""A local search that follows a script: what a metaheuristic does with it is then known step by step."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bnsearch.graphs import DAG
from bnsearch.orderings.climber import Placed


@dataclass(frozen=True, eq=False)
class Optimum:
    """A local optimum with a score from the script, at the ordering that the climb was given."""

    order: np.ndarray
    score: float
    names: tuple[str, ...]

    def dag(self) -> DAG:
        """Return some network."""
        return DAG.empty(self.names)


class NoBound:
    """Take the place of the relaxed solution: a script's scores have nothing to do with those of the table."""

    score = math.inf

    def __init__(self, table: Any) -> None:
        pass


class Script:
    """Scores for the climbs to come, and the orderings that they were started from."""

    def __init__(self, scores: Sequence[float]) -> None:
        self.scores = list(scores)
        self.starts: list[list[int]] = []
        self.initial, self.steps = -math.inf, 0

    def climber(self, index: Any) -> Script:
        """Take the place of the class `Climber`."""
        self.names = index.table.names
        return self

    def climb(
        self, order: np.ndarray, rng: np.random.Generator, halted: Callable[[float], bool], **limits: Any
    ) -> Placed:
        """Return the next local optimum of the script."""
        self.starts.append(order.tolist())
        return Optimum(order.copy(), self.scores[len(self.starts) - 1], self.names)  # type: ignore[return-value]

    def evaluations(self) -> int:
        """Return the cost of a climb."""
        return 1
