"""The quotient normalised maximum likelihood score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.scores.score import EquivalentScore


@dataclass(frozen=True, kw_only=True)
class QNML(EquivalentScore):
    """
    Log of the ratio of two NML probabilities, of the family's joint column and of the parents'; without parameters.

    References
    ----------
    Silander, Leppa-aho, Jaasaari & Roos (2018). Quotient normalized maximum likelihood criterion for learning
    Bayesian network structures.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> scorer = bnsearch.Scorer(data, bnsearch.QNML())
    >>> round(scorer.network(bnsearch.load_network("asia").dag), 3)
    -452.343
    """

    name: ClassVar[str] = "qnml"

    def joint(self, rows: int) -> CellSum:
        """Return G(T) = sum of n log n - log C(N, cells)."""
        return CellSum(CellFunction.XLOGX, regret=True)
