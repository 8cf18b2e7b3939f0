"""The noise that a perturbation adds to the gains of operators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SCALES = ("step", "operator", "variance")


@dataclass(frozen=True)
class Noise:
    """
    Normal noise with mean zero, as wide as gains are large.

    Parameters
    ----------
    factor : the 2 of N(0, 2 s)
    scale : "step", "operator" or "variance", see `Perturbing`
    """

    factor: float = 2.0
    scale: str = "step"

    def deviations(self, gains: NDArray[np.float64], highest: float) -> NDArray[np.float64]:
        """
        Return the standard deviation of each operator's noise.

        Parameters
        ----------
        gains : of all operators of a kind, valid or not
        highest : the highest gain of a valid one
        """
        if self.scale == "step":
            return np.full(len(gains), self.factor * abs(highest))
        wide = self.factor * np.abs(gains)
        return np.sqrt(wide) if self.scale == "variance" else wide
