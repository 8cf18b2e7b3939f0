"""When the default method enumerates the parent sets of one more size; worked by hand."""

from __future__ import annotations

import pytest

from bnsearch.learning import auto
from bnsearch.networks import load_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
from bnsearch.scores import BIC
from clocks import Clock

DATA = load_network("asia").sample(200, seed=1)


class Model:
    """An island model of which a share of the variables has at most two parents in the best network."""

    def __init__(self, share: float) -> None:
        self.share = share

    def share_covered(self, max_parents: int) -> float:
        """Return the share."""
        assert max_parents == 2
        return self.share


def searched_for(seconds: float, total: float = 100.0) -> auto._DataSearch:
    """Return a search of which some seconds have passed."""
    clock = Clock()
    run = Run(Seconds(total), seed=1, clock=clock)
    found = auto._DataSearch(Problem(data=DATA, score=BIC()), run)
    found.islands_began = seconds
    clock.now += seconds
    return found


@pytest.mark.parametrize(
    ("elapsed", "expected", "share", "due"),
    [
        (0.5, 0.0, 1.0, False),  # too early
        (1.0, 0.0, 0.0, True),  # nothing is known about the time
        (40.0, 11.9, 1.0, True),  # 2 * 11.9 <= 0.4 * 60
        (40.0, 12.1, 1.0, False),
        (20.0, 7.9, 0.5, True),  # 2 * 7.9 <= 0.4 * 0.5 * 80
        (20.0, 8.1, 0.5, False),
        (4.0, 1.9, 1.0, True),  # at most as long as the search before: 2 * 1.9 <= 4
        (4.0, 2.1, 1.0, False),
    ],
)
def test_time_for_one_more_size(elapsed, expected, share, due):
    """The time is limited by the rest of the budget, by the share of the variables, and by the time so far."""
    search = searched_for(elapsed)
    search.next_seconds = expected
    assert search._is_selection_due(Model(share)) is due


def test_a_search_without_improvement_gets_more_time():
    """After three quarters of the elapsed time without improvement: 0.7 of the rest, if a proof is possible."""
    search = searched_for(20.0)
    search.islands_began = 4.9
    assert search._max_selection_seconds(Model(0.5)) == pytest.approx(20.0)  # the elapsed time
    search.provable = False
    assert search._max_selection_seconds(Model(0.5)) == pytest.approx(16.0)
