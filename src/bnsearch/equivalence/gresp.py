"""Greedy randomised construction and climbing over equivalence classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bnsearch.budgets.budget import StopCheck
from bnsearch.equivalence.class_search import ClassSearch
from bnsearch.equivalence.climber_pool import ClimberPool
from bnsearch.equivalence.neighbourhood import Neighbourhood
from bnsearch.equivalence.operators import Kind
from bnsearch.equivalence.trials import report_optimum
from bnsearch.errors import require
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class GRESP(ClassSearch):
    """
    Greedy randomised equivalence search procedure: construct a class by random insertions, climb by iGES, repeat.

    Parameters
    ----------
    maxk : int, default 8
        Maximum length of the restricted candidate list; each construction draws its length k from 2 to maxk.
    iterations : int, default 50
        Number of constructions.
    greedy_first : bool, default False
        Climb by GES, then by iGES, before the first construction; not in the paper.

    References
    ----------
    Alonso, de la Ossa, Gamez & Puerta (2018). On the use of local search heuristics to improve GES-based Bayesian
    network learning. Applied Soft Computing 64, 366-376, section 4.3 and Algorithm 4.3.

    Notes
    -----
    The restricted candidate list contains the k best operators Insert(X, Y, T) that raise the score, or all of them if
    there are fewer. Each step applies one of them, drawn at random. The constructions are independent, so the result
    does not depend on the number of threads. The best class is returned.

    It can happen that all constructions are worse than GES. With `greedy_first` the result is never worse than GES.
    This first climb is not counted as an iteration.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.GRESP()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -457.504
    """

    maxk: int = 8
    iterations: int = 50
    greedy_first: bool = False

    name: ClassVar[str] = "gresp"
    space: ClassVar[str] = "equivalence classes"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "Alonso et al. (2018)"
    purpose: ClassVar[str] = "to improve on GES with more time"

    def __post_init__(self) -> None:
        super().__post_init__()
        require("maxk", self.maxk, at_least=2, whole=True)
        require("iterations", self.iterations, at_least=0, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Construct and climb until the iterations are used up or the run stops."""
        self.restart(ClimberPool(self, problem, run), run)

    def restart(self, pool: ClimberPool, run: Run) -> None:
        """Search with the climbers of a pool, with one construction for each thread at a time."""
        report_optimum(pool.climb_in_two_stages() if self.greedy_first else pool.origin, run)
        seeds = run.rng.integers(2**63, size=self.iterations).tolist()
        while seeds and run.going():
            batch, seeds = seeds[: run.allowed(run.threads)], seeds[run.threads :]
            for optimum in run.map(
                lambda seed: pool.change_and_climb(pool.origin, Construction(self.maxk, seed)), batch
            ):
                report_optimum(optimum, run, iterations=1)


@dataclass(frozen=True)
class Construction:
    """
    FRES(class), Algorithm 4.3: random insertions from a restricted candidate list.

    Parameters
    ----------
    maxk : maximum length of the list
    seed : seed of the random numbers
    """

    maxk: int
    seed: int

    def __call__(self, state: Neighbourhood, halted: StopCheck) -> None:
        """Apply one of the k best Inserts at random until none raises the score."""
        rng = np.random.default_rng(self.seed)
        k = int(rng.integers(2, self.maxk + 1))  # line 2
        while candidates := state.find_best_few([Kind.INSERT], k, halted):  # lines 4, 7: FRS
            state.apply(candidates[int(rng.integers(len(candidates)))])  # lines 23, 5-6
