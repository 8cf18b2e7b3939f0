"""Variable neighbourhood search over equivalence classes."""

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
class VNGES(Perturbing):
    """
    Variable neighbourhood greedy equivalence search: climb by iGES from stronger and stronger perturbations.

    Parameters
    ----------
    kmax : int, optional
        Number of noisy steps of the strongest perturbation; None means the number of variables.

    References
    ----------
    Alonso, de la Ossa, Gamez & Puerta (2018). On the use of local search heuristics to improve GES-based Bayesian
    network learning. Applied Soft Computing 64, 366-376, Algorithm 4.2.

    Notes
    -----
    Neighbourhood k is a perturbation of k steps. All neighbourhoods from 1 to kmax are tried. The pseudo-code does not
    try the last one, because its loop ends when k reaches kmax; `kmax=n - 1` does the same. Perturbations, noise and
    threads are those of ILGES. An iteration is one perturbation.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.VNGES()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -454.28
    """

    kmax: int | None = None

    name: ClassVar[str] = "vnges"
    space: ClassVar[str] = "equivalence classes"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "Alonso et al. (2018)"
    purpose: ClassVar[str] = "to improve on GES with more time"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kmax is not None:
            require("kmax", self.kmax, at_least=1, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Climb by iGES from the start, then perturb and climb in wider and wider neighbourhoods."""
        self.widen(ClimberPool(self, problem, run, keep_all=True), problem.size, run)

    def widen(self, pool: ClimberPool, size: int, run: Run) -> None:
        """Search with the climbers of a pool; `size` is the number of variables."""
        kmax = self.kmax or size
        k = 1  # line 3
        best = pool.climb()  # line 5
        report_optimum(best, run)
        seeds: list[int] = []
        while k <= kmax and run.going():  # lines 6, 15
            steps = range(k, kmax + 1)
            # Seeds of discarded trials are used again, so that the random numbers do not depend on the threads.
            seeds += run.rng.integers(2**63, size=len(steps) - len(seeds)).tolist()
            perturbations = [self.make_perturbation(number, seed) for number, seed in zip(steps, seeds, strict=True)]
            tried, better = find_first_better(pool, best, perturbations, run)  # lines 7-8
            k = 1 if better else k + tried  # lines 9-14
            best = better or best
            seeds = seeds[tried:]
