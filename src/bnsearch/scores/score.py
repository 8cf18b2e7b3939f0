"""What a score is, and how two scores compare."""

from __future__ import annotations

from typing import ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import CellSum

TOLERANCE = 1e-10


@runtime_checkable
class Score(Protocol):
    """
    A decomposable score: a log-score, higher is better.

    The local score of a child x with parents S is a difference of two cell sums (see counting.cell_sums),
    `joint(S + x) - parents(S)`. For a score-equivalent score the two are one function of the set, G, and
    `equivalent` says so.
    """

    name: ClassVar[str]
    equivalent: ClassVar[bool]

    def joint(self, rows: int) -> CellSum:
        """Return the value of a family's whole set."""
        ...

    def parents(self, rows: int, arity: int) -> CellSum:
        """Return the value of the parents of a child with this many states."""
        ...


class EquivalentScore:
    """Base of the scores whose two parts are one set function G, given by `joint`."""

    equivalent: ClassVar[bool] = True

    def joint(self, rows: int) -> CellSum:
        """Return G."""
        raise NotImplementedError

    def parents(self, rows: int, arity: int) -> CellSum:
        """Return G: it does not depend on the child."""
        return self.joint(rows)


def improves(new: float, old: float) -> bool:
    """Tell whether one score is better than another: the one place where ties are decided."""
    return new > old + tie_margin(old) if old > float("-inf") else new > old


def tie_margin(score: float) -> float:
    """Return how far another score may lie from this one and still count as the same."""
    return TOLERANCE * max(1.0, abs(score))


def tie_margins(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `tie_margin` of every score."""
    return TOLERANCE * np.maximum(1.0, np.abs(scores))
