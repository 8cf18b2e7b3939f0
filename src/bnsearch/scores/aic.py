"""Akaike's information criterion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.scores.score import EquivalentScore


@dataclass(frozen=True, kw_only=True)
class AIC(EquivalentScore):
    """
    Log-likelihood minus the number of free parameters.

    References
    ----------
    Akaike (1974). A new look at the statistical model identification.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> scorer = bnsearch.Scorer(data, bnsearch.AIC())
    >>> round(scorer.network(bnsearch.load_network("asia").dag), 3)
    -430.154
    """

    name: ClassVar[str] = "aic"

    def joint(self, rows: int) -> CellSum:
        """Return G(T) = sum of n log n - cells."""
        return CellSum(CellFunction.XLOGX, slope=-1.0)
