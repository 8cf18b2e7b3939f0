"""The loss of score if an edge is removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnsearch.scores.scorer import Scorer


def compute_edge_losses(
    scorer: Scorer, parents: Sequence[Sequence[int]], edges: Sequence[tuple[int, int]]
) -> list[float]:
    """
    Return for each edge of a network the loss of score if only this edge is removed.

    The loss is the local score of the child with all its parents, minus its local score without this parent.

    Parameters
    ----------
    scorer : local scores on the data
    parents : the parents of each variable
    edges : pairs (parent, child) of indices
    """
    children = [child for _, child in edges]
    full = scorer.families(children, [parents[child] for child in children])
    reduced = scorer.families(children, [[p for p in parents[child] if p != parent] for parent, child in edges])
    losses: list[float] = (full - reduced).tolist()
    return losses
