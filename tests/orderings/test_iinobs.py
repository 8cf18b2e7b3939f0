"""IINOBS: perturbation, acceptance, restarts."""

from __future__ import annotations

import numpy as np
import pytest
from scripted import NoBound, Script

from bnsearch.errors import InputError
from bnsearch.learning.search import search
from bnsearch.learning.warm_up import load_kernels
from bnsearch.orderings.iinobs import IINOBS, swap_random_pairs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds, Target
from candidate_tables import random_candidates

TABLE = random_candidates(6, 5, 2, seed=1)


def run_script(monkeypatch: pytest.MonkeyPatch, method: IINOBS, scores: list[float]) -> Script:
    """Run a method with scripted climbs; return the script, which has recorded their starts."""
    load_kernels(Problem(table=TABLE), method)  # before the script, because it climbs as well
    script = Script(scores)
    monkeypatch.setattr("bnsearch.orderings.iinobs.InsertionClimber", script.make_climber)
    monkeypatch.setattr("bnsearch.orderings.restarts.relaxed", NoBound)
    result = search(Problem(table=TABLE), method, stop=Iterations(len(scores)), seed=3, threads=1)
    assert len(script.starts) == len(scores) == result.iterations
    assert result.score == max(scores)
    return script


def count_differences(first: list[int], second: list[int]) -> int:
    """Return the number of positions in which two orderings differ: two after one swap."""
    return sum(a != b for a, b in zip(first, second, strict=True))


def test_restart_after_the_soft_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start at -5, accept -4, reject -6 twice: the second passes the soft limit of 1, then a new start."""
    method = IINOBS(soft_restart=1, tolerance=0.0, counting="perturbations")  # ceil(0.03 * 6) = 1 swap
    starts = run_script(monkeypatch, method, [-5.0, -4.0, -6.0, -6.0, -9.0, -8.0]).starts
    assert count_differences(starts[0], starts[1]) == 2
    assert count_differences(starts[1], starts[2]) == 2  # from the accepted -4
    assert count_differences(starts[1], starts[3]) == 2  # -6 was rejected: again from -4
    assert starts[4] != starts[1]
    assert count_differences(starts[1], starts[4]) > 2  # a new start
    assert count_differences(starts[4], starts[5]) == 2


def test_a_loss_within_the_tolerance_is_accepted_but_counts_as_no_improvement(monkeypatch: pytest.MonkeyPatch) -> None:
    """-10 to -10.005 is a loss of 0.0005 of the score: tolerated at 0.001; after two such the soft limit is passed."""
    method = IINOBS(soft_restart=1, tolerance=0.001, counting="perturbations")
    starts = run_script(monkeypatch, method, [-10.0, -10.005, -10.01, -20.0]).starts
    assert count_differences(starts[1], starts[2]) == 2  # from -10.005
    assert count_differences(starts[2], starts[3]) > 2


def test_restart_after_the_hard_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a hard limit of 2 the search restarts after two perturbations, although both improve the score."""
    method = IINOBS(hard_restart=2, counting="perturbations")
    starts = run_script(monkeypatch, method, [-9.0, -8.0, -7.0, -6.0, -5.0]).starts
    assert count_differences(starts[1], starts[2]) == 2
    assert count_differences(starts[2], starts[3]) > 2
    assert count_differences(starts[3], starts[4]) == 2


def test_counting_moves_ignores_rejected_perturbations(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    A hard limit of 2 moves, by hand.

    -9 start; -8 move 1; -20 rejected; -7 move 2: the search restarts after three perturbations. If perturbations are
    counted, -20 is the second one, and -7 is the first climb of a new start.
    """
    scores = [-9.0, -8.0, -20.0, -7.0, -30.0, -6.0]
    starts = run_script(monkeypatch, IINOBS(hard_restart=2, counting="moves"), scores).starts
    assert count_differences(starts[1], starts[2]) == count_differences(starts[1], starts[3]) == 2  # both from -8
    assert count_differences(starts[3], starts[4]) > 2  # a new start
    starts = run_script(monkeypatch, IINOBS(hard_restart=2, counting="perturbations"), scores).starts
    assert count_differences(starts[1], starts[3]) > 2
    assert count_differences(starts[3], starts[4]) == 2


def test_counting_moves_resets_the_soft_limit_after_each_accepted_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """Losses of 0.0005 are within the tolerance of 0.001; with a soft limit of 1, two rejections in a row restart."""
    method = IINOBS(soft_restart=1, tolerance=0.001, counting="moves")
    scores = [-10.0, -10.005, -10.01, -20.0, -10.015, -20.0, -20.0, -30.0]
    starts = run_script(monkeypatch, method, scores).starts
    assert count_differences(starts[2], starts[3]) == count_differences(starts[2], starts[4]) == 2  # both from -10.01
    assert count_differences(starts[4], starts[6]) == 2  # one rejection since -10.015
    assert count_differences(starts[4], starts[7]) > 2  # and a second: a new start


def test_defaults_are_those_of_the_paper() -> None:
    """Lee & van Beek (2017), Table 2: p_s 0.03, epsilon 0.00005, r_s 22, r_h 100; INOBS with hybrid selection."""
    published = {"perturbation": 0.03, "tolerance": 0.00005, "soft_restart": 22, "hard_restart": 100}
    assert IINOBS() == IINOBS(**published, counting="moves", start="random")  # type: ignore[arg-type]


def test_the_maximum_number_of_climbs_of_a_start() -> None:
    """Two perturbations, 1 + 2; or two moves, each after two rejections, 1 + 2 * (2 + 1)."""
    limits = {"soft_restart": 2, "hard_restart": 2}
    assert IINOBS(**limits, counting="perturbations").max_climbs == 3
    assert IINOBS(**limits, counting="moves").max_climbs == 7


@pytest.mark.parametrize(
    ("new", "accepted"), [(-99.0, True), (-100.0, True), (-100.09, True), (-100.2, False)], ids=str
)
def test_acceptance(new: float, accepted: bool) -> None:
    """In terms of costs, s'(1 - 0.001) < s = 100: 100.09 * 0.999 = 99.99 passes, 100.2 * 0.999 = 100.0998 does not."""
    assert IINOBS(tolerance=0.001).accepts(new, -100.0) == accepted


def test_acceptance_at_the_tolerance() -> None:
    """The inequality is strict: 100 * (1 - 0.25) = 75 is not below 75, nor is 75 without tolerance."""
    assert not IINOBS(tolerance=0.25).accepts(-100.0, -75.0)
    assert not IINOBS(tolerance=0.0).accepts(-75.0, -75.0)


def test_swaps_of_one_variable_and_of_many() -> None:
    """A single variable stays, two are exchanged; the result of swaps is a permutation."""
    rng = np.random.default_rng(0)
    assert swap_random_pairs(np.array([0], dtype=np.int32), 3, rng).tolist() == [0]
    assert swap_random_pairs(np.array([0, 1], dtype=np.int32), 3, rng).tolist() == [1, 0]
    assert sorted(swap_random_pairs(np.arange(9, dtype=np.int32), 4, rng).tolist()) == list(range(9))


@pytest.mark.parametrize("counting", ["perturbations", "moves"])
def test_same_answer_for_any_number_of_threads(counting: str) -> None:
    """57 climbs give the same network with 1, 2 and 3 threads."""
    table = random_candidates(14, 12, 3, seed=5)
    method = IINOBS(hard_restart=9, soft_restart=1, counting=counting)
    found = [search(Problem(table=table), method, stop=Iterations(57), seed=11, threads=t) for t in (1, 2, 3)]
    assert {(r.score, r.dag, r.iterations, r.evaluations) for r in found} == {
        (found[0].score, found[0].dag, 57, found[0].evaluations)
    }


def test_no_climb_is_started_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time budget ends during the third climb of the first start: neither it nor another start climbs again."""
    script = Script([-9.0, -8.0, -7.0])
    monkeypatch.setattr("bnsearch.orderings.iinobs.InsertionClimber", script.make_climber)
    monkeypatch.setattr("bnsearch.orderings.restarts.relaxed", NoBound)
    run = Run(Seconds(1), seed=1, clock=lambda: float(len(script.starts) == 3))
    IINOBS().search(Problem(table=TABLE), run)
    assert (len(script.starts), run.progress.iterations, run.progress.score) == (3, 3, -7.0)
    assert script.arguments == [(run.halted, {})] * 3


def test_stops_at_the_target() -> None:
    """A target that the first climb reaches ends the run long before its iterations."""
    result = search(Problem(table=TABLE), IINOBS(), stop=Target(-1e6) | Iterations(10_000), seed=1, threads=1)
    assert result.stop == "target"
    assert result.iterations < 1000


@pytest.mark.parametrize(
    "wrong",
    [
        {"perturbation": 0},
        {"perturbation": 1.5},
        {"tolerance": -1},
        {"soft_restart": -1},
        {"soft_restart": 1.5},
        {"hard_restart": 0},
        {"hard_restart": 1.5},
        {"counting": "climbs"},
        {"start": "x"},
    ],
    ids=str,
)
def test_bad_parameters_are_refused(wrong: dict[str, float]) -> None:
    """Each parameter has its range."""
    with pytest.raises(InputError):
        IINOBS(**wrong)  # type: ignore[arg-type]


def test_the_bounds_of_the_parameters_are_allowed() -> None:
    """No tolerance, a soft limit of zero, a hard limit of one, and one swap per variable are legal."""
    IINOBS(perturbation=1.0, tolerance=0.0, soft_restart=0, hard_restart=1)


def test_a_batch_has_eight_whole_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three climbs each, unless the run allows fewer: 20 climbs are six starts of three and one of two."""
    limits: list[int] = []

    def count(self: IINOBS, index: object, start: object, max_climbs: int, rng: object, run: Run) -> None:
        limits.append(max_climbs)
        run.count(iterations=max_climbs)
        if len(limits) == 8:
            run.budget.request_stop()

    monkeypatch.setattr(IINOBS, "search_from_start", count)
    method, problem = (
        IINOBS(hard_restart=2, counting="perturbations"),
        Problem(table=random_candidates(4, 3, 2, seed=1)),
    )
    method.search(problem, Run(seed=1, threads=1))
    assert limits == [3] * 8
    limits.clear()
    method.search(problem, Run(Iterations(20), seed=1, threads=1))
    assert limits == [3] * 6 + [2]
