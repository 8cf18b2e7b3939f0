"""The quality of a score: relative to the empty network, and to the bound."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsearch.parent_sets.scope import ALL_NETWORKS, Scope


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
        return "optimal" if scope == ALL_NETWORKS else f"optimal among {scope}"
    if gap is None:
        return ""
    if scope == ALL_NETWORKS:
        return f"gap {100 * gap:.3g}%"
    others = "" if scope.is_complete else "; other networks may score higher"
    return f"gap {100 * gap:.3g}% among {scope}{others}"


def describe_proof(scope: Scope) -> str:
    """Return what is proven of an optimal network, in words."""
    return "proven: no network scores higher" if scope == ALL_NETWORKS else f"proven: highest score of {scope}"
