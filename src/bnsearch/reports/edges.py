"""Facts about the edges of a network: direction within the equivalence class, and loss of score."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnsearch.graphs.completion import compelled_parents
from bnsearch.scores.edge_losses import compute_edge_losses
from bnsearch.scores.local import make_scorer

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG
    from bnsearch.graphs.pdag import PDAG
    from bnsearch.scores.score import Score

Pair = tuple[int, int]  # indices of parent and child


def list_edges(dag: DAG) -> list[Pair]:
    """Return the edges as pairs (parent, child) of indices, by child."""
    return [(parent, child) for child, parents in enumerate(dag.parents) for parent in parents]


def describe_directions(dag: DAG, mpdag: PDAG) -> list[str]:
    """
    Return for each edge of `list_edges` what compels its direction: "class", "knowledge", or "" if it is reversible.

    mpdag : the equivalence class under the background knowledge, in which edges that can be reversed are undirected
    """
    compelled = compelled_parents(dag)
    return [
        "" if mpdag.arcs[child, parent] else "class" if parent in compelled[child] else "knowledge"
        for parent, child in list_edges(dag)
    ]


def compute_losses(dag: DAG, data: Dataset, score: Score) -> tuple[list[float], float]:
    """
    Return for each edge of `list_edges` the loss of score if only this edge is removed, and the score of the network.

    The variables of the data must be those of the DAG, in the same order.
    """
    scorer = make_scorer(data, score)
    return compute_edge_losses(scorer, dag.parents, list_edges(dag)), scorer.network(dag)
