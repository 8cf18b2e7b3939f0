"""The protocol of a score, and the comparison of two scores."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import CellSum

TOLERANCE = 1e-10  # relative difference up to which two scores count as equal; rounding errors are smaller


@runtime_checkable
class Score(Protocol):
    """
    A decomposable score: a log-score, higher is better.

    The local score of a child x with parents S is a difference of two cell sums (see counting.cell_sums),
    `joint(S + x) - parents(S)`. For a score-equivalent score the two are one function of the set, G, and
    `equivalent` says so.

    Examples
    --------
    >>> import bnsearch
    >>> isinstance(bnsearch.BIC(), bnsearch.Score)
    True
    """

    name: ClassVar[str]
    equivalent: ClassVar[bool]

    def joint(self, rows: int) -> CellSum:
        """Return the cell sum of a family's whole set."""
        ...

    def parents(self, rows: int, arity: int) -> CellSum:
        """Return the cell sum of the parents, for a child with a number of states."""
        ...


class EquivalentScore:
    """Base of the scores whose two parts are the same set function G, given by `joint`."""

    equivalent: ClassVar[bool] = True

    def joint(self, rows: int) -> CellSum:
        """Return G."""
        raise NotImplementedError

    def parents(self, rows: int, arity: int) -> CellSum:
        """Return G, which does not depend on the child."""
        return self.joint(rows)


def improves(new: float, old: float) -> bool:
    """Return True if one score exceeds another by more than the tolerance."""
    return new > old + tie_margin(old) if old > float("-inf") else new > old


def tie_margin(score: float) -> float:
    """Return the difference up to which another score counts as equal to this one."""
    return TOLERANCE * max(1.0, abs(score))


def tie_margins(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `tie_margin` of every score."""
    return TOLERANCE * np.maximum(1.0, np.abs(scores))
