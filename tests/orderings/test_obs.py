"""OBS: the best swap of neighbours, the tabu list, restarts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.orderings.index import Index
from bnsearch.orderings.obs import OBS, SwapClimber
from bnsearch.parent_sets.table import ParentSets
from bnsearch.problem import Problem
from bnsearch.scores.score import improves
from bnsearch.searching import search
from bnsearch.stop import Iterations
from candidate_tables import candidate_tables, ordering_score, random_candidates, table_of


def climb_by_definition(table: ParentSets, order: list[int], tabu: int) -> tuple[list[int], float]:
    """Swap the neighbours that gain most, first among equals; return the best ordering passed, and its score."""
    order, best = list(order), list(order)
    recent: list[tuple[int, int]] = []
    stale = 0
    while stale < max(tabu, 1):
        swaps = []
        for i in range(len(order) - 1):
            if (order[i], order[i + 1]) not in recent:
                swapped = [*order[:i], order[i + 1], order[i], *order[i + 2 :]]
                swaps.append((ordering_score(table, swapped), -i, swapped))
        if not swaps:
            break
        score, _, swapped = max(swaps)
        if tabu == 0 and not improves(score, ordering_score(table, order)):
            break
        i = next(i for i in range(len(order)) if order[i] != swapped[i])
        recent = [*recent, (swapped[i], swapped[i + 1])][-tabu:] if tabu else []
        order = swapped
        stale += 1
        if improves(score, ordering_score(table, best)):
            best, stale = list(order), 0
    return best, ordering_score(table, best)


@settings(deadline=None)
@given(candidate_tables(most=7), st.integers(0, 4), st.integers(0, 2**32 - 1))
def test_climbs_are_those_of_the_definition(table: ParentSets, tabu: int, seed: int) -> None:
    """The same swaps are made, with and without a tabu list, up to the best ordering and its score."""
    order = np.random.default_rng(seed).permutation(table.n_variables)
    found = SwapClimber(Index(table)).climb(order.astype(np.int32), tabu)
    best, score = climb_by_definition(table, order.tolist(), tabu)
    assert found.order.tolist() == best
    assert math.isclose(found.score, score, abs_tol=1e-9)


def test_a_tabu_list_leaves_a_local_optimum() -> None:
    """
    Two swaps gain where one loses.

    From (a, b, c) each of the two swaps loses: the first b's 0.5, the second c's 0.2. After the second, (a, c, b), the
    swap of a and c gains a's 1.
    """
    table = table_of(
        [
            {frozenset(): -2.0, frozenset({2}): -1.0},  # a gains 1 from c
            {frozenset(): -2.0, frozenset({0}): -1.5},  # b gains 0.5 from a
            {frozenset(): -2.0, frozenset({1}): -1.8},  # c gains 0.2 from b
        ]
    )
    order = np.arange(3, dtype=np.int32)
    plain, tabu = SwapClimber(Index(table)).climb(order), SwapClimber(Index(table)).climb(order, tabu=3)
    assert plain.order.tolist() == [0, 1, 2]  # -2 - 1.5 - 1.8; each swap loses first
    assert math.isclose(plain.score, -5.3)
    assert math.isclose(tabu.score, -4.5)  # c, a, b: -2 - 1 - 1.5


def test_same_answer_for_any_number_of_threads() -> None:
    """40 climbs give the same network over 1, 2 and 3 threads."""
    table = random_candidates(14, 12, 3, seed=5)
    found = [search(Problem(table=table), OBS(), stop=Iterations(40), seed=11, threads=t) for t in (1, 2, 3)]
    assert {(r.score, r.dag, r.iterations, r.evaluations) for r in found} == {
        (found[0].score, found[0].dag, 40, found[0].evaluations)
    }
    assert math.isclose(found[0].score, ordering_score(table, found[0].dag.order))
    assert found[0].bound is not None
    assert found[0].score <= found[0].bound


@pytest.mark.parametrize("wrong", [{"tabu": -1}, {"tabu": 1.5}, {"start": "nowhere"}], ids=str)
def test_bad_parameters_are_refused(wrong: dict[str, float]) -> None:
    """Each parameter has its range."""
    with pytest.raises(InputError):
        OBS(**wrong)  # type: ignore[arg-type]
