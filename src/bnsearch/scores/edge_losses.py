"""The loss of score if an edge is removed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG
    from bnsearch.scores.score import Score
    from bnsearch.scores.scorer import Scorer

MAX_SCORE_ERROR = 1e-6  # relative difference up to which two scores of the same network are equal


def make_network_scorer(dag: DAG, data: Dataset, score: Score, expected: float | None = None) -> Scorer:
    """
    Return the local scores of the variables of a network.

    Parameters
    ----------
    dag : the network
    data : table, whose columns are matched to the variables by name
    score : score of the search
    expected : score of the network in a search; an InputError is raised if the data and the score give another one
    """
    from bnsearch.scores.local import make_scorer

    scorer = make_scorer(data if data.names == dag.names else data.select(dag.names), score)
    if expected is None:
        return scorer
    total = scorer.network(dag)
    if not math.isclose(total, expected, rel_tol=MAX_SCORE_ERROR):
        raise InputError(
            f"the {score.name} score of the network on these data is {total:.6f}, and that of the result is "
            f"{expected:.6f}: pass the data and the score of the search"
        )
    return scorer


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
