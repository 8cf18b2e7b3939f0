"""Iterated local search over equivalence classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.equivalence.climber_pool import ClimberPool
from bnsearch.equivalence.perturbing import Perturbing
from bnsearch.equivalence.trials import find_first_better, report_optimum
from bnsearch.errors import require
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class ILGES(Perturbing):
    """
    Iterated local greedy equivalence search: perturb the best class, climb by iGES, keep the better class.

    Parameters
    ----------
    perturbation : int, optional
        Number of noisy steps of a perturbation, k in the paper; None means half the number of variables.
    iterations : int, default 100
        Number of perturbations.

    References
    ----------
    Alonso, de la Ossa, Gamez & Puerta (2018). On the use of local search heuristics to improve GES-based Bayesian
    network learning. Applied Soft Computing 64, 366-376, Algorithm 4.1.

    Notes
    -----
    Where the text and the pseudo-code of the paper differ, the method follows the text:

    - The best class so far is perturbed; in the pseudo-code, the last class.
    - A perturbation has k steps; in the pseudo-code, k + 2.
    - The best class is returned; in the pseudo-code, the last class.
    - The noise has one standard deviation for all operators of a step; in the pseudo-code, each operator has its own.
      See `noise_scale` of `Perturbing`.

    Every class offered is a local optimum of iGES, so the large-sample guarantee of GES holds for it.

    With several threads, perturbations of the same class are tried at the same time. Trials after the first improvement
    are discarded, so that the result does not depend on the number of threads.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.ILGES()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -454.28
    """

    perturbation: int | None = None
    iterations: int = 100

    name: ClassVar[str] = "ilges"
    space: ClassVar[str] = "equivalence classes"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "Alonso et al. (2018)"
    purpose: ClassVar[str] = "to improve on GES with more time"

    def __post_init__(self) -> None:
        super().__post_init__()
        require("iterations", self.iterations, at_least=0, whole=True)
        if self.perturbation is not None:
            require("perturbation", self.perturbation, at_least=1, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Climb by iGES from the start, then perturb and climb until the iterations are used up or the run stops."""
        self.iterate(ClimberPool(self, problem, run, keep_all=True), problem.size, run)

    def iterate(self, pool: ClimberPool, size: int, run: Run) -> None:
        """Search with the climbers of a pool; `size` is the number of variables."""
        k = self.perturbation or max(1, size // 2)
        best = pool.climb()  # line 3
        report_optimum(best, run)
        seeds = run.rng.integers(2**63, size=self.iterations).tolist()
        while seeds and run.going():  # lines 4, 9
            perturbations = [self.make_perturbation(k, seed) for seed in seeds]
            tried, better = find_first_better(pool, best, perturbations, run)  # lines 5-6
            best = better or best  # line 7
            seeds = seeds[tried:]
