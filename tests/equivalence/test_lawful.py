"""Search over classes under background knowledge: only classes with a legal DAG, and that DAG."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch import Knowledge
from bnsearch.data import Dataset
from bnsearch.equivalence import GES, GRESP, IGES, ILGES, VNGES, Kind, Neighbourhood, Operator
from bnsearch.equivalence.bitsets import to_sets
from bnsearch.equivalence.class_search import ClassSearch
from bnsearch.equivalence.climbing import backward, both_ways, forward
from bnsearch.equivalence.laws import Laws
from bnsearch.equivalence.neighbourhood import tie_unit
from bnsearch.equivalence.operators import new_lists
from bnsearch.graphs import DAG, PDAG, cpdag, extension
from bnsearch.knowledge.constraints import Constraints
from bnsearch.learning.search import search
from bnsearch.networks import load_network, random_network, sample
from bnsearch.runs.problem import Problem
from bnsearch.scores import BIC, Scorer
from reference_equivalence import PAPER_SCORE, SlowSearch, members, move
from reference_graphs import make_dag, random_dag

METHODS = [GES(), IGES(), ILGES(iterations=8), VNGES(kmax=4), GRESP(iterations=4)]


def random_knowledge(names: tuple[str, ...], seed: int, *, required: int, forbidden: int) -> Knowledge:
    """Require edges down a random order, forbid others either way, limit some in-degrees."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(names)).tolist()
    down = [(names[a], names[b]) for i, a in enumerate(order) for b in order[i + 1 :]]
    down = [down[i] for i in rng.permutation(len(down))]
    edges, rest = down[:required], down[required:]
    turned = [edge if rng.random() < 0.5 else edge[::-1] for edge in rest[:forbidden]]
    most = {name: len(names) if rng.random() < 0.5 else 1 + sum(e[1] == name for e in edges) for name in names}
    return Knowledge(required=edges, forbidden=turned, max_parents=most)


def table(seed: int, n: int = 6) -> Dataset:
    """Sample a random network."""
    return sample(random_network(n, 1.7, 3, seed), 300, seed)


def legal_members(graph: PDAG, known: Constraints) -> set[DAG]:
    """Return the legal DAGs of a class, by looking at all."""
    n = len(graph.names)
    dags = (make_dag(n, arcs) for arcs in members(extension(graph)))
    return {DAG(graph.names, dag.parents) for dag in dags if known.permits(dag)}


@given(st.integers(2, 6), st.integers(1, 12), st.integers(0, 2**20))
def test_a_legal_dag_is_found_where_there_is_one(n: int, edges: int, seed: int) -> None:
    """Compare with the legal ones among all DAGs of the class, for edges allowed at random and limits from 0 to 3."""
    from bnsearch.equivalence.kernels_lawful import extend_lawfully

    rng = np.random.default_rng(seed)
    dag = random_dag(n, min(edges, n * (n - 1) // 2), seed)
    allowed = (rng.random((n, n)) < 0.85) & ~np.eye(n, dtype=bool)
    limits = rng.integers(1, n, size=n) if seed % 2 else np.full(n, n - 1)
    known = Constraints(allowed, np.zeros((n, n), dtype=bool), limits)
    order = rng.permutation(n)
    laws = Laws(known, order)
    graph = cpdag(dag)
    sets = to_sets(graph.arcs[np.ix_(order, order)])
    expected = legal_members(graph, known)
    assert extend_lawfully(sets, laws.arrays(), new_lists(n)) == bool(expected)
    if expected:
        assert laws.dag_of(sets, graph.names) in expected


class SlowLegalSearch(SlowSearch):
    """The search by definition, in classes with a legal DAG."""

    known: Constraints

    def allowed(self, kinds: list[Kind]) -> Iterator[Operator]:
        """Yield the valid operators that lead to such a class."""
        for operator in super().allowed(kinds):
            if self.fits(operator) and legal_members(move(operator, self.graph), self.known):
                yield operator

    def fits(self, operator: Operator) -> bool:
        """Tell whether the parents that an insertion stands for are not too many."""
        near = self.graph.neighbours[operator.y] & self.graph.adjacent[operator.x]
        parents = self.graph.parents[operator.y] | near | {operator.x, *operator.subset}
        return operator.kind == Kind.DELETE or len(parents) <= self.known.max_parents[operator.y]


@pytest.mark.parametrize("method", ["ges", "iges"])
@pytest.mark.parametrize("seed", range(12))
def test_same_trajectory_as_by_definition(seed: int, method: str) -> None:
    """Step by step the operators of the search that enumerates the class after every possible step."""
    data = table(seed)
    known = random_knowledge(data.names, seed, required=seed % 4, forbidden=6).constraints(data.names)
    scorer = Scorer(data, BIC())
    here = Neighbourhood(scorer, constraints=known)
    stages, kinds = [both_ways], [[Kind.INSERT, Kind.DELETE]]
    if method == "ges":
        stages, kinds = [forward, backward], [[Kind.INSERT], [Kind.DELETE]]
    steps = [step.operator for stage in stages for step in stage(here, lambda: False)]
    empty = scorer.network(known.make_required_dag(data.names))
    slow = SlowLegalSearch(data, scorer.family, tie_unit(empty), 3, 100)
    slow.known, slow.graph = known, cpdag(known.make_required_dag(data.names))
    assert (steps, here.cpdag) == (list(slow.climb(*kinds)), slow.graph)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
@pytest.mark.parametrize("seed", range(6))
def test_results_are_legal_and_rescored(seed: int, method: ClassSearch) -> None:
    """The network respects the knowledge, the score is its own, and two threads find the same."""
    data = table(seed, 9)
    known = random_knowledge(data.names, seed, required=seed % 3, forbidden=18)
    problem = Problem(data=data, score=PAPER_SCORE, knowledge=known)
    result = search(problem, method, seed=1, threads=1)
    assert problem.constraints is not None
    assert problem.constraints.permits(result.dag)
    assert result.score == pytest.approx(problem.scorer.network(result.dag))
    assert result.score >= problem.base_score
    assert search(problem, method, seed=1, threads=2).dag == result.dag


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_empty_knowledge_changes_nothing(method: ClassSearch) -> None:
    """Where everything is allowed the search takes the same way."""
    data = table(3, 9)
    free = search(Problem(data=data, score=BIC()), method, seed=1, threads=1)
    known = search(Problem(data=data, score=BIC(), knowledge=Knowledge()), method, seed=1, threads=1)
    assert (known.cpdag, known.iterations, known.evaluations) == (free.cpdag, free.iterations, free.evaluations)
    assert known.score == free.score


def test_tiers_direct_the_edges_of_asia() -> None:
    """With asia and smoke first and the symptoms last the result has the tiers, and is no worse than the truth."""
    network = load_network("asia")
    names = network.names
    tiers = [[n for n in names if n in ("asia", "smoke")], [n for n in names if n in ("xray", "dysp")]]
    problem = Problem(data=sample(network, 5000, 1), score=BIC(), knowledge=Knowledge(tiers=tiers))
    result = search(problem, GES())
    assert problem.constraints is not None
    assert problem.constraints.permits(network.dag)
    assert problem.constraints.permits(result.dag)
    assert result.score >= problem.scorer.network(network.dag)


def test_a_start_is_made_legal() -> None:
    """From b -> a with a -> b required: the search begins at a -> b, and finds nothing to do."""
    data = Dataset.from_codes(np.array([[0, 0], [1, 1]] * 20), names=["a", "b"])
    problem = Problem(data=data, score=BIC(), knowledge=Knowledge(required=[("a", "b")]))
    result = search(problem, IGES(start=PDAG.from_edges("ab", directed=[("b", "a")])))
    assert (result.dag.edges, result.iterations) == ([("a", "b")], 0)


def test_required_edges_stay_and_pairs_stay_apart() -> None:
    """Independent a and b stay joined where that is required; dependent b and c stay apart where both ways are shut."""
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, size=(2, 400))
    data = Dataset.from_codes(np.stack([a, b, b], axis=1), names=["a", "b", "c"])
    known = Knowledge(required=[("a", "b")], forbidden=[("b", "c"), ("c", "b")])
    for method in METHODS:
        result = search(Problem(data=data, score=BIC(), knowledge=known), method, seed=1)
        assert ("a", "b") in result.dag.edges
        assert result.dag.skeleton.isdisjoint({("b", "c")})


def test_knowledge_of_more_variables_than_a_word() -> None:
    """On 70 variables, tiers by a random order leave a legal network that is a local optimum of iGES."""
    data = sample(random_network(70, 1, 2, 1), 500, 1)
    order = np.random.default_rng(2).permutation(70).tolist()
    tiers = [[data.names[v] for v in order[first : first + 14]] for first in range(0, 70, 14)]
    problem = Problem(data=data, score=PAPER_SCORE, knowledge=Knowledge(tiers=tiers, max_parents=2))
    result = search(problem, IGES(), threads=1)
    assert problem.constraints is not None
    assert problem.constraints.permits(result.dag)
    assert result.score == pytest.approx(problem.scorer.network(result.dag))
    assert result.iterations > 40
    assert search(problem, IGES(start=PDAG.from_dag(result.dag)), threads=1).iterations == 0
