"""Facts about the edges of a network: direction within the equivalence class, and loss of score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from bnsearch.graphs.completion import compelled_parents
from bnsearch.scores.local import make_scorer

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG
    from bnsearch.scores.score import Score

Pair = tuple[int, int]  # indices of parent and child


def list_edges(dag: DAG) -> list[Pair]:
    """Return the edges as pairs (parent, child) of indices, by child."""
    return [(parent, child) for child, parents in enumerate(dag.parents) for parent in parents]


def find_compelled(dag: DAG) -> list[bool]:
    """Return for each edge of `list_edges` whether all networks of the equivalence class have its direction."""
    compelled = compelled_parents(dag)
    return [parent in compelled[child] for parent, child in list_edges(dag)]


def compute_losses(dag: DAG, data: Dataset, score: Score) -> tuple[list[float], float]:
    """
    Return for each edge of `list_edges` the loss of score if only this edge is removed, and the score of the network.

    The loss is the local score of the child with all its parents, minus its local score without this parent. The
    variables of the data must be those of the DAG, in the same order.
    """
    edges = list_edges(dag)
    reduced = [[p for p in dag.parents[child] if p != parent] for parent, child in edges]
    scorer = make_scorer(data, score)
    full = scorer.families(range(len(dag.names)), dag.parents)
    without = scorer.families([child for _, child in edges], reduced)
    losses = [float(full[child] - value) for (_, child), value in zip(edges, without.tolist(), strict=True)]
    return losses, math.fsum(full)
