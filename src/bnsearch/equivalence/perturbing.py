"""The perturbation of ILGES and VNGES: random steps with noisy gains."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bnsearch._tools.registry import require_choice
from bnsearch.budgets.budget import StopCheck
from bnsearch.equivalence.class_search import ClassSearch
from bnsearch.equivalence.neighbourhood import Neighbourhood
from bnsearch.equivalence.noise import SCALES, Noise
from bnsearch.equivalence.operators import Kind
from bnsearch.errors import require


@dataclass(frozen=True, kw_only=True)
class Perturbing(ClassSearch):
    """
    A search over equivalence classes that perturbs classes by steps with noisy gains.

    Parameters
    ----------
    noise : float, default 2.0
        Factor of the gain s in the noise N(0, noise s); 2 in the paper.
    noise_scale : str, default "step"
        The gain s that is multiplied by the factor: "step", the highest gain of a step, which gives all operators
        the same standard deviation; "operator", each operator's own gain; "variance", the same, but the product is
        a variance.

    Notes
    -----
    The text of Alonso et al. (2018), section 4.1.2, has the noise N(0, 2 s), where s is the improvement by the selected
    operation. This is "step", the default. Lines 28 and 33 of Algorithm 4.1 scale the noise of each operation by its
    own Delta instead. If 2 Delta is a standard deviation, "operator", the insertion with the largest loss is usually
    chosen, into the largest family. This is slow, and the climb undoes it first. If 2 Delta is a variance, "variance",
    the steps change little, and almost every climb returns to its start. In all cases a step is made even if it lowers
    the score.
    """

    noise: float = 2.0
    noise_scale: str = "step"

    def __post_init__(self) -> None:
        super().__post_init__()
        require("noise", self.noise, at_least=0, below=float("inf"))
        require_choice("noise_scale", self.noise_scale, SCALES)

    def make_perturbation(self, steps: int, seed: int) -> Perturbation:
        """Return a perturbation with the noise of this method."""
        return Perturbation(steps, Noise(self.noise, self.noise_scale), seed)


@dataclass(frozen=True)
class Perturbation:
    """
    PERTURBATION(class, k) of Algorithm 4.1: k random steps.

    Parameters
    ----------
    steps : k, the number of steps
    noise : the noise that is added to the gains
    seed : seed of the random numbers
    """

    steps: int
    noise: Noise
    seed: int

    def __call__(self, state: Neighbourhood, halted: StopCheck) -> None:
        """Perturb the current class; a step without a valid operator of its kind changes nothing."""
        rng = np.random.default_rng(self.seed)
        for _ in range(self.steps):  # lines 14, 24
            kind = Kind.INSERT if rng.random() > 0.5 else Kind.DELETE  # lines 15-21
            step = state.find_best_after_noise(kind, self.noise, rng, halted)  # RANDOMFS, RANDOMBS
            if step is not None:
                state.apply(step)  # lines 22-23
