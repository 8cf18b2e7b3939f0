"""When the default method enumerates parent sets, and for how long; worked by hand."""

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

    def __init__(self, share: float, *, is_climbing: bool = False) -> None:
        self.share, self.is_climbing = share, is_climbing

    def share_covered(self, max_parents: int) -> float:
        """Return the share."""
        assert max_parents == 2
        return self.share


def searched_for(seconds: float, total: float = 100.0) -> auto._DataSearch:
    """Return a search of which some seconds have passed, with an improvement just now."""
    clock = Clock()
    run = Run(Seconds(total), seed=1, clock=clock)
    found = auto._DataSearch(Problem(data=DATA, score=BIC()), run)
    found.enumerated = 1
    found.stale_since = seconds
    found.searching_since = 0.0
    clock.now += seconds
    return found


@pytest.mark.parametrize(
    ("elapsed", "expected", "share", "seconds"),
    [
        (0.5, 0.0, 1.0, 0.0),  # too early
        (1.0, 0.0, 1.0, 1.0),  # nothing is known about the time
        (40.0, 23.9, 1.0, 24.0),  # 0.4 * 60
        (40.0, 24.1, 1.0, 0.0),
        (30.0, 13.9, 0.5, 14.0),  # 0.5 * 0.4 * 70
        (30.0, 14.1, 0.5, 0.0),
        (4.0, 3.9, 1.0, 4.0),  # at most as long as the search before
        (4.0, 4.1, 1.0, 0.0),
    ],
)
def test_time_for_one_more_size(elapsed, expected, share, seconds):
    """The time is limited by the rest of the budget, by the share of the variables, and by the time so far."""
    search = searched_for(elapsed)
    search.next_seconds = expected
    assert search._plan_enumeration(Model(share)) == (pytest.approx(seconds), True)


def test_earlier_enumerations_count():
    """All enumerations together take at most a quarter of the time."""
    search = searched_for(20.0)
    search.selecting = 4.0
    assert search._plan_enumeration(Model(1.0)) == (pytest.approx(4.0), True)
    search.selecting = 5.0
    search.next_seconds = 1.0
    assert search._plan_enumeration(Model(1.0)) == (0.0, True)


@pytest.mark.parametrize(
    ("stale", "selecting", "share", "seconds"),
    [
        (4.9, 0.0, 1.0, 0.0),  # less than a quarter of the time so far
        (5.1, 0.0, 1.0, 10.2),
        (5.1, 0.0, 0.5, 5.1),
        (5.1, 3.0, 1.0, 8.0),  # a quarter of the time for all enumerations
        (5.1, 6.0, 1.0, 0.0),
        (18.0, 0.0, 1.0, 20.0),
    ],
)
def test_a_search_without_improvement(stale, selecting, share, seconds):
    """After 20 s, the last quarter of them without improvement, a part of a size is enumerated."""
    search = searched_for(20.0)
    search.stale_since = 20.0 - stale
    search.selecting, search.next_seconds = selecting, 1e9
    planned, whole = search._plan_enumeration(Model(share))
    assert planned == pytest.approx(seconds)
    assert whole is (stale < 5.0)


def test_no_enumeration_without_memory():
    """Nothing is planned when sets of one more size cannot be enumerated."""
    search = searched_for(20.0)
    search.is_finished = True
    assert search._plan_enumeration(Model(1.0)) == (0.0, True)


def test_no_enumeration_during_the_first_climb():
    """The time for enumerations begins when the first climb has ended: at 20 s, so that 3 s are allowed at 23 s."""
    search = searched_for(20.0)
    search.searching_since = None
    assert search._plan_enumeration(Model(1.0, is_climbing=True)) == (0.0, True)
    assert search.searching_since is None
    assert search._plan_enumeration(Model(1.0)) == (0.0, True)
    assert search.searching_since == 20.0
    search.run.budget.clock.now += 3.0
    search.next_seconds = 2.9
    assert search._plan_enumeration(Model(1.0)) == (pytest.approx(3.0), True)
