"""Legal graphs: how graphs become legal, and that every graph scored in a search respects knowledge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_draws import ScriptedGenerator
from stacks import edges_of, follows, graph, is_dag, random_problem, replace_family_scores

from bnsearch import Knowledge
from bnsearch.genetic.bncpso import BNCPSO, mutate_edges
from bnsearch.genetic.cga import CGA
from bnsearch.genetic.dga import DGA
from bnsearch.genetic.family_scores import FamilyScores
from bnsearch.genetic.graph_stacks import draw_orders, find_topological_orders
from bnsearch.genetic.miiga import MIIGA
from bnsearch.genetic.search_space import SearchSpace
from bnsearch.graphs.dag import DAG
from bnsearch.learning.search import search
from bnsearch.learning.warm_up import load_kernels
from bnsearch.networks import load_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Iterations
from bnsearch.scores import BIC
from knowledge_cases import random_knowledge
from strategies import examples

SMALL = {"population": 8, "max_parents": 2}
METHODS = {
    "miiga": MIIGA(**SMALL),
    "initmi": MIIGA(start="random", **SMALL),
    "pr": MIIGA(recombination="conventional", **SMALL),
    "distinct": MIIGA(distinct=True, **SMALL),
    "cga": CGA(mutation=0.5, **SMALL),
    "dga": DGA(mutation=0.5, **SMALL),
    "bncpso": BNCPSO(**SMALL),
}


def informed(knowledge: Knowledge, n: int = 6, most: int = 2) -> tuple[Problem, SearchSpace]:
    """Return a problem with knowledge, and its space."""
    free = random_problem(n, 60, seed=n)
    problem = Problem(data=free.data, score=free.score, knowledge=knowledge)
    return problem, SearchSpace.of(problem, most)


def space_of(n: int, most: int = 2, **knowledge: object) -> SearchSpace:
    """Return the space of some knowledge about variables a, b, c, ..."""
    known = Knowledge(**knowledge).constraints("abcdef"[:n])  # type: ignore[arg-type]
    return SearchSpace(np.minimum(known.max_parents, most), known.allowed, known.required)


def test_limits_of_a_space():
    """Two parents each, one for x2 as known, and all three that are required for x3."""
    names = random_problem(6, 60, seed=6).names
    known = Knowledge(required=[(names[i], names[3]) for i in (0, 1, 2)], max_parents={names[2]: 1})
    assert informed(known)[1].max_parents.tolist() == [2, 2, 1, 3, 2, 2]


def test_graphs_become_legal():
    """Variable d may have two parents: a, which is required, and c, better than b; a -> c and d -> c are forbidden."""
    space = space_of(4, required=[("a", "d")], forbidden=[("a", "c"), ("d", "c")])
    merit = np.zeros((4, 4))
    merit[3, :3] = 0.0, 0.1, 0.2
    legal = space.legalise(graph(4, (1, 3), (2, 3), (0, 2), (1, 2))[None], merit)
    assert edges_of(legal[0]) == {(0, 3), (2, 3), (1, 2)}


def test_orders_become_legal():
    """With d -> a required, a waits until d is placed: a b c d becomes b c d a; an ordering that is legal stays."""
    space = space_of(4, required=[("d", "a")])
    assert space.legalise_orders(np.array([[0, 1, 2, 3], [1, 3, 0, 2]])).tolist() == [[1, 2, 3, 0], [1, 3, 0, 2]]
    assert find_topological_orders(graph(3, (2, 0))[None], np.array([[9, 1, 5]])).tolist() == [[2, 0, 1]]


def test_cycles_lose_no_required_edge():
    """Of a -> b -> c -> a the first two are required: the third goes, always."""
    space = space_of(3, required=[("a", "b"), ("b", "c")])
    free = SearchSpace(space.max_parents, np.ones((3, 3), dtype=bool), space.required)  # here c -> a is allowed
    fixed = free.repair(np.repeat(graph(3, (2, 0))[None], 20, axis=0), np.random.default_rng(0))
    assert all(edges_of(matrix) == {(0, 1), (1, 2)} for matrix in fixed)


def test_particles_move_legally():
    """A mutation adds only a -> c, deletes or reverses nothing but b -> c, and never a -> b, which is required."""
    space = space_of(3, required=[("a", "b")], allowed=[("b", "c"), ("c", "b"), ("a", "c")])
    graphs = np.repeat(graph(3, (0, 1), (1, 2))[None], 60, axis=0)
    found = {frozenset(edges_of(matrix)) for matrix in mutate_edges(graphs, 1.0, space, np.random.default_rng(0))}
    assert found == {
        frozenset({(0, 1), (1, 2), (0, 2)}),
        frozenset({(0, 1)}),
        frozenset({(0, 1), (2, 1)}),
    }


@examples(40)
@given(st.integers(0, 10_000))
def test_anything_becomes_legal(seed):
    """Random matrices are repaired to legal acyclic graphs; random orderings and graphs along them are legal."""
    names = [str(v) for v in range(6)]
    known = random_knowledge(names, seed).constraints(names)
    space = SearchSpace(
        np.maximum(np.minimum(known.max_parents, 2), known.required.sum(axis=1)), known.allowed, known.required
    )
    rng = np.random.default_rng(seed)
    orders = space.legalise_orders(draw_orders(5, 6, rng))
    along = space.draw_graphs(orders, rng)
    assert all(follows(matrix, order) for matrix, order in zip(along, orders, strict=True))
    for matrix in (*along, *space.repair(rng.random((5, 6, 6)) < 0.5, rng)):
        assert known.permits(DAG.from_adjacency(names, matrix.T))
        assert (matrix.sum(axis=1) <= space.max_parents).all()


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
@examples(15)
@given(st.integers(0, 10_000))
def test_every_scored_graph_is_legal(method, seed):
    """Under any knowledge, each graph of each generation is legal, and the score of the result is right."""
    names = random_problem(6, 60, seed=6).names
    problem, _ = informed(random_knowledge(names, seed))
    known = problem.constraints
    load_kernels(problem, method)  # which solves a smaller problem
    seen = []

    class Watched(FamilyScores):
        """Scores graphs only if they are legal."""

        def score_graphs(self, graphs):
            """Check the graphs, then score them."""
            assert all(is_dag(matrix) and known.permits(DAG.from_adjacency(names, matrix.T)) for matrix in graphs)
            seen.append(len(graphs))
            return super().score_graphs(graphs)

    with pytest.MonkeyPatch.context() as patch:
        replace_family_scores(patch, Watched)
        result = search(problem, method, stop=Iterations(6), seed=seed, threads=1)
    assert len(seen) >= 7
    assert known.permits(result.dag)
    assert problem.scorer.network(result.dag) == pytest.approx(result.score)


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_knowing_nothing_changes_nothing(method):
    """Knowledge without content finds the same network, after the same improvements."""
    results = []
    for knowledge in (None, Knowledge()):
        free = random_problem(7, 60, seed=7)
        problem = Problem(data=free.data, score=free.score, knowledge=knowledge)
        results.append(search(problem, method, stop=Iterations(6), seed=3, threads=1).trace.points)
    first, second = ([(p.iterations, p.score) for p in points] for points in results)
    assert first == second


def test_the_limit_of_the_knowledge_replaces_the_default():
    """A limit of the knowledge applies even if it is above that of the method; other variables keep the method's."""
    data = load_network("asia").sample(50, seed=1)
    limits = dict(zip(data.names, (4, 1, 6, 7), strict=False))  # of seven others, a limit of seven is none
    problem = Problem(data=data, score=BIC(), knowledge=Knowledge(max_parents=limits))
    assert SearchSpace.of(problem, 2).max_parents.tolist() == [4, 1, 6, 2, 2, 2, 2, 2]


def test_first_graphs_have_about_as_many_edges_as_variables():
    """Each of the n (n - 1) / 2 pairs is joined with probability 2 / (n - 1): with n = 5, .49 joins and .5 does not."""
    draws = np.full((1, 5, 5), 0.5)
    draws[0, 3, 1] = draws[0, 1, 3] = draws[0, 2, 2] = 0.49
    graphs = SearchSpace(np.full(5, 4)).draw_graphs(np.array([[0, 1, 2, 3, 4]]), ScriptedGenerator(draws))
    assert edges_of(graphs[0]) == {(1, 3)}  # along the ordering


def test_pairs_that_no_edge_may_join_have_no_information():
    """The pair a, b is forbidden in both directions, a, c in one of them."""
    space = space_of(3, forbidden=[("a", "b"), ("b", "a"), ("a", "c")])
    assert space.mask_information(np.ones((3, 3)) - np.eye(3)).tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    information = np.ones((3, 3))
    assert SearchSpace(np.full(3, 2)).mask_information(information) is information
