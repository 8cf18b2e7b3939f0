"""The K2 score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.counting.cell_sums import CellFunction, CellSum


@dataclass(frozen=True, kw_only=True)
class K2:
    """
    Log marginal likelihood under a Dirichlet prior of weight one on every cell; not score-equivalent.

    References
    ----------
    Cooper & Herskovits (1992). A Bayesian method for the induction of probabilistic networks from data.
    """

    name: ClassVar[str] = "k2"
    equivalent: ClassVar[bool] = False

    def joint(self, rows: int) -> CellSum:
        """Return the sum of log n!."""
        return CellSum(CellFunction.RISING, a=1.0)

    def parents(self, rows: int, arity: int) -> CellSum:
        """Return the sum of log (n + r - 1)! / (r - 1)!."""
        return CellSum(CellFunction.RISING, a=float(arity))
