"""ILGES, VNGES and GRESP: their control flow on scripted climbs, and the real thing on small tables."""

from __future__ import annotations

import numpy as np
import pytest

from bnsearch.equivalence import GES, GRESP, IGES, ILGES, VNGES, Kind, Neighbourhood
from bnsearch.equivalence.climbing import both_ways
from bnsearch.equivalence.crew import Crew, Optimum, build, perturb
from bnsearch.equivalence.noise import Noise
from bnsearch.errors import InputError
from bnsearch.graphs import DAG, cpdag, extension
from bnsearch.learning.search import search
from bnsearch.networks import load_network, random_network, sample
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, NoImprovement, Seconds
from bnsearch.scores import BIC, Scorer
from reference_equivalence import PAPER_SCORE

EMPTY = DAG.empty(["a"])
METHODS = [ILGES(iterations=6), VNGES(kmax=3), GRESP(iterations=6, greedy_first=True)]


class ScriptedCrew(Crew):
    """Climbers that reach the scores they are told to reach, one after the other, and note what they are asked."""

    def __init__(self, *scores: float) -> None:
        self.scores = list(scores)
        self.asked: list[tuple[float, int]] = []
        self.seeds: list[int] = []

    def climb(self) -> Optimum:
        """Reach the next score."""
        return Optimum(self.scores.pop(0), np.empty(0, np.uint64), lambda: EMPTY, {"evaluations": 10, "computed": 1})

    def stay(self) -> Optimum:
        """Reach the next score."""
        return self.climb()

    def climb_in_stages(self) -> Optimum:
        """Note that this was asked for."""
        self.asked.append((0.0, 0))
        return self.climb()

    def perturb_and_climb(self, optimum: Optimum, steps: int, seed: int) -> Optimum:
        """Note which class is perturbed and how much."""
        self.asked.append((optimum.score, steps))
        self.seeds.append(seed)
        return self.climb()

    def build_and_climb(self, most: int, seed: int) -> Optimum:
        """Note the longest list."""
        self.asked.append((0.0, most))
        self.seeds.append(seed)
        return self.climb()


def test_ilges_perturbs_the_best() -> None:
    """Start -9, then -10 (kept: -9), -7 (taken), -8 (kept: -7), -6: k = 7 // 2 = 3 each time; 5 climbs of 10."""
    crew, run = ScriptedCrew(-9, -10, -7, -8, -6), Run(seed=1)
    ILGES(iterations=4).iterate(crew, 7, run)
    assert crew.asked == [(-9, 3), (-9, 3), (-7, 3), (-7, 3)]
    assert len(set(crew.seeds)) == 4
    assert [point.score for point in run.trace] == [-9, -7, -6]
    assert (run.progress.iterations, run.progress.evaluations, run.computed) == (4, 50, 5)


def test_ilges_takes_a_given_perturbation_and_stops_when_told() -> None:
    """Two iterations without improvement are enough; k = 5 as asked for."""
    crew, run = ScriptedCrew(-9, -9, -9, -1), Run(NoImprovement(2), seed=1)
    ILGES(perturbation=5).iterate(crew, 7, run)
    assert crew.asked == [(-9, 5), (-9, 5)]
    assert run.reason == "no improvement"


def test_vnges_widens_until_it_improves() -> None:
    """From -9: k = 1, 2 fail, 3 reaches -7, back to 1; then 1, 2, 3 and 4 = kmax fail, and it ends."""
    crew, run = ScriptedCrew(-9, -9, -10, -7, -8, -7, -9, -8), Run(seed=1)
    VNGES().widen(crew, 4, run)
    assert crew.asked == [(-9, 1), (-9, 2), (-9, 3), (-7, 1), (-7, 2), (-7, 3), (-7, 4)]
    assert len(set(crew.seeds)) == 7
    assert run.progress.score == -7


def test_gresp_restarts() -> None:
    """The start has -8, then five constructions with lists of up to 8 -5, -4, -6, -3, -7; each has its own seed."""
    crew, run = ScriptedCrew(-8, -5, -4, -6, -3, -7), Run(seed=1)
    GRESP(iterations=5).restart(crew, run)
    assert [most for _, most in crew.asked] == [8] * 5  # no greedy climb
    assert len(set(crew.seeds)) == 5
    assert [point.score for point in run.trace] == [-8, -5, -4, -3]
    assert run.progress.iterations == 5


def test_gresp_may_be_greedy_first() -> None:
    """GES and iGES reach -4, no iteration; of two constructions, -5 and -3, the second is better."""
    crew, run = ScriptedCrew(-4, -5, -3), Run(seed=1)
    GRESP(iterations=2, greedy_first=True).restart(crew, run)
    assert [most for _, most in crew.asked] == [0, 8, 8]
    assert [point.score for point in run.trace] == [-4, -3]
    assert run.progress.iterations == 2


def test_several_threads_try_ahead_and_throw_away() -> None:
    """What follows the first improvement in a batch does not count: three threads and four find what one does."""

    class Alternating(ScriptedCrew):
        """Reaches a score that depends on what is perturbed and with which seed, as real climbers do."""

        def perturb_and_climb(self, optimum: Optimum, steps: int, seed: int) -> Optimum:
            self.scores = [optimum.score + (1 if seed % 3 == 0 else -1)]
            return super().perturb_and_climb(optimum, steps, seed)

    def outcome(method: ILGES | VNGES, threads: int) -> tuple[list[float], int, int]:
        crew, run = Alternating(-9), Run(Iterations(20), seed=5, threads=threads)
        (method.iterate if isinstance(method, ILGES) else method.widen)(crew, 9, run)
        return [point.score for point in run.trace], run.progress.iterations, run.progress.evaluations

    for method in (ILGES(iterations=30), VNGES()):
        one = outcome(method, 1)
        assert len(one[0]) > 2
        assert outcome(method, 3) == outcome(method, 4) == one


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_metaheuristics_do_not_depend_on_threads(method: ILGES | VNGES | GRESP) -> None:
    """The same seed gives the same network in one thread and in three; another seed counts other evaluations."""
    problem = Problem(data=sample(random_network(9, 2, 3, 2), 300, 1), score=PAPER_SCORE)
    one = search(problem, method, seed=1, threads=1)
    three = search(problem, method, seed=1, threads=3)
    assert (one.score, one.dag, one.iterations, one.evaluations) == (
        pytest.approx(three.score),
        three.dag,
        three.iterations,
        three.evaluations,
    )
    assert search(problem, method, seed=2, threads=1).evaluations != one.evaluations


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_results_are_local_optima_and_rescored(method: ILGES | VNGES | GRESP) -> None:
    """The score is that of the network; iGES finds nothing to do there; the greedy search is not better."""
    problem = Problem(data=sample(load_network("asia"), 1000, 3), score=PAPER_SCORE)
    result = search(problem, method, seed=1, threads=1)
    assert result.score == pytest.approx(problem.scorer.network(result.dag))
    assert search(problem, IGES(start=result.cpdag)).iterations == 0
    greedy = search(problem, GES() if isinstance(method, GRESP) else IGES())
    assert result.score >= greedy.score - 1e-9


def test_perturbation_applies_valid_moves() -> None:
    """Every class on the way is a CPDAG whose score is the sum of the gains; k steps move at most k edges."""
    scorer = Scorer(sample(random_network(8, 1.5, 3, 1), 200, 1), BIC())
    here = Neighbourhood(scorer, every=True)
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(40):
        before = here.cpdag
        perturb(here, 1, Noise(), rng, lambda: False)
        graph = here.cpdag
        assert graph == cpdag(extension(graph))
        assert here.score == pytest.approx(scorer.network(extension(graph)))
        assert len(before.skeleton ^ graph.skeleton) <= 1
        seen.add(graph)
    assert len(seen) > 20


def test_noise_is_as_wide_as_twice_the_best_gain() -> None:
    """On the empty graph every insertion is valid: the highest gain + 2 max(gains) z is chosen; nothing is deleted."""
    here = Neighbourhood(Scorer(sample(load_network("asia"), 300, 1), BIC()), every=True)
    assert here.refresh()
    steps = here.valid()
    gains = np.array([step.gain for step in steps])
    rng, same = np.random.default_rng(4), np.random.default_rng(4)
    chosen = [here.noisy(Kind.INSERT, Noise(), rng) for _ in range(100)]
    assert chosen == [steps[np.argmax(gains + 2 * gains.max() * same.standard_normal(56))] for _ in range(100)]
    assert len({step.operator for step in chosen if step}) > 20
    assert here.noisy(Kind.DELETE, Noise(), rng) is None


def test_noise_by_hand() -> None:
    """Gains 3, -8 and 0.5 of which 3 is valid, factor 2: 6 for all; 6, 16 and 1; the roots of these."""
    gains = np.array([3.0, -8.0, 0.5])
    assert Noise(2.0, "step").deviations(gains, 3.0).tolist() == [6, 6, 6]
    assert Noise(2.0, "step").deviations(gains, -0.5).tolist() == [1, 1, 1]
    assert Noise(2.0, "operator").deviations(gains, 3.0).tolist() == [6, 16, 1]
    assert Noise(2.0, "variance").deviations(gains, 3.0) == pytest.approx([6**0.5, 4, 1])
    assert Noise(0.0, "operator").deviations(gains, 3.0).tolist() == [0, 0, 0]


@pytest.mark.parametrize("scale", ["operator", "variance"])
def test_noise_of_each_operator(scale: str) -> None:
    """On the empty graph the highest of gain + deviation z wins, the deviation being that of the operator itself."""
    here = Neighbourhood(Scorer(sample(load_network("asia"), 300, 1), BIC()), every=True)
    assert here.refresh()
    steps = here.valid()
    gains = np.array([step.gain for step in steps])
    deviations = 3 * abs(gains) if scale == "operator" else (3 * abs(gains)) ** 0.5
    rng, same = np.random.default_rng(4), np.random.default_rng(4)
    chosen = [here.noisy(Kind.INSERT, Noise(3.0, scale), rng) for _ in range(50)]
    assert chosen == [steps[np.argmax(gains + deviations * same.standard_normal(56))] for _ in range(50)]


@pytest.mark.parametrize("kind", [ILGES, VNGES])
def test_the_noise_reaches_the_perturbations(kind: type[ILGES | VNGES], monkeypatch: pytest.MonkeyPatch) -> None:
    """Every perturbation has the noise that was asked for; 2 and "step" by default."""
    seen = set()

    def noted(here: object, steps: int, noise: Noise, *rest: object) -> None:
        seen.add(noise)

    monkeypatch.setattr("bnsearch.equivalence.crew.perturb", noted)
    problem = Problem(data=sample(load_network("asia"), 200, 1), score=PAPER_SCORE)
    search(problem, kind(), stop=Iterations(3), seed=1)
    search(problem, kind(noise=0.5, noise_scale="variance"), stop=Iterations(3), seed=1)
    assert seen == {Noise(2.0, "step"), Noise(0.5, "variance")}


def test_noisy_steps_are_taken_though_they_lose() -> None:
    """At a local optimum every gain is below zero, and a step is found nevertheless."""
    here = Neighbourhood(Scorer(sample(load_network("asia"), 300, 1), BIC()), every=True)
    for _ in both_ways(here, lambda: False):
        pass
    rng = np.random.default_rng(4)
    for kind in Kind:
        step = here.noisy(kind, Noise(), rng)
        assert step is not None
        assert step.gain < 0


def test_construction_ends_where_nothing_improves() -> None:
    """FRES leaves no insertion that raises the score, and its first step is among the k best."""
    scorer = Scorer(sample(random_network(8, 1.5, 3, 1), 500, 1), BIC())
    here = Neighbourhood(scorer)
    assert here.refresh()
    best = [step.operator for step in here.best([Kind.INSERT], 4)]
    gains = [step.gain for step in here.best([Kind.INSERT], 4)]
    assert gains == sorted(gains, reverse=True)
    assert len(set(best)) == 4
    build(here, 4, np.random.default_rng(0), lambda: False)
    assert here.refresh()
    assert here.best([Kind.INSERT]) == []


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_metaheuristics_stop_when_told(method: ILGES | VNGES | GRESP) -> None:
    """No time: the empty graph. Two iterations: no more."""
    problem = Problem(data=sample(load_network("asia"), 200, 1), score=PAPER_SCORE)
    assert search(problem, method, stop=Seconds(0), seed=1).dag.edges == []
    assert search(problem, method, stop=Iterations(2), seed=1, threads=3).iterations == 2


@pytest.mark.parametrize(
    ("kind", "parameters"),
    [
        (ILGES, {"perturbation": 0}),
        (ILGES, {"iterations": -1}),
        (ILGES, {"noise": -1}),
        (ILGES, {"noise_scale": "operators"}),
        (VNGES, {"kmax": 0}),
        (VNGES, {"noise": float("nan")}),
        (GRESP, {"maxk": 1}),
        (GRESP, {"iterations": 0.5}),
        (GRESP, {"max_subset": -1}),
    ],
)
def test_bad_parameters_are_refused(kind: type, parameters: dict[str, float | str]) -> None:
    """Each is named in the error."""
    with pytest.raises(InputError, match=next(iter(parameters))):
        kind(**parameters)
