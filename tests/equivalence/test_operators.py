"""Insert and Delete against the enumeration of all DAGs of a class."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.equivalence.bitsets import to_arcs, to_sets
from bnsearch.equivalence.neighbourhood import Neighbourhood
from bnsearch.equivalence.operators import Kind, Operator, apply, delete, gain, insert, is_defined, is_valid, new_lists
from bnsearch.errors import InputError
from bnsearch.graphs import DAG, PDAG, cpdag
from bnsearch.scores import BIC, BDeu, Scorer
from bnsearch.scores.score import Score
from reference_equivalence import class_of, members, outcomes, possible_operators
from reference_graphs import LETTERS, dags, random_dag
from strategies import examples


def table(n: int, seed: int, rows: int = 200) -> Dataset:
    """Return random columns of 2 or 3 states, named by letters."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, 4, n)
    codes = np.stack([rng.integers(0, r, rows) for r in arities], axis=1)
    return Dataset.from_codes(codes, names=list(LETTERS[:n]), states=[[str(s) for s in range(r)] for r in arities])


@cache
def make_scorer(n: int, score: Score) -> Scorer:
    """Return a scorer of random columns."""
    return Scorer(table(n, seed=n), score)


def check_class(n: int, dag: DAG, score: Score) -> None:
    """Compare every operator on a class with the definition: validity, gain, effect."""
    scorer = make_scorer(n, score)
    here = cpdag(dag)
    total = scorer.network(dag)
    classmates = members(dag)
    valid = set()
    for operator in possible_operators(n, here):
        after = outcomes(operator, n, here, classmates)
        assert is_valid(operator, here) == bool(after), operator
        if not after:
            continue
        valid.add(operator)
        reached = {class_of(n, arcs) for arcs in after}
        assert reached == {apply(operator, here)}, operator
        one = DAG.from_edges(here.names, [(LETTERS[i], LETTERS[j]) for i, j in next(iter(after))])
        assert gain(operator, here, scorer) == pytest.approx(scorer.network(one) - total, abs=1e-7), operator
    place = Neighbourhood(scorer, max_subset=None, keep_all=True)
    place.start_at(here)
    assert place.score == pytest.approx(total)
    assert {step.operator for step in place.find_valid()} == valid


@given(st.integers(2, 5).flatmap(dags))
def test_operators_on_small_classes(dag: DAG) -> None:
    """Valid exactly if some DAG of the class can make the move; the gain is the difference of the whole scores."""
    check_class(len(dag.names), dag, BIC())


@examples(25)
@given(st.integers(6, 7), st.integers(3, 16), st.integers(0, 2**20))
def test_operators_on_classes_of_seven(n: int, edges: int, seed: int) -> None:
    """The same for six and seven variables, with the prior of seed experiments: BDeu, ess 10."""
    drawn = random_dag(n, edges, seed)
    dag = DAG(LETTERS[:n], drawn.parents)
    check_class(n, dag, BDeu(ess=10, prior=True))


def test_insert_makes_a_collider() -> None:
    """On a - b, c: Insert(c, b, {a}) turns a - b into a -> b <- c; with T empty, b gets no other parent: a - b - c."""
    start = PDAG.from_edges("abc", undirected=[("a", "b")])
    assert apply(insert(2, 1, (0,)), start) == PDAG.from_edges("abc", directed=[("a", "b"), ("c", "b")])
    assert apply(insert(2, 1), start) == PDAG.from_edges("abc", undirected=[("a", "b"), ("b", "c")])


def test_delete_from_a_triangle() -> None:
    """From a - b - c - a: Delete(a, b, {}) leaves the chain a - c - b; Delete(a, b, {c}) leaves the collider at c."""
    start = PDAG.from_edges("abc", undirected=[("a", "b"), ("b", "c"), ("a", "c")])
    assert apply(delete(0, 1), start) == PDAG.from_edges("abc", undirected=[("a", "c"), ("b", "c")])
    assert apply(delete(0, 1, (2,)), start) == PDAG.from_edges("abc", directed=[("a", "c"), ("b", "c")])


def test_undefined_operators_are_not_valid() -> None:
    """On a -> b <- c, d: no insertion between adjacent a and b, no deletion of c -> b from b's side, no a in T."""
    start = PDAG.from_edges("abcd", directed=[("a", "b"), ("c", "b")])
    for operator in (insert(0, 1), delete(1, 2), insert(3, 1, (0,)), insert(2, 2)):
        assert not is_defined(operator, start)
        assert not is_valid(operator, start)
        with pytest.raises(InputError, match="not valid"):
            apply(operator, start)


def test_an_open_path_forbids_an_insertion() -> None:
    """In a -> b <- c, b -> d: Insert(d, a) would close the cycle a -> b -> d -> a; Insert(a, d) is valid."""
    start = PDAG.from_edges("abcd", directed=[("a", "b"), ("c", "b"), ("b", "d")])
    assert not is_valid(insert(3, 0), start)
    assert is_valid(insert(0, 3), start)


@given(st.integers(1, 10).flatmap(dags))
def test_bit_sets_come_back(dag: DAG) -> None:
    """A CPDAG survives the way to bit sets and back."""
    graph = cpdag(dag)
    assert np.array_equal(to_arcs(to_sets(graph.arcs)), graph.arcs)


@pytest.mark.parametrize("n", [63, 64, 65, 130])
def test_completion_across_words(n: int) -> None:
    """Completing a large DAG as it stands gives its CPDAG, also where a set takes several words."""
    from bnsearch.equivalence.kernels_graph import complete

    for seed in range(5):
        dag = random_dag(n, 3 * n, seed)
        graph = to_sets(dag.adjacency)
        assert complete(graph, np.empty_like(graph), new_lists(n))
        assert np.array_equal(to_arcs(graph), cpdag(dag).arcs)
        assert np.array_equal(graph, to_sets(cpdag(dag).arcs))


def test_a_graph_without_extension_is_not_completed() -> None:
    """The square a - b - c - d - a without a diagonal cannot be directed without a new v-structure."""
    from bnsearch.equivalence.kernels_graph import complete

    square = PDAG.from_edges("abcd", undirected=[("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")])
    sets = to_sets(square.arcs)
    assert not complete(sets, np.empty_like(sets), new_lists(4))


def test_operators_are_values() -> None:
    """The subset is sorted, so equal moves are equal."""
    assert insert(1, 2, (4, 3)) == Operator(Kind.INSERT, 1, 2, (3, 4))


@pytest.mark.parametrize("score", [BIC(), BDeu(ess=10.0, prior=True)], ids=["bic", "bdeu"])
def test_the_ceiling_skips_gains(score):
    """With many states the ceiling excludes many insertions; the best operators stay the same."""
    rng = np.random.default_rng(5)
    parent = rng.integers(0, 12, 400)
    codes = np.stack([parent, parent // 2, *rng.integers(0, 9, (6, 400))], axis=1)
    codes[:, 2] = np.where(rng.random(400) < 0.9, parent % 3, 2)
    data = Dataset.from_codes(codes)
    best, computed = [], []
    for keep_all in (True, False):
        place = Neighbourhood(Scorer(data, score), keep_all=keep_all)
        steps = []
        while (step := place.find_best([Kind.INSERT, Kind.DELETE])) is not None:
            place.apply(step)
            steps.append(step)
        best.append(steps)
        computed.append(place.take_counts()["computed"])
    assert best[0] == best[1]
    assert len(best[0]) > 0
    assert computed[1] < computed[0]
