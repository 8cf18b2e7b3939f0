"""Greedy equivalence search in a single stage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.equivalence.class_search import ClassSearch, follow
from bnsearch.equivalence.climbing import both_ways
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class IGES(ClassSearch):
    """
    Greedy equivalence search in a single stage: insert or delete, whichever raises the score most.

    References
    ----------
    Alonso, de la Ossa, Gamez & Puerta (2018). On the use of local search heuristics to improve GES-based Bayesian
    network learning. Applied Soft Computing 64, 366-376, Algorithm 3.3.

    Notes
    -----
    An iteration is one operator applied. Ties are decided as in GES, for Delete before Insert as in line 5.
    """

    name: ClassVar[str] = "iges"

    def search(self, problem: Problem, run: Run) -> None:
        """Climb from the start."""
        here = self.begin(self.scorer_of(problem, run), problem.constraints)
        follow(both_ways(here, run.halted), here, run)
