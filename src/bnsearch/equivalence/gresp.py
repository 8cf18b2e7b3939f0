"""Greedy randomised construction and climbing over equivalence classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.equivalence.class_search import ClassSearch
from bnsearch.equivalence.crew import Crew
from bnsearch.equivalence.trials import tell
from bnsearch.errors import require
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class GRESP(ClassSearch):
    """
    Greedy randomised equivalence search procedure: build a class from random good insertions, climb, repeat.

    Parameters
    ----------
    maxk : the longest list of candidates; each construction draws its length from 2..maxk
    iterations : how many constructions
    greedy_first : climb by GES, then by iGES, before the first construction; the paper does not

    References
    ----------
    Alonso, de la Ossa, Gamez & Puerta (2018). On the use of local search heuristics to improve GES-based Bayesian
    network learning. Applied Soft Computing 64, 366-376, section 4.3 and Algorithm 4.3.

    Notes
    -----
    The list holds the k best operators Insert(X, Y, T), or all that raise the score where these are fewer. The
    constructions are independent, in threads as in one; the best class is returned.

    Among 50 random constructions there need not be one as good as the greedy one. With `greedy_first` the result is
    never worse than GES; that climb is not counted as an iteration.
    """

    maxk: int = 8
    iterations: int = 50
    greedy_first: bool = False

    name: ClassVar[str] = "gresp"

    def __post_init__(self) -> None:
        super().__post_init__()
        require("maxk", self.maxk, at_least=2, whole=True)
        require("iterations", self.iterations, at_least=0, whole=True)

    def search(self, problem: Problem, run: Run) -> None:
        """Build and climb from the start."""
        self.restart(Crew(self, problem, run), run)

    def restart(self, crew: Crew, run: Run) -> None:
        """Build and climb, given who climbs."""
        tell(crew.climb_in_stages() if self.greedy_first else crew.stay(), run)
        seeds = run.rng.integers(2**63, size=self.iterations).tolist()
        while seeds and run.going():
            batch, seeds = seeds[: run.allowed(run.threads)], seeds[run.threads :]
            for optimum in run.map(lambda seed: crew.build_and_climb(self.maxk, seed), batch):
                tell(optimum, run, iterations=1)
