"""Greedy equivalence search."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from bnsearch.equivalence.class_search import ClassSearch, follow
from bnsearch.equivalence.climbing import backward, forward
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class GES(ClassSearch):
    """
    Greedy equivalence search: insert edges while that raises the score, then delete edges while that does.

    Under faithfulness, with enough data, and without limits on T, H and the parents, the result is the class of the
    network that made the data.

    References
    ----------
    Chickering (2002). Optimal structure identification with greedy search. JMLR 3, 507-554. Written as BES(FES(start)),
    Algorithms 3.1 and 3.2 of Alonso, de la Ossa, Gamez & Puerta (2018), whose limit of 3 on T and H is the default.

    Notes
    -----
    An iteration is one operator applied. Gains that differ by less than the library's tolerance are ties; these go to
    Delete, then by Y, X and T or H in an order of the variables that depends on what the columns hold.
    """

    name: ClassVar[str] = "ges"

    def search(self, problem: Problem, run: Run) -> None:
        """Return BES(FES(start)), offered to the run step by step."""
        here = self.begin(self.scorer_of(problem, run), problem.constraints)
        follow(chain(forward(here, run.halted), backward(here, run.halted)), here, run)
