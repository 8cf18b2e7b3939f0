"""The upper bound in a checkpoint: a run that continues has a gap that is not worse than the saved one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.checkpoints.container import Container, Part
from bnsearch.errors import InputError
from bnsearch.exact.cuts import Cut, make_cluster_cut
from bnsearch.learning.bound_state import BOUND, decode_cuts, encode_bound, encode_cuts, restore_bound
from bnsearch.learning.bounding import BoundSearch
from bnsearch.learning.learn import learn
from bnsearch.networks import random_network
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from bnsearch.scores import BIC
from bnsearch.selection import Sequential
from clocks import Clock
from strategies import examples

DATA = random_network(30, 2.0, 3, 5).sample(400, seed=5)


def make_cut(members: list[int], order: int) -> Cut:
    """Return a cluster inequality, or a local cut if the order is 0."""
    if order:
        return make_cluster_cut(np.array(members), order)
    c = len(members)
    return Cut(np.array(members), 0, np.arange(float(c << c)).reshape(c, 1 << c), 0.5)


@examples(50)
@given(st.lists(st.tuples(st.lists(st.integers(0, 20), min_size=1, max_size=4, unique=True), st.integers(0, 3))))
def test_cuts_are_the_same_after_saving(given_cuts):
    """Members, orders, coefficients and limits, also of no cuts."""
    cuts = [make_cut(members, order) for members, order in given_cuts]
    found = decode_cuts("cut", encode_cuts("cut", cuts))
    assert len(found) == len(cuts)
    for old, new in zip(cuts, found, strict=True):
        assert old.members.tolist() == new.members.tolist()
        assert (old.order, old.limit) == (new.order, new.limit)
        assert np.array_equal(old.weights, new.weights)
        assert old.weights.shape == new.weights.shape


def make_search(run: Run) -> tuple[BoundSearch, IslandModel]:
    """Return a search for a bound over all sets of two parents and the sets that two islands have met."""
    problem = Problem(data=DATA, score=BIC())
    model = IslandModel(problem, run, 2, 1 << 24)
    model.start()
    model.search_round()
    found = Sequential(max_parents=2).select(DATA, BIC(), threads=1)
    search = BoundSearch(problem, run, model)
    search.add_selected(found.table, found.scope)
    return search, model


@pytest.fixture(scope="module")
def saved_bound():
    """Return the part of a run that has a bound, and the bound."""
    run = Run(Iterations(2000), seed=1)
    search, _ = make_search(run)
    run.checkpoint = object()  # the search describes its state only for a checkpoint
    search.finish()
    part = encode_bound(search)
    assert part is not None and len(part.arrays["orders"]) > 0
    return part, run.bound


def test_the_bound_is_kept_without_time(saved_bound):
    """A run that continues without any time has the saved bound; a relaxed bound would be much higher."""
    part, value = saved_bound
    run = Run(Iterations(2000) | Seconds(1000), seed=1, clock=Clock())
    search, _ = make_search(run)
    run.budget.seconds = 0.0
    restore_bound(search, part)
    search.finish()
    assert run.bound == value
    with pytest.raises(InputError, match="has no certificate"):
        run.evidence()


def test_the_bound_improves_after_continuing(saved_bound):
    """The inequalities of the earlier run are the start, so the bound is not higher, and there is a certificate."""
    part, value = saved_bound
    run = Run(Iterations(2000), seed=1)
    search, model = make_search(run)
    restore_bound(search, part)
    assert (run.bound, search.ascent) == (value, None)
    search.finish()
    assert run.bound < value
    assert run.bound >= max(island.chain.best for island in model.islands)
    assert run.evidence().bound == pytest.approx(run.bound, rel=1e-9)


def test_the_bound_of_another_scope_is_not_used(saved_bound):
    """Its inequalities are the start of the next search, but its value says nothing about other networks."""
    part, _ = saved_bound
    run = Run(Iterations(2000), seed=1)
    search, _ = make_search(run)
    restore_bound(
        search, Part({**part.facts, "scope": "networks over the parent sets kept", "covers all": False}, part.arrays)
    )
    assert run.bound is None


def test_a_damaged_bound_is_reported(saved_bound):
    """A cluster without a multiplier is an error."""
    part, _ = saved_bound
    search, _ = make_search(Run(Iterations(2000), seed=1))
    with pytest.raises(InputError, match="multiplier"):
        restore_bound(search, Part(part.facts, {**part.arrays, "multipliers": np.empty(0)}))


def test_no_bound_is_saved_without_one(tmp_path):
    """A method without a bound has no such part."""
    path = tmp_path / "run.bns"
    learn(DATA, method="ginobs", seconds=None, stop=Iterations(100), seed=1, checkpoint=path)
    assert BOUND not in Container(path).read()
