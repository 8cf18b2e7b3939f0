"""MIIGA, its ablations, CGA, DGA and BNC-PSO as methods: validity, reproducibility, traces, stopping."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from stacks import free, is_dag, random_individuals, random_problem, replace_family_scores

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.genetic.bncpso import BNCPSO
from bnsearch.genetic.cga import CGA
from bnsearch.genetic.dga import DGA
from bnsearch.genetic.family_scores import FamilyScores
from bnsearch.genetic.information import compute_mutual_information, find_related_pairs
from bnsearch.genetic.miiga import MIIGA, Operators
from bnsearch.learning.search import search
from bnsearch.learning.warm_up import load_kernels
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from bnsearch.scores import BIC, K2, BDeu
from candidate_tables import random_candidates
from strategies import Table, examples, tables

SMALL = {"population": 8, "max_parents": 2}
METHODS = {
    "miiga": MIIGA(**SMALL),
    "miiga-initmi": MIIGA(start="random", **SMALL),
    "miiga-pr": MIIGA(recombination="conventional", **SMALL),
    "miiga-fixa": MIIGA(binding="fixed", **SMALL),
    "miiga-rda": MIIGA(binding="random", **SMALL),
    "miiga-related": MIIGA(mutation="related", **SMALL),
    "miiga-distinct": MIIGA(distinct=True, **SMALL),
    "cga": CGA(**SMALL),
    "dga": DGA(mutation=0.5, **SMALL),
    "bncpso": BNCPSO(**SMALL),
}
every_method = pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)


class Watched(FamilyScores):
    """Scores graphs only if they are acyclic and no variable has more than two parents."""

    seen = 0

    def score_graphs(self, graphs):
        """Check the graphs, then score them."""
        assert all(is_dag(matrix) for matrix in graphs)
        assert (graphs.sum(axis=2) <= 2).all()
        Watched.seen += len(graphs)
        return super().score_graphs(graphs)


@every_method
@examples(12)
@given(tables(max_variables=6), st.integers(0, 1000))
def test_no_graph_is_ever_cyclic(method, table: Table, seed):
    """On any data, every scored graph is acyclic, and the score of the result is that of its network."""
    problem = Problem(data=table.dataset, score=BIC())
    load_kernels(problem, method)  # its own small problem has no limit of two parents
    with pytest.MonkeyPatch.context() as patch:
        replace_family_scores(patch, Watched)
        before = Watched.seen
        result = search(problem, method, stop=Iterations(6), seed=seed, threads=1)
    assert Watched.seen >= before + 6 * 8 / 2
    assert problem.scorer.network(result.dag) == pytest.approx(result.score)


@every_method
@pytest.mark.parametrize("score", [BDeu(), K2()], ids=["bdeu", "k2"])
def test_other_scores(method, score):
    """Scores that are not log-likelihood less a penalty for parameters work as well."""
    problem = Problem(data=random_problem(6, 70, seed=6).data, score=score)
    result = search(problem, method, stop=Iterations(5), seed=0, threads=1)
    assert problem.scorer.network(result.dag) == pytest.approx(result.score)
    assert result.score >= problem.base_score


@every_method
def test_threads_do_not_matter(method, monkeypatch):
    """One and two threads give the same network, score, trace and evaluations, also where threads share each batch."""
    monkeypatch.setattr("bnsearch.genetic.family_scores.FAMILIES_PER_THREAD", 5)
    results = []
    for threads in (1, 2):
        problem = random_problem(9, 90, seed=7)
        results.append(search(problem, method, stop=Iterations(8), seed=3, threads=threads))
    one, two = results
    assert one.dag == two.dag
    assert one.score == two.score
    assert one.evaluations == two.evaluations
    assert [(p.iterations, p.score) for p in one.trace] == [(p.iterations, p.score) for p in two.trace]


@every_method
def test_seeds_matter(method):
    """Other seeds search elsewhere; the same seed does not."""
    problem = random_problem(9, 90, seed=7)
    ends = [search(problem, method, stop=Iterations(2), seed=s, threads=1).trace.points[0].score for s in (1, 1, 2)]
    assert ends[0] == ends[1] != ends[2]


@every_method
def test_the_trace_shows_generations(method):
    """The first point is the best of the first population, at iteration 0; later ones lie in later generations."""
    result = search(random_problem(9, 90, seed=8), method, stop=Iterations(30), seed=1, threads=1)
    points = list(result.trace)
    assert points[0].iterations == 0
    improvements = [p.iterations for p in points[:-1]]
    assert improvements == sorted(set(improvements))  # at most one a generation
    appeared = next(p.iterations for p in points if p.score == result.score)
    assert 0 < appeared <= 30
    assert result.iterations == 30
    assert result.stop == "iterations"


@every_method
def test_evolution_pays(method):
    """Thirty generations end above the first population."""
    result = search(random_problem(9, 90, seed=8), method, stop=Iterations(30), seed=1, threads=1)
    assert result.score > result.trace.points[0].score


@pytest.mark.parametrize("kind", [MIIGA, CGA, DGA, BNCPSO])
def test_generations_end_a_search(kind):
    """Without a stopping rule a method is done after its generations."""
    result = search(random_problem(5, 40, seed=9), kind(population=6, generations=4), seed=0, threads=1)
    assert (result.stop, result.iterations) == ("complete", 4)


@pytest.mark.parametrize("kind", [MIIGA, CGA, DGA, BNCPSO])
def test_no_time_gives_the_empty_graph(kind):
    """Stopped before any graph is scored, a search returns the graph without edges."""
    result = search(random_problem(5, 40, seed=9), kind(), stop=Seconds(0), seed=0, threads=1)
    assert result.stop == "seconds"
    assert not result.dag.edges


@pytest.mark.parametrize("kind", [MIIGA, CGA, DGA, BNCPSO])
@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_variables(kind, n):
    """A single variable has no parents; a pair of copies is connected."""
    column = np.arange(40) % 2
    problem = Problem(data=Dataset.from_codes(np.stack([column] * n, axis=1)), score=BIC())
    result = search(problem, kind(population=6), stop=Iterations(20), seed=0, threads=1)
    assert len(result.dag.edges) == n - 1


@pytest.mark.parametrize("kind", [MIIGA, CGA, DGA, BNCPSO])
def test_a_table_is_not_enough(kind):
    """These methods score any family, so they need data."""
    with pytest.raises(InputError, match="needs data and a score: a candidate table is not enough"):
        search(Problem(table=random_candidates(4, 3, 2, seed=1)), kind(), stop=Iterations(1), seed=0)


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        (MIIGA, {"population": 1}, "population must be at least 2, not 1"),
        (MIIGA, {"generations": 0}, "generations must be at least 1, not 0"),
        (MIIGA, {"tournament": 0}, "tournament must be at least 1, not 0"),
        (MIIGA, {"max_parents": 0}, "max_parents must be at least 1, not 0"),
        (MIIGA, {"step": 1.5}, "step must be at least 0 and at most 1, not 1.5"),
        (MIIGA, {"start": "informatio"}, "did you mean 'information'"),
        (MIIGA, {"recombination": "priorities"}, "recombination must be one of priority, conventional"),
        (MIIGA, {"binding": "fix"}, "binding must be one of adaptive, fixed, random, not 'fix'"),
        (MIIGA, {"mutation": "relate"}, "mutation must be one of any, related, not 'relate'"),
        (CGA, {"population": 1}, "population must be at least 2, not 1"),
        (CGA, {"generations": 0}, "generations must be at least 1, not 0"),
        (CGA, {"mutation": 1.5}, "mutation must be at least 0 and at most 1, not 1.5"),
        (CGA, {"crossover": 2}, "crossover must be at least 0 and at most 1, not 2"),
        (CGA, {"max_parents": 0}, "max_parents must be at least 1, not 0"),
        (DGA, {"mutation": -0.1}, "mutation must be at least 0"),
        (DGA, {"generations": 0}, "generations must be at least 1"),
        (BNCPSO, {"population": 1}, "population must be at least 2, not 1"),
        (BNCPSO, {"generations": 0}, "generations must be at least 1, not 0"),
        (BNCPSO, {"max_parents": 0}, "max_parents must be at least 1, not 0"),
        (BNCPSO, {"society_end": 1.1}, "society_end must be at least 0 and at most 1"),
    ],
)
def test_parameters_are_checked(kind, parameters, message):
    """A parameter outside its range is refused, by name."""
    with pytest.raises(InputError, match=message):
        kind(**parameters)


@pytest.mark.parametrize("mutation", ["related", "any"])
def test_a_fixed_search_space_is_not_left(mutation):
    """The ablation FixA joins only pairs of Eq. 4 with alpha 0.9, unless mutation may join any pair."""
    problem = random_problem(9, 90, seed=8)
    method = MIIGA(binding="fixed", mutation=mutation, population=20)
    result = search(problem, method, stop=Iterations(30), seed=1, threads=1)
    space = find_related_pairs(compute_mutual_information(problem, Run()), np.array([0.9]))[0]
    outside = [e for e in result.dag.edges if not space[tuple(problem.names.index(name) for name in e)]]
    assert bool(outside) == (mutation == "any")
    assert result.dag.edges


@pytest.mark.parametrize("binding", ["adaptive", "fixed", "random"])
def test_binding_parameters(binding):
    """Adaptive ones follow Eq. 16, fixed ones stay at 0.9, random ones take a step or none."""
    problem = random_problem(6, 80, seed=4)
    method = MIIGA(binding=binding, population=40)
    some, families = random_individuals(problem, 40, 1)
    operators = Operators(method, np.ones((6, 6)) - np.eye(6), free(6, 5), families, np.random.default_rng(0))
    penalties = some.penalty.sum(axis=1)
    step = np.round((operators.update_alpha(some, float(np.median(penalties))) - some.alpha) / 0.02, 6)
    first = operators.initialise().alpha
    if binding == "fixed":
        assert (step == 0).all()
        assert (first == 0.9).all()
    else:
        assert len(set(first.tolist())) == 40
    if binding == "adaptive":
        inside = (some.alpha > 0.02) & (some.alpha < 0.98)
        assert np.array_equal(step[inside], np.sign(np.round(penalties - np.median(penalties), 6))[inside])
    if binding == "random":
        assert {-1.0, 0.0, 1.0} <= set(step.tolist())
