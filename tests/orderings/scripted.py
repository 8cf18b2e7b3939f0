"""A local search whose results are scripted, so that each step of a metaheuristic is known in advance."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bnsearch.graphs import DAG
from bnsearch.orderings.state import Climb, ScoredOrdering


@dataclass(frozen=True, eq=False)
class Optimum:
    """A local optimum with a scripted score; its ordering is the one that the climb started from."""

    order: np.ndarray
    score: float
    names: tuple[str, ...]
    key: None = None

    def dag(self) -> DAG:
        """Return an empty network."""
        return DAG.empty(self.names)


class NoBound:
    """Replacement of the relaxed solution, because scripted scores are unrelated to those of the table."""

    score = math.inf

    def __init__(self, table: Any) -> None:
        pass


class Script:
    """Scores of the climbs to come; their starts and their other arguments, from `halted` on, are recorded."""

    def __init__(self, scores: Sequence[float]) -> None:
        self.scores = list(scores)
        self.starts: list[list[int]] = []
        self.arguments: list[tuple[Any, ...]] = []
        self.initial, self.steps = -math.inf, 0

    def make_climber(self, index: Any) -> Script:
        """Replace the class of the climber."""
        self.names = index.table.names
        return self

    def climb(
        self, order: np.ndarray, rng: np.random.Generator, halted: Callable[[float], bool], *more: Any, **named: Any
    ) -> ScoredOrdering:
        """Return the next scripted local optimum."""
        self.starts.append(order.tolist())
        self.arguments.append((halted, *more, named))
        return Optimum(order.copy(), self.scores[len(self.starts) - 1], self.names)  # type: ignore[return-value]

    def climb_all(
        self, orders: Sequence[np.ndarray], rng: np.random.Generator, *more: Any, **named: Any
    ) -> Iterator[list[Climb]]:
        """Yield the next scripted climb from each start."""
        for order in orders:
            yield [Climb(self.initial, self.climb(order, rng, *more, **named), self.steps)]

    def clear_caches(self) -> None:
        """Do nothing: there are no caches."""

    def new_evaluations(self) -> int:
        """Return the evaluations of a climb."""
        return 1
