"""Greedy equivalence search."""

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
class GES(ClassSearch):
    """
    Greedy equivalence search: insert edges while that raises the score, then delete edges while that raises it.

    Under faithfulness, in the large-sample limit, and without limits on T, H and the parents, the result is the class
    of the network that generated the data.

    References
    ----------
    Chickering (2002). Optimal structure identification with greedy search. JMLR 3, 507-554.
    Alonso, de la Ossa, Gamez & Puerta (2018). On the use of local search heuristics to improve GES-based Bayesian
    network learning. Applied Soft Computing 64, 366-376, Algorithms 3.1 (FES) and 3.2 (BES).

    Notes
    -----
    The search returns BES(FES(start)): the forward stage (FES) inserts, the backward stage (BES) deletes. Line numbers
    in the code are those of Alonso et al. (2018). As in their paper, T and H have at most 3 members by default. Line
    2 of BES is not needed, because the class is always completed. The start may be any class; the paper starts with the
    empty network. Operators of both kinds are listed and scored in both stages, but only one kind is applied. One
    iteration applies one operator.

    Gains are rounded to multiples of the library's tolerance before they are compared. Among operators with the same
    rounded gain, Y, X and then T or H decide, in an order of the variables that depends only on the content of the
    columns.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.GES()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=None, seed=1)
    >>> round(result.score, 3)
    -454.28
    """

    name: ClassVar[str] = "ges"
    space: ClassVar[str] = "equivalence classes"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "Chickering (2002)"
    purpose: ClassVar[str] = "for speed; consistent in the large-sample limit"

    def search(self, problem: Problem, run: Run) -> None:
        """Search from the start to BES(FES(start)), and report every class on the way."""
        state = self.start_neighbourhood(self.prepare_scorer(problem, run), problem.constraints)
        report_class(state, run)
        for _ in two_stage_search(state, run.halted):
            report_step(state, run)
            if not run.going():
                break
        run.count(**state.take_counts())


def two_stage_search(state: Neighbourhood, halted: StopCheck) -> Iterator[Step]:
    """Change the class of the state to BES(FES(class)); yield each step after it was applied."""
    yield from forward_search(state, halted)
    yield from backward_search(state, halted)


def forward_search(state: Neighbourhood, halted: StopCheck) -> Iterator[Step]:
    """FES (Algorithm 3.1): apply the best Insert until none raises the score; yield each step."""
    while (step := state.find_best([Kind.INSERT], halted)) is not None:  # lines 2-3, 6: FS
        state.apply(step)  # lines 4-5
        yield step


def backward_search(state: Neighbourhood, halted: StopCheck) -> Iterator[Step]:
    """BES (Algorithm 3.2): apply the best Delete until none raises the score; yield each step."""
    while (step := state.find_best([Kind.DELETE], halted)) is not None:  # lines 3-4, 7: BS
        state.apply(step)  # lines 5-6
        yield step
