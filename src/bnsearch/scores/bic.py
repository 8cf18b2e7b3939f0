"""The Bayesian information criterion, which is also the MDL score."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.scores.score import EquivalentScore


@dataclass(frozen=True, kw_only=True)
class BIC(EquivalentScore):
    """
    Log-likelihood minus log(N) / 2 for each free parameter; the negative of the MDL score.

    References
    ----------
    Schwarz (1978). Estimating the dimension of a model.
    Lam & Bacchus (1994). Learning Bayesian belief networks: an approach based on the MDL principle.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> scorer = bnsearch.Scorer(data, bnsearch.BIC())
    >>> round(scorer.network(bnsearch.load_network("asia").dag), 3)
    -459.838
    """

    name: ClassVar[str] = "bic"

    def joint(self, rows: int) -> CellSum:
        """Return G(T) = sum of n log n - log(N) / 2 * cells."""
        return CellSum(CellFunction.XLOGX, slope=-math.log(rows) / 2)
