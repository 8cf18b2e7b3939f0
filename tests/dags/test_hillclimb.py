"""Hill climbing and tabu search as methods: restarts, limits, threads, candidates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bnsearch.dags import HillClimb, Tabu
from bnsearch.dags.climber import ScoredDAG
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.learning.search import search
from bnsearch.networks import load_network, random_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Evaluations, Iterations, Seconds, Target
from bnsearch.scores import BIC, K2, BDeu
from reference_dags import neighbours, score_of


@pytest.fixture(scope="module")
def problem() -> Problem:
    """Return 1,500 rows of a random network of 15 variables."""
    network = random_network(15, 2, 4, seed=6, max_parents=4)
    return Problem(data=network.sample(1500, seed=1), score=BIC())


@pytest.mark.parametrize("method", [HillClimb(), HillClimb(restarts=0), Tabu(restarts=3)])
def test_the_score_is_that_of_the_network(problem, method):
    """The result is scored right, better than no edges, and its trace ascends."""
    result = search(problem, method, seed=1, threads=1)
    assert result.score == pytest.approx(problem.scorer.network(result.dag))
    assert result.score > problem.base_score
    scores = [point.score for point in result.trace]
    assert scores == sorted(scores)
    assert (result.method, result.stop, result.iterations) == (method.name, "complete", 1 + method.restarts)
    assert result.evaluations >= result.computed > 0


@pytest.mark.parametrize("score", [BIC(), BDeu(ess=5.0), K2()])
def test_no_single_move_improves_a_local_optimum(problem, score):
    """Rescoring every graph one move away finds none that is better, under scores equivalent or not."""
    small = Problem(data=problem.data.select(problem.names[:6]), score=score)
    result = search(small, HillClimb(), seed=1, threads=1)
    graph = tuple(map(frozenset, result.dag.parents))

    def family(child, parents):
        return small.scorer.family(child, sorted(parents))

    best = score_of(graph, family)
    assert all(score_of(after, family) <= best + 1e-6 for _, after in neighbours(graph))


@pytest.mark.parametrize(
    "method",
    [
        HillClimb(restarts=9),
        Tabu(restarts=5, perturbation=0.2),
        Tabu(restarts=5, restart_moves=8, tabu_list="moves"),
    ],
)
def test_the_result_does_not_depend_on_the_threads(problem, method):
    """One, two and five threads find the same graph under a budget of iterations; another seed finds its own way."""
    results = [search(problem, method, stop=Iterations(6), seed=3, threads=threads) for threads in (1, 2, 5)]
    assert len({result.dag for result in results}) == 1
    assert len({(result.score, result.iterations, result.evaluations) for result in results}) == 1


@pytest.mark.parametrize("moves", [None, 7])
def test_restarts_go_on_from_the_best_that_is_not_worse(problem, monkeypatch, moves):
    """
    The first climb ends at -10; four restarts from there at -12, -9, -9, -11; four from the third at -9.5 and worse.

    Of the equal -9 the later is the next to be perturbed; after a round of worse ones, it is perturbed again.
    With a perturbation near zero a restart begins at the graph itself: graph k is k's edge 0 -> k. By moves it begins
    there as well, and each restart makes moves of its own.
    """
    ends = [-10.0, -12.0, -9.0, -9.0, -11.0, -9.5, -10.0, -11.0, -12.0, -8.0]
    starts, walks = [], []

    class Scripted:
        asked = computed = 0
        score = -np.inf

        def __init__(self, *tools):
            pass

        def fork(self):
            return self

        def start(self, parents, tie_order=None, moves=None):
            starts.append(([k for k, s in enumerate(parents) if len(s)], tie_order is None))
            walks.append(None if moves is None else len(set(moves.tolist())))

        def climb(self):
            parents: list[list[int]] = [[] for _ in range(problem.size)]
            parents[len(starts)] = [0]
            self.score = ends[len(starts) - 1]
            self.best = ScoredDAG(self.score, lambda: parents, np.zeros(len(parents)))
            yield

    monkeypatch.setattr("bnsearch.dags.hillclimb.Climber", Scripted)
    run = Run(seed=1)
    perturbed = {"perturbation": 1e-12} if moves is None else {"restart_moves": moves}
    HillClimb(restarts=9, **perturbed).search(problem, run)
    assert walks == [None, *[moves] * 9]
    assert starts == [([], True), *[([1], False)] * 4, *[([4], False)] * 4, ([4], False)]
    assert [point.score for point in run.trace] == [-10.0, -9.0, -8.0]
    assert (run.progress.iterations, run.best().edges) == (10, [(problem.names[0], problem.names[10])])


def test_restarts_only_help(problem):
    """More restarts with the same seed never end lower; the first climb is the same."""
    scores = [search(problem, HillClimb(restarts=r), seed=1, threads=1).score for r in (0, 4, 8)]
    assert scores == sorted(scores)
    assert scores[-1] > scores[0]


def test_tabu_search_is_at_least_as_good_as_the_first_climb(problem):
    """It takes the same way up and then goes on."""
    climb = search(problem, HillClimb(restarts=0), seed=1, threads=1)
    assert search(problem, Tabu(restarts=0), seed=1, threads=1).score >= climb.score


def test_columns_in_another_order_lead_to_the_same_score(problem):
    """Ties are broken by content: the climb does not look at where a column stands."""
    data = problem.data
    order = np.random.default_rng(2).permutation(data.n_variables)
    turned = Dataset.from_codes(
        data.codes[order].T, names=[data.names[v] for v in order], arities=data.arities[order].tolist()
    )
    results = [search(Problem(data=d, score=BIC()), HillClimb(restarts=0), seed=1, threads=1) for d in (data, turned)]
    assert results[1].dag.reordered(data.names) == results[0].dag


def test_few_parents_and_few_candidates(problem):
    """No more parents than asked for; each is one of the two best single parents of its child."""
    single = replace(problem, knowledge=Knowledge(max_parents=1))
    result = search(single, Tabu(restarts=2), seed=1, threads=1)
    assert max(map(len, result.dag.parents)) == 1
    result = search(problem, HillClimb(candidates=2), seed=1, threads=1)
    for child, parents in enumerate(result.dag.parents):
        singles = {x: problem.scorer.family(child, [x]) for x in range(problem.size) if x != child}
        assert set(parents) <= set(sorted(singles, key=singles.__getitem__)[-2:])
    everyone = search(problem, HillClimb(candidates=100), seed=1, threads=1)
    assert everyone.dag == search(problem, HillClimb(), seed=1, threads=1).dag
    empty = search(replace(problem, knowledge=Knowledge(max_parents=0)), HillClimb(), seed=1, threads=1)
    assert empty.dag.edges == []


@pytest.mark.parametrize(
    ("stop", "reason"),
    [
        (Seconds(0), "seconds"),
        (Evaluations(20), "evaluations"),
        (Iterations(1), "iterations"),
        (Target(-1e9), "target"),
    ],
    ids=["seconds", "evaluations", "iterations", "target"],
)
def test_limits_are_kept(problem, stop, reason):
    """Unlimited restarts end at the limit of the run, and the score is that of the network."""
    result = search(problem, HillClimb(restarts=None), stop=stop, seed=1, threads=2)
    assert result.stop == reason
    assert result.score == pytest.approx(problem.scorer.network(result.dag))


def test_an_interrupted_run_ends_within_a_step(problem):
    """Asked to stop at the third improvement, it keeps what it has."""
    run = Run(seed=1, threads=2, observers=[lambda event: run.budget.request_stop() if len(run.trace) == 3 else None])
    HillClimb(restarts=None).search(problem, run)
    assert run.reason == "interrupted"
    assert run.best().edges


def test_one_variable_and_no_variables_to_join():
    """One variable has no edges; two independent ones neither."""
    rng = np.random.default_rng(0)
    for columns in (1, 2):
        data = Dataset.from_codes(rng.integers(2, size=(50, columns)), arities=[2] * columns)
        for method in (HillClimb(candidates=3), Tabu()):
            result = search(Problem(data=data, score=BIC()), method, seed=1)
            assert result.dag.edges == []


def test_asia_is_found_to_its_class():
    """From 20,000 rows tabu search with restarts finds a network no worse than the one the rows were drawn from."""
    truth = load_network("asia")
    problem = Problem(data=truth.sample(20_000, seed=2), score=BIC())
    assert search(problem, Tabu(), seed=1).score >= problem.scorer.network(truth.dag)


@pytest.mark.parametrize(
    "make",
    [
        lambda: HillClimb(candidates=0),
        lambda: HillClimb(restarts=1.5),
        lambda: HillClimb(perturbation=0),
        lambda: Tabu(length=0),
        lambda: Tabu(patience=0),
        lambda: Tabu(tabu_list="operators"),
        lambda: Tabu(restart_moves=0),
    ],
    ids=["candidates", "restarts", "perturbation", "length", "patience", "tabu_list", "restart_moves"],
)
def test_bad_parameters_are_refused(make):
    """Each parameter has a range."""
    with pytest.raises(InputError, match="must be"):
        make()
