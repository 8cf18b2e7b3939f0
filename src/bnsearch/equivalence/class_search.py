"""What the methods over equivalence classes have in common: their limits, where they start, which scores they take."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bnsearch.equivalence.first_step import value_pairs
from bnsearch.equivalence.neighbourhood import Neighbourhood, Step
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
    max_subset : the most members of T in Insert(X, Y, T) and of H in Delete(X, Y, H); None for no limit
    max_parents : the most parents of a variable; None for no limit
    start : the class to begin with, a CPDAG or any graph with a consistent extension; None for the empty graph
    count_families : count the distinct families whose local score is asked for, see `Result.families`; this takes 100
        bytes of memory for each

    Notes
    -----
    Alonso et al. (2018), section 5.1, maximise BDeu with ess = 10 and the structure prior kappa = 1 / (ess + 1):
    `BDeu(ess=10, prior=True)`, on the command line `--score bdeu --ess 10 --prior`. As everywhere in this library, the
    score is a matter of the problem, not of the method.

    Their calls to the metric, computed or retrieved from a cache (section 5.3, Table 5), are `families`, not
    `evaluations`: these count a family every time that it is asked for, except when a search goes back to a class.
    Here the path test comes after the scores, and both kinds of operators are always listed; so some families are
    asked for that the pseudo-code passes over.

    With background knowledge a search goes only to classes that have a legal DAG, and returns such a DAG. It begins at
    the class of the required edges, or at `start` made legal.
    """

    max_subset: int | None = 3
    max_parents: int | None = None
    start: PDAG | None = None
    count_families: bool = False

    def __post_init__(self) -> None:
        for name in ("max_subset", "max_parents"):
            if getattr(self, name) is not None:
                require(name, getattr(self, name), at_least=0, whole=True)
        if self.start is not None and not isinstance(self.start, PDAG):
            raise InputError(f"start must be a PDAG, such as the cpdag of a result, not {self.start!r}")

    def scorer_of(self, problem: Problem, run: Run) -> Scorer:
        """Return the problem's scorer, the first scores made in threads; refuse a score that classes do not have."""
        score = problem.needed_score
        if not score.equivalent:
            raise InputError(
                f"a search over equivalence classes needs a score that equivalent networks share; {score.name} gives "
                "them different values: use bdeu, bic, aic or qnml, or search over DAGs"
            )
        if self.start is None:
            value_pairs(problem.scorer, run)
        return problem.scorer

    def begin(self, scorer: Scorer, constraints: Constraints | None = None, *, every: bool = False) -> Neighbourhood:
        """Return the place where the search starts: the start, made legal, or the class of the required edges alone."""
        here = Neighbourhood(
            scorer,
            max_subset=self.max_subset,
            max_parents=self.max_parents,
            every=every,
            constraints=constraints,
            count_families=self.count_families,
        )
        if self.start is not None:
            here.start_at(self.start)
        return here


def follow(steps: Iterator[Step], here: Neighbourhood, run: Run) -> None:
    """Go through the steps of a climb, offering every class on the way, until they or the run end."""
    run.offer(here.score, here.maker())
    for _ in steps:
        run.count(iterations=1, **here.spent())
        run.offer(here.score, here.maker())
        if not run.going():
            break
    run.count(**here.spent())
