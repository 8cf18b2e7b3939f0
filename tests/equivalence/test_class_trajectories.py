"""The control flow and the published parameters of GES, iGES, ILGES, VNGES and GRESP, on scripted climbs."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from scripted_classes import ScriptedPool, ScriptedState

from bnsearch.data import Dataset
from bnsearch.equivalence import GES, GRESP, IGES, ILGES, VNGES, Kind
from bnsearch.equivalence.class_search import ClassSearch
from bnsearch.equivalence.climber_pool import Optimum
from bnsearch.equivalence.ges import backward_search, forward_search, two_stage_search
from bnsearch.equivalence.gresp import Construction
from bnsearch.equivalence.iges import single_stage_search
from bnsearch.equivalence.noise import Noise
from bnsearch.equivalence.perturbing import Perturbation
from bnsearch.errors import InputError
from bnsearch.graphs import PDAG
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, NoImprovement, Seconds
from bnsearch.scores import BIC, K2

INSERT, DELETE = Kind.INSERT, Kind.DELETE
SEEDS = np.random.default_rng(1).integers(2**63, size=100).tolist()  # what a run with seed 1 draws
SEVEN = Problem(data=Dataset.from_codes(np.zeros((3, 7), dtype=int)), score=BIC())


def never() -> bool:
    """Take the place of a run that goes on."""
    return False


def defaults(method: type[ClassSearch]) -> dict[str, Any]:
    """Return the parameters of a method and their defaults."""
    return {field.name: field.default for field in fields(method)}


def test_published_parameters() -> None:
    """Alonso et al. (2018), 5.1: T and H of at most 3, k = n / 2 and 100 iterations, kmax = n, maxK = 8 and 50."""
    common = {"max_subset": 3, "start": None, "count_families": False}
    noisy = common | {"noise": 2.0, "noise_scale": "step"}
    assert defaults(GES) == defaults(IGES) == common
    assert defaults(ILGES) == noisy | {"perturbation": None, "iterations": 100}
    assert defaults(VNGES) == noisy | {"kmax": None}
    assert defaults(GRESP) == common | {"maxk": 8, "iterations": 50, "greedy_first": False}


@pytest.mark.parametrize(
    ("search", "kinds"),
    [(forward_search, [INSERT]), (backward_search, [DELETE]), (single_stage_search, [INSERT, DELETE])],
)
def test_a_stage_applies_the_best_until_there_is_none(search: Any, kinds: list[Kind]) -> None:
    """Gains 5 and 3, then none: two steps, three questions for one operator of the stage's kinds each."""
    state = ScriptedState([5.0, 4.0], [3.0], [])
    assert [step.gain for step in search(state, never)] == [5, 3]
    assert state.applied == [5, 3]
    assert state.asked == [(kinds, 1)] * 3


def test_ges_deletes_after_all_insertions() -> None:
    """FES applies 5 and 3 and finds nothing more, BES applies 1; it never inserts again."""
    state = ScriptedState([5.0], [3.0], [], [1.0], [])
    assert [step.gain for step in two_stage_search(state, never)] == [5, 3, 1]
    assert [kinds for kinds, _ in state.asked] == [[INSERT]] * 3 + [[DELETE]] * 2


def scripted_search(method: GES | IGES, state: ScriptedState, run: Run, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Search from a scripted state; return the scores of the trace."""
    monkeypatch.setattr(ClassSearch, "start_neighbourhood", lambda *given, **more: state)
    method.search(SEVEN, run)
    return [point.score for point in run.trace]


@pytest.mark.parametrize(("method", "calls"), [(GES(), 5), (IGES(), 4)])
def test_greedy_searches_report_every_class(method: GES | IGES, calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """From -100 by 5, 3, 1: four classes, three iterations of 10 evaluations; 10 for the last look at operators."""
    script = [[5.0], [3.0], [], [1.0], []] if calls == 5 else [[5.0], [3.0], [1.0], []]
    run = Run(seed=1)
    assert scripted_search(method, ScriptedState(*script), run, monkeypatch) == [-100, -95, -92, -91]
    assert (run.progress.iterations, run.progress.evaluations, run.computed) == (3, 40, 4)


@pytest.mark.parametrize("method", [GES(), IGES()])
def test_greedy_searches_stop_between_steps(method: GES | IGES, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two iterations of three are allowed; the third operator is not looked for."""
    state, run = ScriptedState([5.0], [3.0], [1.0], []), Run(Iterations(2), seed=1)
    assert scripted_search(method, state, run, monkeypatch) == [-100, -95, -92]
    assert len(state.asked) == 2
    assert run.progress.evaluations == 30


@pytest.mark.parametrize("method", [GES(), IGES()])
def test_greedy_searches_without_time_report_the_start(method: GES | IGES, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is over before the first operator is looked for."""
    state = ScriptedState([5.0])
    assert scripted_search(method, state, Run(Seconds(0), seed=1), monkeypatch) == [-100]
    assert state.asked == []


def test_perturbation_inserts_or_deletes_at_even_odds() -> None:
    """Seed 3 draws 0.09, 0.24, 0.80, 0.58, 0.09, 0.43: above 0.5 it inserts. A step without operator is skipped."""
    state = ScriptedState([-5.0], [], [3.0], [1.0], [-2.0], [-1.0], [9.0])
    noise = Noise(0.5, "variance")
    Perturbation(6, noise, 3)(state, never)
    assert [kinds for kinds, _ in state.asked] == [[DELETE], [DELETE], [INSERT], [INSERT], [DELETE], [DELETE]]
    assert state.applied == [-5, 3, 1, -2, -1]
    assert state.noises == [noise] * 6


def test_noise_by_hand() -> None:
    """Gains 3, -8 and 0.5 of which 3 is valid, factor 2: 6 for all; 6, 16 and 1; the roots of these."""
    gains = np.array([3.0, -8.0, 0.5])
    assert Noise(2.0, "step").deviations(gains, 3.0).tolist() == [6, 6, 6]
    assert Noise(2.0, "step").deviations(gains, -0.5).tolist() == [1, 1, 1]
    assert Noise(2.0, "operator").deviations(gains, 3.0).tolist() == [6, 16, 1]
    assert Noise(2.0, "variance").deviations(gains, 3.0) == pytest.approx([6**0.5, 4, 1])
    assert Noise(0.0, "operator").deviations(gains, 3.0).tolist() == [0, 0, 0]


def test_perturbation_stops_when_the_run_does() -> None:
    """No operator is looked for any more."""
    state = ScriptedState([5.0])
    Perturbation(3, Noise(), 1)(state, lambda: True)
    assert (state.asked, state.applied) == ([], [])


def test_construction_draws_its_length_once_and_chooses_evenly() -> None:
    """Over 400 seeds k takes the values 2 to 5, and every entry of a full list is chosen."""
    lengths, chosen = set(), {k: set() for k in range(2, 6)}
    for seed in range(400):
        state = ScriptedState(range(1, 10), range(1, 10), [4.0], [])
        Construction(5, seed)(state, never)
        assert all(kinds == [INSERT] for kinds, _ in state.asked)
        (k,) = {number for _, number in state.asked}
        lengths.add(k)
        chosen[k].update(state.applied[:2])
        assert (len(state.asked), state.applied[2:]) == (4, [4])
    assert lengths == {2, 3, 4, 5}
    assert chosen == {k: set(range(1, k + 1)) for k in range(2, 6)}


def test_construction_by_hand() -> None:
    """Seed 1: default_rng(1).integers(2, 9) is 5; then entries 2 of 5, 3 of 5 and 0 of 1 are inserted."""
    state = ScriptedState([9.0, 8.0, 7.0, 6.0, 5.0, 4.0], [9.0, 8.0, 7.0, 6.0, 5.0, 4.0], [2.0], [])
    Construction(8, 1)(state, never)
    assert state.asked == [([INSERT], 5)] * 4
    assert state.applied == [7, 6, 2]


def run_pool(
    method: ILGES | VNGES | GRESP, pool: ScriptedPool, monkeypatch: pytest.MonkeyPatch, *rules: Any, **more: Any
) -> Run:
    """Let a method search on seven variables with scripted climbers; return the run."""
    monkeypatch.setattr(f"bnsearch.equivalence.{method.name}.ClimberPool", pool.take_place)
    run = Run(*rules, seed=1, **more)
    method.search(SEVEN, run)
    return run


def test_ilges_perturbs_the_best(monkeypatch: pytest.MonkeyPatch) -> None:
    """Climb to -9; then -10 (kept: -9), -7 (taken), -8 (kept: -7), -6: k = 7 // 2 = 3 each time; 5 climbs of 10."""
    pool = ScriptedPool(-20, -9, -10, -7, -8, -6)
    run = run_pool(ILGES(iterations=4), pool, monkeypatch)
    assert pool.made_with == {"keep_all": True}
    assert pool.asked[0] is None
    assert [(score, change.steps) for score, change in pool.asked[1:]] == [(-9, 3), (-9, 3), (-7, 3), (-7, 3)]
    assert [change.noise for change in pool.changes] == [Noise(2.0, "step")] * 4
    assert [change.seed for change in pool.changes] == SEEDS[:4]
    assert [point.score for point in run.trace] == [-9, -7, -6]
    assert (run.progress.iterations, run.progress.evaluations, run.computed) == (4, 50, 5)


def test_ilges_as_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """100 perturbations of n // 2 steps; at least one step where there is one variable."""
    pool = ScriptedPool(-20, *[-9] * 101)
    run = run_pool(ILGES(), pool, monkeypatch)
    assert (run.progress.iterations, len(pool.asked), len({change.seed for change in pool.changes})) == (100, 101, 100)
    small = ScriptedPool(-9, -9)
    ILGES(iterations=1).iterate(small, 1, Run(seed=1))
    assert [change.steps for change in small.changes] == [1]


def test_ilges_takes_a_given_perturbation_and_stops_by_a_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two iterations without improvement are enough; k = 5 and the noise as given."""
    pool = ScriptedPool(-20, -9, -9, -9, -1)
    method = ILGES(perturbation=5, noise=0.5, noise_scale="variance")
    run = run_pool(method, pool, monkeypatch, NoImprovement(2))
    expected = [Perturbation(5, Noise(0.5, "variance"), seed) for seed in SEEDS[:2]]
    assert (pool.changes, run.reason) == (expected, "no improvement")


def test_vnges_widens_until_it_improves(monkeypatch: pytest.MonkeyPatch) -> None:
    """From -9: k = 1, 2 fail, 3 reaches -7, back to 1; then 1, 2, 3 and 4 = kmax fail, and it ends."""
    pool = ScriptedPool(-20, -9, -9, -10, -7, -8, -7, -9, -8)
    run = run_pool(VNGES(kmax=4), pool, monkeypatch)
    steps = [(score, change.steps) for score, change in pool.asked[1:]]
    assert pool.made_with == {"keep_all": True}
    assert steps == [(-9, 1), (-9, 2), (-9, 3), (-7, 1), (-7, 2), (-7, 3), (-7, 4)]
    assert {change.noise for change in pool.changes} == {Noise(2.0, "step")}
    assert [point.score for point in run.trace] == [-9, -7]
    assert (run.progress.iterations, run.progress.evaluations) == (7, 80)


def test_vnges_as_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without improvement the neighbourhoods 1 to n = 7, each with the seed that comes next."""
    pool = ScriptedPool(-20, *[-9] * 8)
    run_pool(VNGES(), pool, monkeypatch)
    assert pool.changes == [Perturbation(k, Noise(), seed) for k, seed in zip(range(1, 8), SEEDS[:7], strict=True)]


def test_vnges_ends_at_kmax_with_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four threads try the neighbourhoods 1 to kmax = 3 at once, and no wider one."""
    pool = ScriptedPool(-20, *[-9] * 5)
    run = run_pool(VNGES(kmax=3), pool, monkeypatch, threads=4)
    assert sorted(change.steps for change in pool.changes) == [1, 2, 3]
    assert (run.progress.iterations, run.reason) == (3, None)


def test_vnges_draws_seeds_only_when_it_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """With kmax = 3: seeds 1, 2 lead to an improvement; the third is used for k = 1, and two more are drawn."""
    pool = ScriptedPool(-20, -9, -9, -7, -7, -7, -7)
    run_pool(VNGES(kmax=3), pool, monkeypatch)
    steps = [1, 2, 1, 2, 3]
    assert [(change.steps, change.seed) for change in pool.changes] == list(zip(steps, SEEDS[:5], strict=True))


def test_gresp_restarts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The origin has -8; constructions from there reach -5, -4, -6, -3, -7; each has its own seed."""
    pool = ScriptedPool(-8, -5, -4, -6, -3, -7)
    run = run_pool(GRESP(iterations=5), pool, monkeypatch)
    assert pool.made_with == {}
    assert pool.asked == [(-8, Construction(8, seed)) for seed in SEEDS[:5]]
    assert [point.score for point in run.trace] == [-8, -5, -4, -3]
    assert (run.progress.iterations, run.progress.evaluations) == (5, 60)


def test_gresp_as_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """50 constructions with lists of up to 8."""
    pool = ScriptedPool(*[-9] * 51)
    run = run_pool(GRESP(), pool, monkeypatch)
    assert (run.progress.iterations, {change.maxk for change in pool.changes}) == (50, {8})
    assert len({change.seed for change in pool.changes}) == 50


def test_gresp_may_be_greedy_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """GES and iGES reach -4, no iteration; of two constructions, -5 and -3, the second is better."""
    pool = ScriptedPool(-9, -4, -5, -3)
    run = run_pool(GRESP(iterations=2, maxk=3, greedy_first=True), pool, monkeypatch)
    assert pool.asked[0] == (0.0, "two stages")
    assert [change.maxk for change in pool.changes[1:]] == [3, 3]
    assert [point.score for point in run.trace] == [-4, -3]
    assert run.progress.iterations == 2


@pytest.mark.parametrize("method", [ILGES(), VNGES(), GRESP()], ids=lambda method: method.name)
def test_iterations_end_a_run(method: ILGES | VNGES | GRESP, monkeypatch: pytest.MonkeyPatch) -> None:
    """Five iterations, with three threads: a batch of three and one of two."""
    pool = ScriptedPool(-9, *[-9] * 6)
    run = run_pool(method, pool, monkeypatch, Iterations(5), threads=3)
    assert (run.progress.iterations, len(pool.changes), run.reason) == (5, 5, "iterations")


@pytest.mark.parametrize("method", [ILGES(iterations=0), GRESP(iterations=0)], ids=lambda method: method.name)
def test_no_iterations(method: ILGES | GRESP, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first class is the result."""
    pool = ScriptedPool(-9, -9)
    assert run_pool(method, pool, monkeypatch).progress.score == -9
    assert pool.changes == []


def test_several_threads_try_ahead_and_discard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials after the first improvement of a batch do not count: three threads and four find what one does."""

    class Alternating(ScriptedPool):
        """Reaches a score that depends on what is changed and with which seed, as real climbers do."""

        def change_and_climb(self, optimum: Optimum, change: Any) -> Optimum:
            self.scores = [optimum.score + (1 if change.seed % 3 == 0 else -1)]
            return super().change_and_climb(optimum, change)

    def outcome(method: ILGES | VNGES, threads: int) -> tuple[list[float], int, int]:
        run = run_pool(method, Alternating(-20, -9), monkeypatch, Iterations(20), threads=threads)
        return [point.score for point in run.trace], run.progress.iterations, run.progress.evaluations

    for method in (ILGES(iterations=30), VNGES()):
        one = outcome(method, 1)
        assert len(one[0]) > 2
        assert outcome(method, 3) == outcome(method, 4) == one


def test_a_difference_within_the_tolerance_is_no_improvement(monkeypatch: pytest.MonkeyPatch) -> None:
    """From -9 to -9 + 1e-13: ILGES perturbs the old class, VNGES widens."""
    for method in (ILGES(iterations=2), VNGES(kmax=2)):
        pool = ScriptedPool(-20, -9, -9 + 1e-13, -9)
        run_pool(method, pool, monkeypatch)
        assert [asked[0] for asked in pool.asked[1:] if asked] == [-9, -9]


def test_parameters_reach_the_neighbourhood(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits, the knowledge and the start of a method are those of the state it starts with."""
    seen: dict[str, Any] = {}

    class Noted:
        def __init__(self, scorer: object, **options: Any) -> None:
            seen.update(options, scorer=scorer)

        def start_at(self, start: PDAG) -> None:
            seen["start"] = start

    monkeypatch.setattr("bnsearch.equivalence.class_search.Neighbourhood", Noted)
    start = PDAG.from_edges("ab", undirected=[("a", "b")])
    limits = {"max_subset": 2, "count_families": True}
    IGES(start=start, **limits).start_neighbourhood("scorer", "knowledge", keep_all=True)  # type: ignore[arg-type]
    assert seen == limits | {"start": start, "scorer": "scorer", "constraints": "knowledge", "keep_all": True}
    seen.clear()
    GES().start_neighbourhood("scorer")  # type: ignore[arg-type]
    common = {"max_subset": 3, "count_families": False}
    assert seen == common | {"scorer": "scorer", "constraints": None, "keep_all": False}


@pytest.mark.parametrize(("start", "valued"), [(None, True), (PDAG.from_edges("ab"), False)])
def test_pairs_are_valued_at_an_empty_start_alone(
    start: PDAG | None, valued: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From another start most pairs may never be needed."""
    calls: list[object] = []
    monkeypatch.setattr("bnsearch.equivalence.class_search.value_pairs", lambda *given: calls.append(given))
    run = Run(seed=1)
    assert GES(start=start).prepare_scorer(SEVEN, run) is SEVEN.scorer
    assert calls == ([(SEVEN.scorer, run)] if valued else [])


def test_scores_that_tell_equivalent_networks_apart_are_refused() -> None:
    """K2 gives the two directions of an edge different values."""
    with pytest.raises(InputError, match="k2 gives them different values"):
        GES().prepare_scorer(Problem(data=SEVEN.data, score=K2()), Run(seed=1))


@pytest.mark.parametrize(
    ("kind", "legal", "illegal"),
    [
        (GES, {"max_subset": 0}, {"max_subset": -1}),
        (GES, {"max_subset": None}, {"start": "a -> b"}),
        (ILGES, {"perturbation": 1}, {"perturbation": 0}),
        (ILGES, {"iterations": 0}, {"iterations": -1}),
        (ILGES, {"iterations": 1}, {"iterations": 0.5}),
        (ILGES, {"noise": 0}, {"noise": -1}),
        (ILGES, {"noise_scale": "operator"}, {"noise_scale": "operators"}),
        (ILGES, {"perturbation": 2}, {"perturbation": 1.5}),
        (ILGES, {}, {"max_subset": -1}),
        (VNGES, {"kmax": 1}, {"kmax": 0}),
        (VNGES, {"kmax": 2}, {"kmax": 1.5}),
        (VNGES, {"noise_scale": "variance"}, {"noise": float("nan")}),
        (VNGES, {"noise_scale": "step"}, {"noise": float("inf")}),
        (GRESP, {"maxk": 2}, {"maxk": 1}),
        (GRESP, {"maxk": 3}, {"maxk": 2.5}),
        (GRESP, {"iterations": 0}, {"iterations": -1}),
        (GRESP, {}, {"iterations": 0.5}),
        (GRESP, {}, {"max_subset": -1}),
    ],
)
def test_parameters_have_ranges(kind: type, legal: dict[str, Any], illegal: dict[str, Any]) -> None:
    """The end of each range is legal; a value beyond it is refused, with the parameter's name."""
    kind(**legal)
    with pytest.raises(InputError, match=next(iter(illegal))):
        kind(**illegal)
