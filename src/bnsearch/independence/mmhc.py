"""Max-min hill climbing: tests of independence say which edges a climb may use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from bnsearch.dags.hillclimb import Tabu
from bnsearch.errors import require
from bnsearch.independence.decisions import GTest
from bnsearch.independence.neighbourhoods import max_min_parents_and_children, mutual
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class MMHC:
    """
    Find each variable's parents and children by tests, then climb among the graphs that join only such pairs.

    Parameters
    ----------
    alpha : level of the G-tests
    rows_per_degree : a test is not made with fewer rows than this for each degree of freedom
    max_condition : the most variables in the condition of a test
    max_parents : the most parents of a variable; None means any number
    length : how many of the last graphs the tabu search does not enter again
    patience : steps in a row that find nothing better, after which a climb ends
    restarts : climbs that follow the first; None means until the run stops
    perturbation : the share of edges, drawn at random, that is taken away before a restart

    References
    ----------
    Tsamardinos, Brown & Aliferis (2006), "The max-min hill-climbing Bayesian network structure learning algorithm".

    Notes
    -----
    The paper's climb keeps the last 100 graphs tabu and ends after 15 steps that find nothing better; restarts are
    added here as in `HillClimb`. If there is a limit on the time, the tests have half of it; of variables that are not
    reached by then all pairs are allowed.

    `max_condition` is ours: the paper tries all subsets of the candidates. So is the rule for too few rows: the
    authors' program asks for five rows for each cell of a table on average, this one for each degree of freedom of the
    declared states. The statistic's own degrees of freedom count the states that occur under each condition, and a
    test without any separates nothing (see `GTest`).

    Evaluations are tests and local scores together.
    """

    name: ClassVar[str] = "mmhc"

    alpha: float = 0.05
    rows_per_degree: float = 5.0
    max_condition: int = 3
    max_parents: int | None = None
    length: int = 100
    patience: int = 15
    restarts: int | None = 10
    perturbation: float = 0.5

    def __post_init__(self) -> None:
        require("max_condition", self.max_condition, at_least=1, whole=True)
        _ = self._test, self._climb

    @property
    def _test(self) -> GTest:
        return GTest(alpha=self.alpha, rows_per_degree=self.rows_per_degree)

    @property
    def _climb(self) -> Tabu:
        return Tabu(
            max_parents=self.max_parents,
            length=self.length,
            patience=self.patience,
            restarts=self.restarts,
            perturbation=self.perturbation,
        )

    def search(self, problem: Problem, run: Run) -> None:
        """Find the pairs that may be joined, then climb."""
        data = problem.needed_data
        local = partial(max_min_parents_and_children, max_condition=self.max_condition, halted=run.halted)
        allowed = mutual(data, self._test, local, run, untold=True)
        self._climb.search_within(allowed, problem, run)
