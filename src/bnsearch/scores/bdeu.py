"""The Bayesian Dirichlet score with a uniform prior."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.errors import require
from bnsearch.scores.score import EquivalentScore


@dataclass(frozen=True, kw_only=True)
class BDeu(EquivalentScore):
    """
    Log marginal likelihood under a Dirichlet prior whose total weight is spread evenly over all cells.

    Parameters
    ----------
    ess : float, default 1.0
        The equivalent sample size, which is the total weight.
    prior : bool, default False
        True if each family has the structure prior kappa^((r - 1) q) with kappa = 1 / (ess + 1), the same penalty
        for each free parameter.

    References
    ----------
    Heckerman, Geiger & Chickering (1995). Learning Bayesian networks: the combination of knowledge and
    statistical data (BDeu and the prior). Alonso et al. (2018), section 5.1, use both with ess = 10.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> scorer = bnsearch.Scorer(data, bnsearch.BDeu(ess=10))
    >>> round(scorer.network(bnsearch.load_network("asia").dag), 3)
    -475.484
    """

    ess: float = 1.0
    prior: bool = False

    name: ClassVar[str] = "bdeu"

    def __post_init__(self) -> None:
        require("ess", self.ess, above=0, at_most=1e12)

    def joint(self, rows: int) -> CellSum:
        """Return G(T) = sum of log gamma(n + ess / cells) - log gamma(ess / cells), + cells * log kappa."""
        slope = -math.log(self.ess + 1) if self.prior else 0.0
        return CellSum(CellFunction.RISING_SPREAD, a=self.ess, slope=slope)
