"""When parent sets grow beside the islands, and for how long; worked by hand on a scripted model."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import bnsearch
from bnsearch.data import Dataset
from bnsearch.learning import set_growth
from bnsearch.learning.set_growth import SetGrowth
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds
from bnsearch.scores import BIC
from clocks import Clock

PROBLEM = Problem(data=Dataset.from_codes(np.random.default_rng(1).integers(0, 2, (50, 3))), score=BIC())


class ScriptedGrowth:
    """A growth that takes all of its time, and finds sets with scores of at least -1 for variable 0."""

    def __init__(self, data, score, constraints, memory) -> None:
        self.table, self.is_complete, self.depth = None, False, 2
        self.slices: list[float] = []

    def grow(self, budget, seconds, enumerated, depth) -> None:
        """Record the length of the slice."""
        self.slices.append(seconds)
        budget.clock.now += seconds
        self.table, self.depth = enumerated, depth

    def has_found(self, child, score) -> bool:
        """Return True for some families of one variable."""
        return child == 0 and score >= -1.0


class ScriptedModel:
    """The best network of some islands, and their table."""

    def __init__(self) -> None:
        self.scores = [-5.0, -5.0, -5.0]
        self.table = SimpleNamespace(has_new_sets=False, n_searches=0, add_grown=self.add_grown)
        self.added_at_once: list[bool] = []

    def list_best_scores(self) -> list[float]:
        """Return the scores that the test has set."""
        return list(self.scores)

    def add_grown(self, table: ParentSets, *, at_once: bool) -> None:
        """Record that sets were added."""
        self.added_at_once.append(at_once)

    def search_table(self) -> None:
        """Record a search over the table."""
        self.table.n_searches += 1


class Search:
    """A run of 100 s with growth beside scripted islands."""

    def __init__(self, monkeypatch) -> None:
        monkeypatch.setattr(set_growth, "ContinuedGrowth", ScriptedGrowth)
        self.clock = Clock()
        self.run = Run(Seconds(100.0), seed=1, clock=self.clock)
        self.growth, self.model = SetGrowth(PROBLEM, self.run), ScriptedModel()

    def wait(self, seconds: float, depth: int | None = 2, complete: bool = False) -> None:
        """Let some seconds of search pass, then advance."""
        self.clock.now += seconds
        selection = SimpleNamespace(depth=depth, complete=complete, table=SimpleNamespace())
        selection = None if depth is None else selection
        self.growth.advance(self.model, selection)

    @property
    def slices(self) -> list[float]:
        """The lengths of all slices so far."""
        return [] if self.growth._growth is None else self.growth._growth.slices


def test_growth_begins_with_single_parents(monkeypatch):
    """Without an enumeration, without parents and with a complete table there is no growth."""
    search = Search(monkeypatch)
    search.wait(1.0, depth=None)
    search.wait(1.0, depth=0)
    search.wait(1.0, complete=True)
    assert search.slices == []
    search.wait(1.0, depth=1)  # 0.5 * 1 s
    assert search.slices == [pytest.approx(0.5)]
    assert search.model.added_at_once == [True]


def test_short_slices_wait(monkeypatch):
    """After 10 s, a slice takes at least 0.2 s: 0.5 * 0.3 s is too short, 0.5 * 0.6 s is not."""
    search = Search(monkeypatch)
    search.wait(9.7, depth=None)
    search.wait(0.3)
    assert search.slices == []
    search.wait(0.3)
    assert search.slices == [pytest.approx(0.3)]


def test_no_slice_near_the_end(monkeypatch):
    """With 2 s left, a slice takes at most 0.8 s: 0.5 * 2 s is too long."""
    search = Search(monkeypatch)
    search.wait(96.0, depth=None)
    search.wait(2.0)
    assert search.slices == []


def test_the_table_is_searched_between_slices(monkeypatch):
    """
    As long as the last grown sets were not searched, no sets grow; the time counts later.

    No grown set is used: the second slice has 0.5 * 2 s, then 0.25 * 1 s, and no search of its own.
    """
    search = Search(monkeypatch)
    search.wait(1.0)
    search.wait(1.0)
    assert search.slices == [pytest.approx(0.5)]
    search.model.search_table()
    search.model.table.has_new_sets = True  # enumerated sets have arrived since then
    search.wait(1.0)
    assert search.slices == [pytest.approx(0.5)]
    search.model.table.has_new_sets = False
    search.wait(1.0)
    assert search.slices == [pytest.approx(0.5), pytest.approx(1.25)]
    assert search.model.added_at_once == [True, False]


@pytest.mark.parametrize(
    ("variable", "score", "share"),
    [
        (0, -1.0, 0.5),  # a grown set: twice the share, at most 0.5
        (0, -2.0, 0.25),  # another set
        (1, -1.0, 0.25),  # another variable
    ],
)
def test_the_share_depends_on_the_use_of_grown_sets(monkeypatch, variable, score, share):
    """The share is halved if the best network has no new family that is a grown set."""
    search = Search(monkeypatch)
    search.wait(1.0)
    search.model.search_table()
    search.model.scores[variable] = score
    search.wait(2.0)
    assert search.slices[1] == pytest.approx(2.0 * share)
    assert search.model.added_at_once == [True, share == 0.5]


def test_the_share_has_bounds(monkeypatch):
    """0.5 is halved down to 0.02; used sets double it to 0.04 and so on, at most to 0.5."""
    search = Search(monkeypatch)
    monkeypatch.setattr(set_growth, "MIN_SLICE", 0.0)
    shares = []
    for i in range(13):
        search.model.scores[0] = -1.0 / i if i > 6 else -5.0
        search.model.search_table()
        search.wait(1.0)
        shares.append(search.slices[-1])
    falling, rising = [0.5, 0.25, 0.125, 0.0625, 0.03125, 0.02, 0.02], [0.04, 0.08, 0.16, 0.32, 0.5, 0.5]
    assert shares == pytest.approx(falling + rising)


def test_finished_growth_ends(monkeypatch):
    """Growth that has no set left begins again only from larger sets."""
    search = Search(monkeypatch)
    search.wait(1.0)
    search.growth._growth.is_complete = True
    search.model.search_table()
    search.wait(1.0)
    assert len(search.slices) == 1
    search.wait(1.0, depth=3)
    assert len(search.slices) == 2


def test_learn_grows_sets():
    """On a sparse table, a run adds grown sets to the table of its islands."""
    data = bnsearch.random_network(40, 3.0, 2, 3).sample(500, 3)
    added = []
    original = set_growth.ContinuedGrowth.grow

    def grow(self, *given) -> None:
        original(self, *given)
        added.append(self.table.n_sets)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(set_growth.ContinuedGrowth, "grow", grow)
        bnsearch.learn(data, score=bnsearch.BDeu(ess=1.0), seconds=4, seed=1, threads=1)
    assert added
    assert added[-1] > data.n_variables
