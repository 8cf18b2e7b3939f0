"""The maximised log-likelihood."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.scores.score import EquivalentScore


@dataclass(frozen=True, kw_only=True)
class LogLikelihood(EquivalentScore):
    """
    Maximised log-likelihood: sum of n_jk log(n_jk / n_j). It never decreases when a parent is added.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> scorer = bnsearch.Scorer(data, bnsearch.LogLikelihood())
    >>> round(scorer.network(bnsearch.load_network("asia").dag), 3)
    -412.154
    """

    name: ClassVar[str] = "loglik"

    def joint(self, rows: int) -> CellSum:
        """Return G(T) = sum of n log n."""
        return CellSum(CellFunction.XLOGX)
