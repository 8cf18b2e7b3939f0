"""The base class of the methods over equivalence classes: limits, start, and the scores that they accept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.equivalence.first_step import value_pairs
from bnsearch.equivalence.neighbourhood import Neighbourhood
from bnsearch.errors import InputError, require
from bnsearch.graphs.pdag import PDAG
from bnsearch.knowledge.constraints import Constraints
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.scorer import Scorer


@dataclass(frozen=True, kw_only=True)
class ClassSearch:
    """
    A search over equivalence classes.

    Parameters
    ----------
    max_subset : int, default 3
        Maximum number of members of T in Insert(X, Y, T) and of H in Delete(X, Y, H); None means no limit.
    start : PDAG, optional
        The class to begin with, a CPDAG or any graph with a consistent extension; None means the empty graph.
    count_families : bool, default False
        Count the distinct families whose local score is used, see `Result.families`; this takes 100 bytes of memory
        for each.

    Notes
    -----
    Alonso et al. (2018), section 5.1, maximise BDeu with ess = 10 and the structure prior kappa = 1 / (ess + 1):
    `BDeu(ess=10, prior=True)`, on the command line `--score bdeu --ess 10 --prior`. As everywhere in this library, the
    score is part of the problem, not of the method.

    Section 5.3 and Table 5 of that paper count calls to the metric, computed or retrieved from a cache. Here this
    number is `Result.families`. `Result.evaluations` is higher, because it counts a family each time that a gain uses
    it. Gains that are read from a list when a search returns to a class are not counted. Some families are scored that
    the pseudo-code skips, for two reasons: the path test comes after the gains, and deletions are listed during FES,
    too.

    With background knowledge a search visits only classes that have a legal DAG, and returns such a DAG. It begins at
    the class of the required edges, or at `start` made legal.
    """

    begins_at_start: ClassVar[bool] = True

    max_subset: int | None = 3
    start: PDAG | None = None
    count_families: bool = False

    def __post_init__(self) -> None:
        if self.max_subset is not None:
            require("max_subset", self.max_subset, at_least=0, whole=True)
        if self.start is not None and not isinstance(self.start, PDAG):
            raise InputError(f"start must be a PDAG, such as the cpdag of a result, not {self.start!r}")

    def prepare_scorer(self, problem: Problem, run: Run) -> Scorer:
        """
        Return the problem's scorer.

        Raise an InputError if equivalent networks have different scores. The values of all pairs, which the first step
        needs, are computed in threads.
        """
        score = problem.needed_score
        if not score.equivalent:
            raise InputError(
                f"a search over equivalence classes needs a score that equivalent networks share; {score.name} gives "
                "them different values: use bdeu, bic, aic or qnml, or search over DAGs"
            )
        if self.start is None:
            value_pairs(problem.scorer, run)
        return problem.scorer

    def start_neighbourhood(
        self, scorer: Scorer, constraints: Constraints | None = None, *, keep_all: bool = False
    ) -> Neighbourhood:
        """
        Return the state at the start of the search: `start`, made legal, or the class of the required edges.

        keep_all : list operators that lower the score, too; perturbations need them
        """
        state = Neighbourhood(
            scorer,
            max_subset=self.max_subset,
            keep_all=keep_all,
            constraints=constraints,
            count_families=self.count_families,
        )
        if self.start is not None:
            state.start_at(self.start)
        return state


def report_class(state: Neighbourhood, run: Run) -> None:
    """Offer the current class to the run."""
    run.offer(state.score, state.dag_maker())


def report_step(state: Neighbourhood, run: Run) -> None:
    """Count a step as one iteration, and offer the class that it leads to."""
    run.count(iterations=1, **state.take_counts())
    report_class(state, run)
