"""Max-min hill climbing: a climb over DAGs restricted to the edges that independence tests allow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from bnsearch.dags.hillclimb import Tabu
from bnsearch.errors import require
from bnsearch.independence.decisions import GTest
from bnsearch.independence.neighbourhoods import find_max_min_neighbours, find_mutual_pairs
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class MMHC:
    """
    Max-min hill climbing: find parents and children by tests, then climb over the DAGs whose edges join such pairs.

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level of the G-tests.
    rows_per_degree : float, default 5.0
        Minimum number of rows for each degree of freedom of a test.
    max_condition : int, default 3
        Maximum number of variables in the condition of a test.
    length : int, default 100
        Number of graphs in the tabu list.
    patience : int, default 15
        Number of successive steps without a better graph after which a climb ends.
    restarts : int, default 10
        Number of climbs after the first; None means no limit.
    perturbation : float, default 0.5
        Probability with which a restart removes each edge.

    References
    ----------
    Tsamardinos, Brown & Aliferis (2006), "The max-min hill-climbing Bayesian network structure learning algorithm".

    Notes
    -----
    The paper's climb has a tabu list of the last 100 graphs and ends after 15 steps without a better one. The restarts
    are ours, as in `HillClimb`. Under a time budget, the tests may use half of it. An edge between two variables that
    were not reached by then is allowed.

    `max_condition` is ours: the paper tries all subsets of the candidates. The rule for too few rows is ours, too. The
    authors' program requires five rows for each cell of a table on average; this one requires them for each degree of
    freedom of the declared states. The degrees of freedom of the statistic count the states that occur under each
    condition. A test with zero degrees of freedom separates nothing (see `GTest`).

    Evaluations are tests and local scores together.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.MMHC()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -457.287
    """

    name: ClassVar[str] = "mmhc"
    space: ClassVar[str] = "DAGs restricted by independence tests"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "Tsamardinos et al. (2006)"
    purpose: ClassVar[str] = "to recover the true graph, not to maximise the score"

    alpha: float = 0.05
    rows_per_degree: float = 5.0
    max_condition: int = 3
    length: int = 100
    patience: int = 15
    restarts: int | None = 10
    perturbation: float = 0.5

    def __post_init__(self) -> None:
        require("max_condition", self.max_condition, at_least=1, whole=True)
        _ = self._test, self._climb  # these check their parameters

    @property
    def _test(self) -> GTest:
        return GTest(alpha=self.alpha, rows_per_degree=self.rows_per_degree)

    @property
    def _climb(self) -> Tabu:
        return Tabu(
            length=self.length,
            patience=self.patience,
            restarts=self.restarts,
            perturbation=self.perturbation,
        )

    def search(self, problem: Problem, run: Run) -> None:
        """Find the pairs that an edge may join, then climb by tabu search among the DAGs with such edges."""
        data = problem.needed_data
        local = partial(find_max_min_neighbours, max_condition=self.max_condition, halted=run.halted)
        allowed = find_mutual_pairs(data, self._test, local, run, unknown_pairs=True)
        self._climb.search_within(allowed, problem, run)
