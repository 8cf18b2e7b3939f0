"""Greedy equivalence search in a single stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from bnsearch.budgets.budget import StopCheck
from bnsearch.equivalence.class_search import ClassSearch, report_class, report_step
from bnsearch.equivalence.neighbourhood import Neighbourhood
from bnsearch.equivalence.operators import Kind, Step
from bnsearch.runs.method import Needs
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
    An iteration is one operator applied. Ties are decided as in GES; Delete comes before Insert, as in line 5.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.IGES()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=None, seed=1)
    >>> round(result.score, 3)
    -454.28
    """

    name: ClassVar[str] = "iges"
    space: ClassVar[str] = "equivalence classes"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "Alonso et al. (2018)"
    purpose: ClassVar[str] = "for speed; consistent in the large-sample limit"

    def search(self, problem: Problem, run: Run) -> None:
        """Search from the start to iGES(start), and report every class on the way."""
        state = self.start_neighbourhood(self.prepare_scorer(problem, run), problem.constraints)
        report_class(state, run)
        for _ in single_stage_search(state, run.halted):
            report_step(state, run)
            if not run.going():
                break
        run.count(**state.take_counts())


def single_stage_search(state: Neighbourhood, halted: StopCheck) -> Iterator[Step]:
    """Apply the best Insert or Delete until none raises the score (Algorithm 3.3); yield each step."""
    while (step := state.find_best([Kind.INSERT, Kind.DELETE], halted)) is not None:  # lines 2-4, 9-10: FS and BS
        state.apply(step)  # lines 5-8
        yield step
