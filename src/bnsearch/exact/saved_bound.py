"""The state of the search for an upper bound, from which another run can continue."""

from __future__ import annotations

from dataclasses import dataclass

from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.cuts import Cut
from bnsearch.parent_sets.scope import Scope


@dataclass(frozen=True, eq=False)
class SavedBound:
    """
    A bound and what was used to find it.

    Attributes
    ----------
    value : the upper bound
    scope : the networks that it covers
    inequalities : clusters, local cuts and multipliers of the dual ascent
    cuts : cuts of branch and cut; their members are variables of the table
    """

    value: float
    scope: Scope
    inequalities: ClusterBound
    cuts: list[Cut]
