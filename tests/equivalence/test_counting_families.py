"""The distinct families that a search over equivalence classes asks for: Table 5 of Alonso et al. (2018)."""

from __future__ import annotations

import numpy as np
import pytest

from bnsearch.data import Dataset
from bnsearch.equivalence import GES, GRESP, IGES, ILGES, VNGES, Neighbourhood
from bnsearch.equivalence.class_search import ClassSearch
from bnsearch.equivalence.family_keys import FamilyKeys
from bnsearch.graphs import PDAG
from bnsearch.learning.search import search
from bnsearch.networks import random_network, sample
from bnsearch.runs.problem import Problem
from bnsearch.scores import BIC
from reference_equivalence import PAPER_SCORE, given_parents, is_clique, possible_operators

METHODS = [GES, IGES, lambda **more: ILGES(iterations=5, **more), lambda **more: VNGES(kmax=3, **more)]
METHODS += [lambda **more: GRESP(iterations=5, **more)]
Family = tuple[int, frozenset[int]]


def families_at(graph: PDAG, max_subset: int) -> set[Family]:
    """Return the families in the gains of all operators at a class that pass the clique test."""
    found = set()
    for operator in possible_operators(len(graph.names), graph):
        given = given_parents(operator, graph)
        if len(operator.subset) <= max_subset and is_clique(graph, given & graph.neighbours[operator.y]):
            found |= {(operator.y, given), (operator.y, given | {operator.x})}
    return found


def test_families_by_hand() -> None:
    """Three independent coins: each alone, and each with either of the others, 3 + 6; GES asks for no more."""
    coins = Dataset.from_codes(np.array(np.unravel_index(range(8), (2, 2, 2))).T)
    result = search(Problem(data=coins, score=BIC()), GES(count_families=True))
    assert result.families == 9
    assert result.evaluations == 12  # two for each of the six insertions
    assert search(Problem(data=coins, score=BIC()), GES()).families is None


def test_a_small_buffer_of_keys_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for two keys at first, the operators on one pair need more: the number of families is the same."""
    problem = Problem(data=sample(random_network(7, 1.5, 3, 4), 200, 1), score=PAPER_SCORE)
    families = search(problem, GES(count_families=True)).families
    monkeypatch.setattr("bnsearch.equivalence.family_keys.FIRST_CAPACITY", 2)
    assert search(problem, GES(count_families=True)).families == families


def test_keys_are_taken_once() -> None:
    """Two keys of the buffer are collected, one of them twice; a buffer grows only on request."""
    keys = FamilyKeys(counted=True)
    room = len(keys.buffer)
    keys.buffer[:3] = 7, 8, 7
    keys.collect(3)
    assert (keys.take(), keys.take(), len(keys.buffer)) == ({7, 8}, set(), room)
    keys.collect(0)
    assert len(keys.buffer) == room
    keys.grow()
    assert len(keys.buffer) == 2 * room
    assert len(FamilyKeys(counted=False).buffer) == 0


def test_listings_without_new_gains_need_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty listings of the same class compute no gains after the first one, and the buffer stays as it is."""
    problem = Problem(data=sample(random_network(5, 1.0, 2, 4), 100, 1), score=PAPER_SCORE)
    buffers = []
    monkeypatch.setattr(FamilyKeys, "grow", lambda self: buffers.append(len(self.buffer)))
    result = search(problem, ILGES(iterations=40, count_families=True))
    assert result.families is not None
    assert buffers == []


@pytest.mark.parametrize("make", METHODS)
def test_families_of_all_classes_visited(make: type[ClassSearch], monkeypatch: pytest.MonkeyPatch) -> None:
    """The number is that of the families at every class visited, those returned to included, each once."""
    problem = Problem(data=sample(random_network(7, 1.5, 3, 4), 200, 1), score=PAPER_SCORE)
    visited: set[PDAG] = set()
    listing = Neighbourhood.refresh

    def noted(self: Neighbourhood, *halted: object) -> bool:
        if self.scorer.data is problem.data:  # and not that of a small problem, solved to load the kernels
            visited.add(self.cpdag)
        return listing(self, *halted)  # type: ignore[arg-type]

    monkeypatch.setattr(Neighbourhood, "refresh", noted)
    result = search(problem, make(count_families=True), seed=2, threads=1)
    assert len(visited) > 5
    assert result.families == len(set.union(*(families_at(graph, 3) for graph in visited)))


@pytest.mark.parametrize("make", METHODS[2:])
def test_families_do_not_depend_on_threads(make: type[ClassSearch]) -> None:
    """What other threads have tried in vain does not count, and what they already know counts nevertheless."""
    problem = Problem(data=sample(random_network(9, 2, 3, 2), 300, 1), score=PAPER_SCORE)
    one, three = (search(problem, make(count_families=True), seed=1, threads=n).families for n in (1, 3))
    assert one == three
