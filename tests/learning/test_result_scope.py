"""The networks to which the optimality and the gap of a result refer."""

from __future__ import annotations

from pathlib import Path

import pytest

import bnsearch
from bnsearch.budgets.events import Event
from bnsearch.checkpoints.container import Container
from bnsearch.knowledge import Knowledge
from bnsearch.learning.learn import learn
from bnsearch.learning.search import search
from bnsearch.parent_sets.scope import ALL_NETWORKS
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Iterations
from bnsearch.scores import BIC
from bnsearch.selection.sequential import Sequential

ASIA = bnsearch.load_network("asia").sample(500, 1)
TIERS = Knowledge(tiers=[["xray", "dysp"], ["smoke", "asia"], ["tub", "lung", "bronc", "either"]])
LIMITED = "all networks with at most 1 parent"
KNOWN = "all networks that the knowledge allows"


@pytest.mark.parametrize("method", ["auto", "exact"])
@pytest.mark.parametrize(
    ("options", "scope"),
    [
        ({"max_parents": 1}, LIMITED),
        ({"knowledge": TIERS}, KNOWN),
        ({"knowledge": TIERS, "max_parents": 1}, f"{KNOWN} with at most 1 parent"),
    ],
)
def test_a_restricted_optimum_is_not_called_the_best_of_all(method, options, scope):
    """A network outside the restrictions scores higher, so the words must name the restrictions."""
    free = learn(ASIA, method=method, seconds=20, seed=1)
    assert (free.optimal, free.scope, free.quality) == (True, ALL_NETWORKS, "optimal")
    seen: list[Event] = []
    result = learn(ASIA, method=method, seconds=20, seed=1, observers=[seen.append], **options)
    assert result.score < free.score - 1
    assert (result.optimal, str(result.scope)) == (True, scope)
    assert f"optimal among {scope}, {method}" in repr(result)
    assert {str(event.progress.scope) for event in seen if event.progress is not None} <= {
        scope,
        "networks over the parent sets kept",
        "networks over the parent sets kept that the knowledge allows",
    }


def test_the_limit_of_a_selection():
    """The best network over all sets of one parent is the best of the networks with one parent only."""
    problem = Problem(data=ASIA, score=BIC(), builder=Sequential(max_parents=1))
    result = search(problem, "exact", seed=1)
    assert (result.optimal, str(result.scope)) == (True, LIMITED)


def test_given_sets_with_knowledge():
    """A candidate table is restricted by the knowledge."""
    table = Sequential(max_parents=2).select(ASIA, BIC()).table
    result = search(Problem(table=table, knowledge=TIERS), "exact", seed=1)
    assert (result.optimal, str(result.scope)) == (
        True,
        "networks over the given parent sets that the knowledge allows",
    )
    assert result.quality == f"optimal among {result.scope}"


@pytest.mark.parametrize(("known", "scope"), [(None, LIMITED), (TIERS, f"{KNOWN} with at most 1 parent")])
def test_checkpoints_without_restrictions(tmp_path: Path, known: Knowledge | None, scope: str):
    """The result of an older checkpoint, whose scope has no restrictions, gets those of the problem."""
    stop, path = Iterations(1000), tmp_path / "run.bns"
    options = {"knowledge": known, "max_parents": 1, "seconds": 20, "seed": 1, "stop": stop, "checkpoint": path}
    first = learn(ASIA, **options)
    again = learn(ASIA, **options)
    assert str(again.scope) == str(first.scope) == scope
    assert again.seconds == first.seconds  # the saved result, not one of another run
    container = Container(tmp_path / "run.bns")
    container.check()
    parts = container.read()
    ended = parts["run"].facts["result"]
    for key in ("max parents", "by knowledge"):
        del ended[key]
    container.write(parts)
    old = learn(ASIA, **options)
    assert (str(old.scope), old.seconds) == (scope, first.seconds)
