"""What a search returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bnsearch.graphs.dag import DAG
from bnsearch.trace import Trace

if TYPE_CHECKING:
    from bnsearch.graphs.pdag import PDAG


@dataclass(frozen=True, eq=False, kw_only=True)
class Result:
    """
    The best network of a search, and how it was found.

    Attributes
    ----------
    dag : the network
    score : its score
    bound : no network over the same candidate sets scores higher; None where no bound is known
    optimal : whether the score is proven to be the highest
    stop : why the search ended: "seconds", "iterations", "evaluations", "target", "no improvement", "interrupted", or
        "complete" when the method had nothing left to do, or the bound is reached
    trace : every improvement
    iterations, evaluations, seconds : what it took; an evaluation is one local score asked for
    computed : evaluations that were not found in a cache
    method, parameters : what searched
    seed : the seed; the same seed and iterations give the same result
    notes : what was decided on the way and should be known
    """

    dag: DAG
    score: float
    bound: float | None
    optimal: bool
    stop: str
    trace: Trace = field(repr=False)
    iterations: int
    evaluations: int
    computed: int
    seconds: float
    method: str
    parameters: dict[str, Any]
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def gap(self) -> float | None:
        """How far the score is below the bound, relative to the bound; zero when proven optimal."""
        if self.optimal:
            return 0.0
        return None if self.bound is None else max(0.0, self.bound - self.score) / max(1.0, abs(self.bound))

    @cached_property
    def cpdag(self) -> PDAG:
        """The equivalence class of the network."""
        from bnsearch.graphs import cpdag

        return cpdag(self.dag)

    def __repr__(self) -> str:
        standing = "optimal" if self.optimal else "" if self.gap is None else f"gap {100 * self.gap:.3g}%"
        parts = [f"score {self.score:.6f}", standing, f"{self.method}, {self.seconds:.1f} s, stopped: {self.stop}"]
        return (
            f"Result({len(self.dag.names)} variables, {len(self.dag.edges)} edges, {', '.join(p for p in parts if p)})"
        )
