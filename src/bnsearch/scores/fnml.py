"""The factorised normalised maximum likelihood score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.counting.cell_sums import CellFunction, CellSum


@dataclass(frozen=True, kw_only=True)
class FNML:
    """
    Log-likelihood minus the multinomial regret log C(n_j, r) of each parent configuration; not score-equivalent.

    References
    ----------
    Silander, Roos, Kontkanen & Myllymaki (2008). Factorized normalized maximum likelihood criterion for learning
    Bayesian network structures.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> scorer = bnsearch.Scorer(data, bnsearch.FNML())
    >>> round(scorer.network(bnsearch.load_network("asia").dag), 3)
    -449.54
    """

    name: ClassVar[str] = "fnml"
    equivalent: ClassVar[bool] = False

    def joint(self, rows: int) -> CellSum:
        """Return the sum of n log n."""
        return CellSum(CellFunction.XLOGX)

    def parents(self, rows: int, arity: int) -> CellSum:
        """Return the sum of n log n + log C(n, r)."""
        return CellSum(CellFunction.XLOGX_REGRET, a=float(arity))
