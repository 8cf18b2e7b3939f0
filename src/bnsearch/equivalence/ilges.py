"""Iterated local search over equivalence classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.equivalence.crew import Crew
from bnsearch.equivalence.perturbing import Perturbing
from bnsearch.equivalence.trials import first_better, tell
from bnsearch.errors import require
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class ILGES(Perturbing):
    """
    Iterated local greedy equivalence search: perturb the best class, climb, keep what is better.

    Parameters
    ----------
    perturbation : k, how many noisy steps a perturbation takes; None for half the number of variables
    iterations : how many perturbations

    References
    ----------
    Alonso, de la Ossa, Gamez & Puerta (2018). On the use of local search heuristics to improve GES-based Bayesian
    network learning. Applied Soft Computing 64, 366-376, Algorithm 4.1.

    Notes
    -----
    Where the pseudo-code and the text differ, the text is followed: the class that is perturbed is the best so far (in
    the pseudo-code, the last), a perturbation has k steps (k + 2), and the best class is returned (the last). Every
    class offered is a local optimum of iGES, so GES's guarantees hold for it. The text is followed for the noise, too;
    the pseudo-code's is that of `noise_scale="operator"` or "variance", see `Perturbing`.

    With several threads, perturbations of the same class are tried at the same time; what follows the first improvement
    is thrown away, so that the result is that of one thread.
    """

    perturbation: int | None = None
    iterations: int = 100

    name: ClassVar[str] = "ilges"

    def __post_init__(self) -> None:
        super().__post_init__()
        require("iterations", self.iterations, at_least=0, whole=True)
        if self.perturbation is not None:
            require("perturbation", self.perturbation, at_least=1, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Iterate from the start."""
        self.iterate(Crew(self, problem, run, noise=self.gain_noise), problem.size, run)

    def iterate(self, crew: Crew, size: int, run: Run) -> None:
        """Perturb and climb, given who climbs."""
        k = self.perturbation or max(1, size // 2)
        best = crew.climb()  # line 3
        tell(best, run)
        seeds = run.rng.integers(2**63, size=self.iterations).tolist()
        while seeds and run.going():  # line 4
            tried, better = first_better(crew, best, [(k, seed) for seed in seeds], run)  # lines 5-6
            best = better or best  # line 7
            seeds = seeds[tried:]
