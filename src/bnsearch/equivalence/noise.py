"""The noise that a perturbation adds to the gains of operators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SCALES = ("step", "operator", "variance")


@dataclass(frozen=True)
class Noise:
    """
    Normal noise with mean zero and a width proportional to gains.

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
        gains : the gains of all operators of a kind, valid or not
        highest : the highest gain of a valid operator
        """
        if self.scale == "step":
            return np.full(len(gains), self.factor * abs(highest))
        widths = self.factor * np.abs(gains)
        return np.sqrt(widths) if self.scale == "variance" else widths
