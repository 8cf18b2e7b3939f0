"""ILGES, VNGES and GRESP on small tables; test_class_trajectories.py has their control flow."""

from __future__ import annotations

import numpy as np
import pytest

from bnsearch.equivalence import GES, GRESP, IGES, ILGES, VNGES, Kind, Neighbourhood
from bnsearch.equivalence.gresp import Construction
from bnsearch.equivalence.iges import single_stage_search
from bnsearch.equivalence.noise import Noise
from bnsearch.equivalence.perturbing import Perturbation
from bnsearch.graphs import cpdag, extension
from bnsearch.learning.search import search
from bnsearch.networks import load_network, random_network, sample
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Iterations, Seconds
from bnsearch.scores import BIC, Scorer
from reference_equivalence import PAPER_SCORE

METHODS = [ILGES(iterations=6), VNGES(kmax=3), GRESP(iterations=6, greedy_first=True)]


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
    here = Neighbourhood(scorer, keep_all=True)
    rng = np.random.default_rng(3)
    seen = set()
    for _ in range(80):
        before = here.cpdag
        Perturbation(1, Noise(), int(rng.integers(2**31)))(here, lambda: False)
        graph = here.cpdag
        assert graph == cpdag(extension(graph))
        assert here.score == pytest.approx(scorer.network(extension(graph)))
        assert len(before.skeleton ^ graph.skeleton) <= 1
        seen.add(graph)
    assert len(seen) > 20


def test_noise_is_as_wide_as_twice_the_best_gain() -> None:
    """On the empty graph every insertion is valid: the highest gain + 2 max(gains) z is chosen; nothing is deleted."""
    here = Neighbourhood(Scorer(sample(load_network("asia"), 300, 1), BIC()), keep_all=True)
    steps = here.find_valid()
    gains = np.array([step.gain for step in steps])
    rng, same = np.random.default_rng(4), np.random.default_rng(4)
    chosen = [here.find_best_after_noise(Kind.INSERT, Noise(), rng) for _ in range(100)]
    assert chosen == [steps[np.argmax(gains + 2 * gains.max() * same.standard_normal(56))] for _ in range(100)]
    assert len({step.operator for step in chosen if step}) > 20
    assert here.find_best_after_noise(Kind.DELETE, Noise(), rng) is None


@pytest.mark.parametrize("scale", ["operator", "variance"])
def test_noise_of_each_operator(scale: str) -> None:
    """On the empty graph the highest of gain + deviation z wins, the deviation being that of the operator itself."""
    here = Neighbourhood(Scorer(sample(load_network("asia"), 300, 1), BIC()), keep_all=True)
    steps = here.find_valid()
    gains = np.array([step.gain for step in steps])
    deviations = 3 * abs(gains) if scale == "operator" else (3 * abs(gains)) ** 0.5
    rng, same = np.random.default_rng(4), np.random.default_rng(4)
    chosen = [here.find_best_after_noise(Kind.INSERT, Noise(3.0, scale), rng) for _ in range(50)]
    assert chosen == [steps[np.argmax(gains + deviations * same.standard_normal(56))] for _ in range(50)]


def test_noisy_steps_are_taken_though_they_lose() -> None:
    """At a local optimum every gain is below zero, and a step is found nevertheless."""
    here = Neighbourhood(Scorer(sample(load_network("asia"), 300, 1), BIC()), keep_all=True)
    for _ in single_stage_search(here, lambda: False):
        pass
    rng = np.random.default_rng(4)
    for kind in Kind:
        step = here.find_best_after_noise(kind, Noise(), rng)
        assert step is not None
        assert step.gain < 0


def test_construction_ends_where_nothing_improves() -> None:
    """FRES leaves no insertion that raises the score, and its first step is among the k best."""
    scorer = Scorer(sample(random_network(8, 1.5, 3, 1), 500, 1), BIC())
    here = Neighbourhood(scorer)
    best = [step.operator for step in here.find_best_few([Kind.INSERT], 4)]
    gains = [step.gain for step in here.find_best_few([Kind.INSERT], 4)]
    assert gains == sorted(gains, reverse=True)
    assert len(set(best)) == 4
    Construction(4, 0)(here, lambda: False)
    assert here.find_best([Kind.INSERT]) is None


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_metaheuristics_stop_when_told(method: ILGES | VNGES | GRESP) -> None:
    """No time: the empty graph. Two iterations: no more."""
    problem = Problem(data=sample(load_network("asia"), 200, 1), score=PAPER_SCORE)
    assert search(problem, method, stop=Seconds(0), seed=1).dag.edges == []
    assert search(problem, method, stop=Iterations(2), seed=1, threads=3).iterations == 2
