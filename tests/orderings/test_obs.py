"""OBS: the best swap of adjacent variables, the tabu list, restarts."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted import NoBound, Script

from bnsearch.errors import InputError
from bnsearch.learning.search import search
from bnsearch.learning.warm_up import load_kernels
from bnsearch.orderings.index import Index
from bnsearch.orderings.obs import OBS, SwapClimber, swap_random_neighbours
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations
from bnsearch.scores.score import improves
from candidate_tables import candidate_tables, ordering_score, random_candidates, table_of
from reference_orderings import SplitMix


def climb_by_definition(table: ParentSets, order: list[int], tabu: int, random: SplitMix | None) -> list[list[int]]:
    """Return all orderings of a climb by best swaps; ties are broken at random, or the first swap is made."""
    orders, best = [list(order)], ordering_score(table, order)
    recent: list[tuple[int, int]] = []
    stale = 0
    while stale < max(tabu, 1):
        order = orders[-1]
        swaps = [
            [*order[:i], order[i + 1], order[i], *order[i + 2 :]]
            for i in range(len(order) - 1)
            if (order[i], order[i + 1]) not in recent
        ]
        if not swaps:
            break
        scores = [ordering_score(table, swapped) for swapped in swaps]
        ties = [swapped for score, swapped in zip(scores, swaps, strict=True) if not improves(max(scores), score)]
        swapped = ties[0 if random is None else random.below(len(ties))]
        if tabu == 0 and not improves(max(scores), ordering_score(table, order)):
            break
        i = next(i for i in range(len(order)) if order[i] != swapped[i])
        recent = [*recent, (swapped[i], swapped[i + 1])][-tabu:] if tabu else []
        orders.append(swapped)
        stale += 1
        if improves(max(scores), best):
            best, stale = max(scores), 0
    return orders


@settings(deadline=None)
@given(
    table=candidate_tables(max_variables=7),
    tabu=st.integers(0, 4),
    max_steps=st.none() | st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)
@pytest.mark.parametrize("ties", ["random", "first"])
def test_climbs_are_those_of_the_definition(
    ties: str, table: ParentSets, tabu: int, max_steps: int | None, seed: int
) -> None:
    """The number of swaps, the best ordering and its score are those of the definition, with or without tabu list."""
    order = np.random.default_rng(seed).permutation(table.n_variables)
    climber = SwapClimber(Index(table))
    found = climber.climb(
        order.astype(np.int32), np.random.default_rng(seed), tabu=tabu, max_steps=max_steps, ties=ties
    )
    random = SplitMix(np.random.default_rng(seed)) if ties == "random" else None
    orders = climb_by_definition(table, order.tolist(), tabu, random)[: None if max_steps is None else max_steps + 1]
    assert climber.steps == len(orders) - 1
    assert math.isclose(climber.initial, ordering_score(table, order.tolist()), abs_tol=1e-9)
    scores = [ordering_score(table, passed) for passed in orders]
    best = next(passed for passed, score in zip(orders, scores, strict=True) if not improves(max(scores), score))
    assert found.order.tolist() == best
    assert math.isclose(found.score, max(scores), abs_tol=1e-9)


def test_ties_are_drawn_with_equal_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Three swaps gain 1 each, and all others nothing: each of the three is the first swap in a third of 3,000 climbs.

    Each pair is swapped first 1,000 times on average, with a standard deviation of 26.
    """
    monkeypatch.setattr("bnsearch.orderings.obs.EVALUATIONS_PER_CALL", 1)  # the climb is interrupted after each swap
    alone: dict[frozenset[int], float] = {frozenset(): -2.0}
    table = table_of([alone | {frozenset({v + 1}): -1.0} if v % 2 == 0 else alone for v in range(6)])
    climber, rng = SwapClimber(Index(table)), np.random.default_rng(3)
    made: Counter[int] = Counter()
    for _ in range(3000):
        orders: list[list[int]] = []
        climber.climb(
            np.arange(6, dtype=np.int32),
            rng,
            lambda score, orders=orders: not orders.append(climber.order.tolist()),
            tabu=0,
        )
        made[next(i for i in range(6) if orders[0][i] != i)] += 1
    assert set(made) == {0, 2, 4}
    assert all(abs(number - 1000) < 5 * 26 for number in made.values())


def test_a_tabu_list_leaves_a_local_optimum() -> None:
    """
    Two swaps gain although the first of them loses.

    From (a, b, c) both swaps lose: the first one 0.5 for b, the second one 0.2 for c. After the second one, (a, c, b),
    the swap of a and c gains 1 for a.
    """
    table = table_of(
        [
            {frozenset(): -2.0, frozenset({2}): -1.0},  # a gains 1 from c
            {frozenset(): -2.0, frozenset({0}): -1.5},  # b gains 0.5 from a
            {frozenset(): -2.0, frozenset({1}): -1.8},  # c gains 0.2 from b
        ]
    )
    order = np.arange(3, dtype=np.int32)
    plain, tabu = (SwapClimber(Index(table)).climb(order, np.random.default_rng(1), tabu=t) for t in (0, 3))
    assert plain.order.tolist() == [0, 1, 2]  # -2 - 1.5 - 1.8; each swap loses first
    assert math.isclose(plain.score, -5.3)
    assert math.isclose(tabu.score, -4.5)  # c, a, b: -2 - 1 - 1.5
    climber = SwapClimber(Index(table))
    short = climber.climb(order, np.random.default_rng(1), tabu=1)  # one swap without improvement ends the climb
    assert (climber.steps, short.order.tolist()) == (1, [0, 1, 2])


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


def test_restarts_by_a_move_from_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    Climbs end at -5, -7, -4, -4, -9 and -6; each but the first starts one adjacent swap away from the best so far.

    The best is the first climb's ordering for the second and third climb, the third's for the fourth, and the fourth's,
    which has the same score, for the others.
    """
    table = random_candidates(8, 5, 2, seed=1)
    method = OBS(restart_moves=1)
    load_kernels(Problem(table=table), OBS())
    script = Script([-5.0, -7.0, -4.0, -4.0, -9.0, -6.0])
    monkeypatch.setattr("bnsearch.orderings.obs.SwapClimber", script.make_climber)
    monkeypatch.setattr("bnsearch.orderings.restarts.relaxed", NoBound)
    result = search(Problem(table=table), method, stop=Iterations(6), seed=3, threads=2)
    assert (result.score, result.iterations, result.climbs.final.tolist()) == (-4.0, 6, script.scores)
    for climb, best in enumerate([0, 0, 2, 3, 3], start=1):
        before, after = script.starts[best], script.starts[climb]
        moved = [i for i in range(8) if before[i] != after[i]]
        assert moved in [[i, i + 1] for i in range(7)]
        assert [after[i] for i in moved] == [before[i] for i in reversed(moved)]


def test_swaps_of_neighbours() -> None:
    """One variable has no neighbour; two are exchanged; three swaps of three lead to every ordering of odd parity."""
    rng = np.random.default_rng(2)
    assert swap_random_neighbours(np.zeros(1, dtype=np.int32), 5, rng).tolist() == [0]
    assert swap_random_neighbours(np.arange(2, dtype=np.int32), 5, rng).tolist() == [1, 0]
    found = {tuple(swap_random_neighbours(np.arange(3, dtype=np.int32), 3, rng).tolist()) for _ in range(100)}
    assert found == {(1, 0, 2), (0, 2, 1), (2, 1, 0)}


@pytest.mark.parametrize("moves", [None, 2])
@pytest.mark.parametrize("limits", [{"tabu": 7, "max_steps": 3, "ties": "first"}, {}], ids=str)
def test_climbs_get_the_parameters_and_the_deadline(
    monkeypatch: pytest.MonkeyPatch, moves: int | None, limits: dict[str, Any]
) -> None:
    """Each climb, of either kind of restart, is called with the method's parameters and the predicate of the run."""
    problem, script = Problem(table=random_candidates(6, 5, 2, seed=1)), Script([-9.0, -8.0, -8.5])
    monkeypatch.setattr("bnsearch.orderings.obs.SwapClimber", script.make_climber)
    monkeypatch.setattr("bnsearch.orderings.restarts.relaxed", NoBound)
    run = Run(Iterations(3), seed=1)
    OBS(restart_moves=moves, **limits).search(problem, run)
    expected = {"tabu": 20, "max_steps": None, "ties": "random"} | limits
    assert script.arguments == [(run.halted, expected)] * 3
    assert (run.progress.score, run.progress.iterations, run.progress.evaluations) == (-8.0, 3, 3)


def test_the_deadline_ends_a_climb(monkeypatch: pytest.MonkeyPatch) -> None:
    """A climb that is halted at its third call returns the best ordering of its first three swaps."""
    monkeypatch.setattr("bnsearch.orderings.obs.EVALUATIONS_PER_CALL", 1)  # the climb is interrupted after each swap
    table = random_candidates(12, 20, 3, seed=7)
    order, scores = np.arange(12, dtype=np.int32), []

    def halted(score: float) -> bool:
        scores.append(score)
        return len(scores) == 3

    climber = SwapClimber(Index(table))
    found = climber.climb(order, np.random.default_rng(1), halted, tabu=20)
    orders = climb_by_definition(table, order.tolist(), 20, SplitMix(np.random.default_rng(1)))[:4]
    expected = [ordering_score(table, passed) for passed in orders]
    assert climber.steps == 3
    assert scores == pytest.approx([max(expected[: i + 1]) for i in (1, 2, 3)])
    assert found.score == pytest.approx(max(expected))


def test_a_climb_without_a_deadline_is_not_halted(monkeypatch: pytest.MonkeyPatch) -> None:
    """A climb that is interrupted after each swap makes as many swaps as one that is not."""
    index, steps = Index(random_candidates(12, 20, 3, seed=7)), []
    for evaluations in (1_000_000, 1):
        monkeypatch.setattr("bnsearch.orderings.obs.EVALUATIONS_PER_CALL", evaluations)
        climber = SwapClimber(index)
        climber.climb(np.arange(12, dtype=np.int32), np.random.default_rng(1), tabu=5)
        steps.append(climber.steps)
    assert steps[0] == steps[1] > 3


def test_the_default_parameters() -> None:
    """The defaults are those of the documentation, and of the comparison in docs/papers/fidelity.md."""
    assert OBS() == OBS(tabu=20, max_steps=None, restart_moves=None, ties="random", start="random")


@pytest.mark.parametrize("moves", [None, 4])
def test_climbs_by_restarts_are_counted(moves: int | None) -> None:
    """Thirty climbs of either kind are thirty iterations and records, with one thread and with two."""
    problem = Problem(table=random_candidates(14, 12, 3, seed=5))
    one, two = (search(problem, OBS(restart_moves=moves), stop=Iterations(30), seed=1, threads=t) for t in (1, 2))
    assert (one.score, one.dag, one.evaluations) == (two.score, two.dag, two.evaluations)
    assert (one.iterations, len(one.climbs), one.score) == (30, 30, one.climbs.final.max())


def test_climbs_are_recorded() -> None:
    """
    Records of twenty climbs of at most two swaps: the scores at both ends and the steps, in the order of the starts.

    The starts are drawn here as in the run: each task of eight climbs has a generator, which draws all orderings and
    then the seeds of the climbs.
    """
    table = random_candidates(9, 12, 3, seed=5)
    method = OBS(tabu=0, max_steps=2)
    one, two = (search(Problem(table=table), method, stop=Iterations(20), seed=4, threads=t) for t in (1, 2))
    expected = []
    for size, rng in zip((8, 8, 4), np.random.default_rng(4).spawn(3), strict=True):
        for order in [rng.permutation(9) for _ in range(size)]:
            climber = SwapClimber(Index(table))
            final = climber.climb(order.astype(np.int32), rng, tabu=0, max_steps=2).score
            expected.append((ordering_score(table, order.tolist()), final, climber.steps))
    for result in (one, two):
        climbs = result.climbs
        assert len(climbs) == 20
        assert climbs.initial == pytest.approx([initial for initial, _, _ in expected])
        assert climbs.final.tolist() == [final for _, final, _ in expected]
        assert climbs.steps.tolist() == [steps for _, _, steps in expected]
        assert result.score == climbs.final.max()
    assert set(one.climbs.steps) <= {0, 1, 2}


@pytest.mark.parametrize(
    "wrong",
    [{"max_steps": 0}, {"restart_moves": 0}, {"ties": "last"}, {"tabu": -1}, {"tabu": 1.5}, {"start": "nowhere"}],
    ids=str,
)
def test_bad_parameters_are_refused(wrong: dict[str, float]) -> None:
    """Each parameter has its range."""
    with pytest.raises(InputError):
        OBS(**wrong)  # type: ignore[arg-type]
