"""Generations, and the selection of individuals."""

from __future__ import annotations

from collections import Counter

import numpy as np

from bnsearch.genetic.selection import count_generations, draw_by_rank, select_by_tournament, select_fittest
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations


def test_generations_are_iterations():
    """Each generation counts when it begins; the run may end them sooner."""
    run = Run(Iterations(3))
    assert [(g, run.progress.iterations) for g in count_generations(10, run)] == [(1, 1), (2, 2), (3, 3)]
    assert [*count_generations(2, Run())] == [1, 2]


def test_tournaments():
    """Of 1, 2, 3, 4 the best of two draws is the best with 7/16, then 5/16, 3/16, 1/16."""
    rng = np.random.default_rng(0)
    winners = Counter(
        np.concatenate([select_by_tournament(np.array([3.0, 1.0, 4.0, 2.0]), 2, rng) for _ in range(800)]).tolist()
    )
    assert [abs(winners[i] - 3200 * p / 16) < 120 for i, p in ((2, 7), (0, 5), (3, 3), (1, 1))] == [True] * 4


def test_ranks():
    """Scores -5, -1, -3 have ranks 1, 3, 2 of 6."""
    drawn = Counter(draw_by_rank(np.array([-5.0, -1.0, -3.0]), 6000, np.random.default_rng(0)).tolist())
    assert [abs(drawn[i] - 1000 * rank) < 150 for i, rank in ((0, 1), (1, 3), (2, 2))] == [True] * 3


def test_the_fittest():
    """The best two of -3, -1, -2, -1 both score -1; distinct, the second is the -2; repeated ones fill what is left."""
    scores = np.array([-3.0, -1.0, -2.0, -1.0])
    assert select_fittest(scores, 2).tolist() == [1, 3]
    assert select_fittest(scores, 2, distinct=True).tolist() == [1, 2]
    assert select_fittest(scores, 4, distinct=True).tolist() == [1, 2, 0, 3]


def test_a_score_below_the_best_is_repeated_too():
    """Of -1, -2, -2, -3 the second -2 comes last: a score is compared with the next better one, not with the best."""
    assert select_fittest(np.array([-2.0, -1.0, -2.0, -3.0]), 4, distinct=True).tolist() == [1, 0, 3, 2]
