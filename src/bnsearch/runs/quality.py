"""The quality of a score: relative to the empty network, and to the bound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

if TYPE_CHECKING:
    from bnsearch.parent_sets.scope import Scope


def relative_score(scores: ArrayLike, empty: float) -> NDArray[np.float64]:
    """
    Return RC(G) = (sc(G) - sc(empty)) / |sc(empty)| for one score or many; zero if sc(empty) is zero.

    References
    ----------
    Perez & Maua (2016), section 6.
    """
    gains = np.asarray(scores, dtype=np.float64) - empty
    return gains / abs(empty) if empty else np.zeros_like(gains)


def describe_quality(gap: float | None, optimal: bool, scope: Scope) -> str:
    """Return the known quality of a score in words; an empty string if no bound is known."""
    if optimal:
        return "optimal"
    if gap is None:
        return ""
    if scope.is_complete:
        return f"gap {100 * gap:.3g}%"
    return f"gap {100 * gap:.3g}% ({scope})" if gap else f"best of {scope}"
