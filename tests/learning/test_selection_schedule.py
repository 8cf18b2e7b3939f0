"""When the default method enumerates parent sets, and for how long; worked by hand."""

from __future__ import annotations

import pytest

from bnsearch.learning.selection_schedule import SelectionSchedule
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
from clocks import Clock


class Search(SelectionSchedule):
    """A run of 100 s of which some seconds have passed, with an improvement just now."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        clock = Clock()
        self.run = Run(Seconds(100.0), seed=1, clock=clock)
        self.enumerated_depth = 1
        self.stale_since = seconds
        clock.now += seconds

    def plan(self, share: float) -> tuple[float, bool]:
        """Return the plan if a share of the variables has at most two parents in the best network."""

        def share_covered(max_parents: int) -> float:
            assert max_parents == 2
            return share

        return self.plan_enumeration(self.run, share_covered)


@pytest.mark.parametrize(
    ("elapsed", "expected", "share", "seconds"),
    [
        (0.5, 0.0, 1.0, 0.0),  # too early
        (1.0, 0.0, 1.0, 1.5),  # nothing is known about the time
        (40.0, 29.9, 1.0, 30.0),  # 0.5 * 60
        (40.0, 30.1, 1.0, 0.0),
        (30.0, 17.4, 0.5, 17.5),  # 0.5 * 0.5 * 70
        (30.0, 17.6, 0.5, 0.0),
        (4.0, 5.9, 1.0, 6.0),  # at most 1.5 times as long as the search before
        (4.0, 6.1, 1.0, 0.0),
    ],
)
def test_time_for_one_more_size(elapsed, expected, share, seconds):
    """The time is limited by the rest of the budget, by the share of the variables, and by the time so far."""
    search = Search(elapsed)
    search.next_seconds = expected
    assert search.plan(share) == (pytest.approx(seconds), True)


def test_the_first_climb_does_not_count():
    """After 12 s, of which the first climb took 10 s, the islands have searched for 2 s: 1.5 * 2 s are allowed."""
    search = Search(12.0)
    search.searching_since = 10.0
    assert search.plan(1.0) == (pytest.approx(3.0), True)
    search.next_seconds = 3.1
    assert search.plan(1.0) == (0.0, True)


def test_attempts_at_a_size_count_once():
    """
    Of 6 s, 2 s were attempts at the next size: 1.5 * 20 - 4 * 4 - 2 are left.

    Once the size is complete, 1.5 * 20 - 4 * 6 are left.
    """
    search = Search(20.0)
    search.selection_seconds, search.open_seconds = 6.0, 2.0
    assert search.plan(1.0) == (pytest.approx(12.0), True)
    search.record_size(1, 100)
    assert search.open_seconds == 2.0
    search.record_size(2, 100)
    search.enumerated_depth = 1  # `plan` asks for two parents
    assert search.plan(1.0) == (pytest.approx(6.0), True)


def test_earlier_enumerations_count():
    """Four times the time of earlier enumerations is subtracted: 1.5 * 20 - 4 * 4 are left, and 1.5 * 20 - 4 * 7.5."""
    search = Search(20.0)
    search.selection_seconds = 4.0
    assert search.plan(1.0) == (pytest.approx(14.0), True)
    search.selection_seconds = 7.5
    search.next_seconds = 1.0
    assert search.plan(1.0) == (0.0, True)


@pytest.mark.parametrize(
    ("stale", "selecting", "share", "seconds"),
    [
        (4.9, 0.0, 1.0, 0.0),  # less than a quarter of the time so far
        (5.1, 0.0, 1.0, 10.2),
        (5.1, 0.0, 0.5, 5.1),
        (5.1, 5.5, 1.0, 8.0),  # 1.5 * 20 - 4 * 5.5
        (5.1, 7.5, 1.0, 0.0),
        (18.0, 0.0, 1.0, 30.0),
    ],
)
def test_a_search_without_improvement(stale, selecting, share, seconds):
    """After 20 s, the last quarter of them without improvement, a part of a size is enumerated."""
    search = Search(20.0)
    search.stale_since = 20.0 - stale
    search.selection_seconds, search.next_seconds = selecting, 1e9
    planned, whole = search.plan(share)
    assert planned == pytest.approx(seconds)
    assert whole is (stale < 5.0)


def test_no_enumeration_without_memory():
    """Nothing is planned when sets of one more size cannot be enumerated."""
    search = Search(20.0)
    search.is_finished = True
    assert search.plan(1.0) == (0.0, True)


def test_time_for_making_the_table():
    """The last table took 2 s: 28 of 30 s are left for a size. For a part of it, 0.5 s do not suffice for a table."""
    search = Search(40.0)
    search.state.assembly_seconds = 2.0
    assert search.plan(1.0) == (pytest.approx(28.0), True)
    search = Search(99.0)
    search.next_seconds, search.stale_since, search.state.assembly_seconds = 1e9, 0.0, 2.0
    assert search.plan(1.0) == (0.0, False)


def test_growth_of_the_table():
    """With triples there are 1,300 sets instead of 1,000, so the next size may take 0.3 times as long."""
    search = Search(40.0)
    search.enumerated_depth = 0
    growths = []
    for depth, n_sets in ((1, 100), (2, 1000), (2, 1100), (3, 1300), (3, 1290), (4, 1290)):
        search.record_size(depth, n_sets)
        growths.append(search.growth)
    assert growths == pytest.approx([1.0, 1.0, 1.0, 0.3, 0.3, 0.1])
    search.growth, search.enumerated_depth = 0.3, 1
    assert search.plan(1.0) == (pytest.approx(0.3 * 30.0), True)
