"""DAGs: what is refused, the derived views, exchange."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError

import networkx
import numpy as np
import pytest
from hypothesis import given

import reference_graphs as ref
from bnsearch.errors import InputError
from bnsearch.graphs import DAG, PDAG
from bnsearch.networks.files import write_structure


@pytest.fixture
def diamond() -> DAG:
    """Return a -> b, a -> c, b -> d <- c."""
    return DAG.from_edges("abcd", ["ab", "ac", "bd", "cd"])


def test_views_of_the_diamond(diamond: DAG) -> None:
    """The only v-structure of the diamond is b -> d <- c: b and c are not adjacent."""
    assert diamond.parents == ((), (0,), (0,), (1, 2))
    assert diamond.children == ((1, 2), (3,), (3,), ())
    assert diamond.order == (0, 1, 2, 3)
    assert diamond.edges == [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")]
    assert diamond.skeleton == {("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")}
    assert diamond.v_structures == {("b", "d", "c")}


def test_order_takes_the_smallest_free_index_first() -> None:
    """With the edges d -> a and c -> b the free ones are c, d; then b, freed by c, precedes d."""
    assert DAG.from_edges("abcd", ["da", "cb"]).order == (2, 1, 3, 0)


@given(ref.dags(6))
def test_order_is_topological(dag: DAG) -> None:
    """Every variable comes once, after its parents."""
    assert sorted(dag.order) == list(range(6))
    position = {v: i for i, v in enumerate(dag.order)}
    assert all(position[p] < position[v] for v in range(6) for p in dag.parents[v])


@given(ref.dags(5))
def test_pattern_follows_the_definition(dag: DAG) -> None:
    """Skeleton and v-structures equal the slow definition's."""
    arcs = ref.arcs_of_dag(dag)
    assert {frozenset(map(dag.names.index, pair)) for pair in dag.skeleton} == ref.skeleton(arcs)
    found = {(frozenset((dag.names.index(a), dag.names.index(b))), dag.names.index(c)) for a, c, b in dag.v_structures}
    assert found == ref.v_structures(arcs)
    assert all(a < b for a, _, b in dag.v_structures)


@given(ref.dags(5))
def test_adjacency_and_networkx_round_trip(dag: DAG) -> None:
    """A graph comes back from its matrix and from networkx, isolated variables and order included."""
    assert DAG.from_adjacency(dag.names, dag.adjacency) == dag
    assert DAG.from_networkx(dag.to_networkx()) == dag
    assert pickle.loads(pickle.dumps(dag)) == dag


def test_adjacency_points_from_row_to_column() -> None:
    """Entry [0, 1] is the edge a -> b; a matrix of weights counts by being nonzero."""
    assert DAG.from_adjacency("ab", [[0, -0.5], [0, 0]]).edges == [("a", "b")]
    assert DAG.from_edges("ab", ["ab"]).adjacency.tolist() == [[False, True], [False, False]]


def test_parents_are_sorted_integers(diamond: DAG) -> None:
    """Parents may come in any order, from numpy too."""
    assert DAG("abcd", [(), np.array([0]), {0}, [2, 1]]) == diamond
    assert hash(DAG("abcd", [(), [0], [0], [2, 1]])) == hash(diamond)


def test_a_graph_does_not_change(diamond: DAG) -> None:
    """Fields cannot be set, and writing into the matrix does not reach the graph."""
    with pytest.raises(FrozenInstanceError):
        diamond.names = ()
    diamond.adjacency[:] = False
    assert len(diamond.edges) == 4


def test_reordered_keeps_the_edges_by_name(diamond: DAG) -> None:
    """The diamond listed backwards has d's parents at the places of c and b."""
    backwards = diamond.reordered("dcba")
    assert backwards.names == tuple("dcba")
    assert backwards.parents == ((1, 2), (3,), (3,), ())
    assert backwards.reordered("abcd") == diamond


@pytest.mark.parametrize(
    ("names", "parents", "message"),
    [
        ("aa", [(), ()], "'a' is named twice"),
        ([1, 2], [(), ()], "must be text, not 1"),
        ("ab", [()], "2 variables but 1 parent sets"),
        ("ab", [(), (0, 0)], "'b' has a parent twice"),
        ("ab", [(), (2,)], r"'b' has a parent outside 0\.\.1"),
        ("ab", [(-1,), ()], r"'a' has a parent outside 0\.\.1"),
        ("ab", [(), (1,)], "'b' is its own parent"),
        ("ab", [(), ("a",)], "integer indices"),
        ("ab", [(), (0.5,)], "integer indices"),
        ("ab", [(), None], "integer indices"),
        ("abcd", [(3,), (0,), (1,), (1,)], "cycle: a -> b -> d -> a"),
    ],
)
def test_constructor_refuses(names: list[str], parents: list[tuple[int, ...]], message: str) -> None:
    """Each fault has its own line; a cycle is spelt out."""
    with pytest.raises(InputError, match=message):
        DAG(names, parents)


def test_a_long_cycle_is_cut_short() -> None:
    """A cycle of 2,000 variables does not fill the screen."""
    with pytest.raises(InputError, match="cycle") as caught:
        DAG([f"v{i}" for i in range(2000)], [[(i + 1) % 2000] for i in range(2000)])
    assert str(caught.value).endswith("-> ... -> v0")
    assert len(str(caught.value)) < 120


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([("a", "z")], "edge 'a' -> 'z' names an unknown variable 'z'"),
        ([("a", ["b"])], "unknown variable"),
        ([("a",)], "an edge is a pair of names"),
        ([3], "an edge is a pair of names"),
        (["ab", "ab"], "'b' has a parent twice"),
        (["ab", "ba"], "cycle"),
    ],
)
def test_from_edges_refuses(edges: list[tuple[str, str]], message: str) -> None:
    """An edge must join two known variables, once."""
    with pytest.raises(InputError, match=message):
        DAG.from_edges("ab", edges)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.zeros((2, 3)), r"2 x 2, not \(2, 3\)"),
        ([[0, 1], [0]], "rows differ in length"),
        ([["", "x"], ["", ""]], "numbers or booleans"),
        ([[0, float("nan")], [0, 0]], "no number at 'a', 'b'"),
        ([[1, 0], [0, 0]], "'a' is its own parent"),
    ],
)
def test_from_adjacency_refuses(matrix: object, message: str) -> None:
    """A matrix must be square over the variables and hold numbers."""
    with pytest.raises(InputError, match=message):
        DAG.from_adjacency("ab", matrix)


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (networkx.DiGraph([(1, 2), (2, 1)]), "cycle: 1 -> 2 -> 1"),
        (networkx.DiGraph([(1, 1)]), "'1' is its own parent"),
        (networkx.Graph([(1, 2)]), "undirected"),
        (networkx.MultiDiGraph([(1, 2)]), "multigraph"),
        (networkx.MultiGraph([(1, 2)]), "multigraph"),
        (networkx.DiGraph([(1, "1")]), "'1' is named twice"),
        ({"a": ["b"]}, "expected a networkx DiGraph, not dict"),
    ],
)
def test_from_networkx_refuses(graph: object, message: str) -> None:
    """Only an acyclic DiGraph whose nodes differ as text will do."""
    with pytest.raises(InputError, match=message):
        DAG.from_networkx(graph)


def test_reordered_refuses_other_variables(diamond: DAG) -> None:
    """The error names what each side has alone."""
    with pytest.raises(InputError, match="only the first has 'd'; only the second has 'x', 'y'"):
        diamond.reordered("abcxy")
    with pytest.raises(InputError, match="'a' is named twice"):
        diamond.reordered("abcda")


def test_no_variables() -> None:
    """The graph over nothing is a graph."""
    assert DAG.empty([]).order == ()
    assert DAG.empty([]).adjacency.shape == (0, 0)


def test_public_arrays_have_one_orientation(tmp_path) -> None:
    """Row a, column b is the edge a -> b in matrices, PDAGs and files, and in networkx."""
    dag = DAG.from_edges("ab", [("a", "b")])
    matrix = [[False, True], [False, False]]
    assert dag.adjacency.tolist() == matrix
    assert DAG.from_adjacency("ab", matrix) == dag
    assert PDAG.from_dag(dag).arcs.tolist() == matrix
    assert list(dag.to_networkx().edges) == [("a", "b")]
    write_structure(dag, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text().split() == ["a,b", "0,1", "0,0"]
