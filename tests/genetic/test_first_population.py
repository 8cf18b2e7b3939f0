"""The first population: random orderings and graphs in batches of bounded size."""

from __future__ import annotations

import numpy as np
import pytest
from stacks import follows, free

from bnsearch.genetic import initialisation
from bnsearch.genetic.initialisation import draw_population, split_into_batches


class RecordedScores:
    """Scores that count the edges; the graphs of each batch and the checks of the deadline are recorded."""

    def __init__(self):
        self.batches, self.checks = [], 0

    def score_and_offer(self, graphs):
        """Return the number of edges of each graph."""
        self.batches.append(graphs)
        return graphs.sum(axis=(1, 2)).astype(float)

    def raise_if_halted(self):
        """Count the check."""
        self.checks += 1


@pytest.mark.parametrize(
    ("cells", "number", "sizes"),
    [(1 << 24, 10, [4, 4, 2]), (1 << 24, 4, [4]), (18, 5, [2, 2, 1]), (9, 2, [1, 1]), (8, 2, [1, 1])],
)
def test_sizes_of_batches(monkeypatch, cells, number, sizes):
    """
    Batches have at most four graphs, and at most `cells` cells of matrices over 3 variables, but at least one graph.

    The deadline is checked before each batch after the first.
    """
    monkeypatch.setattr(initialisation, "BATCH", 4)
    monkeypatch.setattr(initialisation, "BATCH_CELLS", cells)
    scores = RecordedScores()
    assert [*split_into_batches(number, 3, scores)] == sizes
    assert scores.checks == len(sizes) - 1


@pytest.mark.parametrize("batch", [1, 4, 100])
def test_graphs_follow_their_orderings(monkeypatch, batch):
    """Ten graphs over four variables in batches: each follows its own ordering, and is offered once with its score."""
    monkeypatch.setattr(initialisation, "BATCH", batch)
    scores = RecordedScores()
    orders, graphs, values = draw_population(10, free(4, 3), scores, np.random.default_rng(1))
    assert orders.shape == (10, 4)
    assert all(follows(matrix, order) for matrix, order in zip(graphs, orders, strict=True))
    assert len({tuple(order) for order in orders.tolist()}) > 5
    assert np.array_equal(np.concatenate(scores.batches), graphs)
    assert values.tolist() == graphs.sum(axis=(1, 2)).tolist()
    assert values.max() > 1
