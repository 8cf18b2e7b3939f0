"""PDAGs: the two kinds of edges, the derived views, exchange."""

from __future__ import annotations

import pickle

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_graphs as ref
from bnsearch.errors import InputError
from bnsearch.graphs import DAG, PDAG

N = 4
PAIRS = [(i, j) for i in range(N) for j in range(N) if i != j]


@pytest.fixture
def kite() -> PDAG:
    """Return a -> c <- b, c -> d, d - e."""
    return PDAG.from_edges("abcde", ["ac", "bc", "cd"], ["ed"])


def pdags() -> st.SearchStrategy[PDAG]:
    """Draw any set of arcs over four letters."""
    return st.frozensets(st.sampled_from(PAIRS)).map(lambda arcs: ref.make_pdag(N, arcs))


def test_views_of_the_kite(kite: PDAG) -> None:
    """The edge d - e is listed once, in the order of the variables; the v-structure is a -> c <- b."""
    assert kite.directed_edges == [("a", "c"), ("b", "c"), ("c", "d")]
    assert kite.undirected_edges == [("d", "e")]
    assert kite.skeleton == {("a", "c"), ("b", "c"), ("c", "d"), ("d", "e")}
    assert kite.v_structures == {("a", "c", "b")}
    assert repr(kite) == "PDAG(5 variables, 3 directed and 1 undirected edges)"


def test_relatives_of_a_variable(kite: PDAG) -> None:
    """Variable d (3) has the parent c (2), no child and the neighbour e (4)."""
    assert kite.parents[3] == {2}
    assert kite.children[3] == frozenset()
    assert kite.neighbours[3] == {4}
    assert kite.adjacent[3] == {2, 4}
    assert kite.children[2] == {3}


def test_a_shielded_collider_is_no_v_structure() -> None:
    """With a - b the parents of c are adjacent, whatever the kind of that edge."""
    assert not PDAG.from_edges("abc", ["ac", "bc"], ["ab"]).v_structures


@given(pdags())
def test_views_follow_the_definition(pdag: PDAG) -> None:
    """Relatives, skeleton and v-structures equal what the arcs say."""
    arcs = ref.arcs_of_pdag(pdag)
    for i in range(N):
        assert pdag.parents[i] == {j for j in range(N) if (j, i) in arcs and (i, j) not in arcs}
        assert pdag.children[i] == {j for j in range(N) if (i, j) in arcs and (j, i) not in arcs}
        assert pdag.neighbours[i] == {j for j in range(N) if (i, j) in arcs and (j, i) in arcs}
        assert pdag.adjacent[i] == pdag.parents[i] | pdag.children[i] | pdag.neighbours[i]
    place = ref.LETTERS.index
    assert {frozenset(map(place, pair)) for pair in pdag.skeleton} == ref.skeleton(arcs)
    found = {(frozenset((place(a), place(b))), place(c)) for a, c, b in pdag.v_structures}
    assert found == ref.v_structures(arcs)


@given(pdags())
def test_round_trips(pdag: PDAG) -> None:
    """A graph comes back from its edge lists, networkx, a pickle and another order of its variables."""
    assert PDAG.from_edges(pdag.names, pdag.directed_edges, pdag.undirected_edges) == pdag
    assert PDAG.from_networkx(pdag.to_networkx()) == pdag
    copy = pickle.loads(pickle.dumps(pdag))
    assert copy == pdag
    assert hash(copy) == hash(pdag)
    assert not copy.arcs.flags.writeable
    shuffled = pdag.reordered("cadb")
    assert shuffled.skeleton == pdag.skeleton
    assert set(shuffled.directed_edges) == set(pdag.directed_edges)
    assert shuffled.reordered("abcd") == pdag


def test_networkx_form_of_an_undirected_edge() -> None:
    """The edge a - b is both arcs of the DiGraph; c stays, isolated."""
    graph = PDAG.from_edges("abc", undirected=["ab"]).to_networkx()
    assert set(graph.edges) == {("a", "b"), ("b", "a")}
    assert list(graph.nodes) == ["a", "b", "c"]


@given(ref.dags(5))
def test_from_dag_directs_every_edge(dag: DAG) -> None:
    """A DAG seen as a PDAG has the same edges, in the same order, and none undirected."""
    pdag = PDAG.from_dag(dag)
    assert pdag.directed_edges == dag.edges
    assert pdag.undirected_edges == []
    assert pdag.v_structures == dag.v_structures


def test_the_matrix_is_copied_and_read_only() -> None:
    """Neither the caller's array nor the graph's own can change the graph."""
    matrix = np.zeros((2, 2), dtype=bool)
    pdag = PDAG("ab", matrix)
    matrix[0, 1] = True
    assert not pdag.arcs.any()
    with pytest.raises(ValueError, match="read-only"):
        pdag.arcs[0, 1] = True


def test_equality_needs_the_same_names_and_arcs(kite: PDAG) -> None:
    """Another name, another direction or another type is another thing."""
    assert kite != PDAG("abcdx", kite.arcs)
    assert kite != PDAG.from_edges("abcde", ["ac", "bc", "dc"], ["ed"])
    assert kite != kite.arcs.tolist()


@pytest.mark.parametrize(
    ("arcs", "message"),
    [
        (np.zeros((3, 3)), r"2 x 2, not \(3, 3\)"),
        ([[0, 1], [-1, 0]], "only 0 and 1"),
        ([[1, 0], [0, 0]], "'a' has an edge to itself"),
        ([["x", ""], ["", ""]], "numbers or booleans"),
    ],
)
def test_constructor_refuses(arcs: object, message: str) -> None:
    """A matrix of end marks, of another size or with a loop is not a matrix of arcs."""
    with pytest.raises(InputError, match=message):
        PDAG("ab", arcs)


@pytest.mark.parametrize(
    ("directed", "undirected", "message"),
    [
        (["ab", "ba"], [], "'b' and 'a' are joined by two edges"),
        (["ab"], ["ba"], "'b' and 'a' are joined by two edges"),
        ([], ["ab", "ab"], "'a' and 'b' are joined by two edges"),
        (["ax"], [], "edge 'a' -> 'x' names an unknown variable 'x'"),
        ([], ["ax"], "edge 'a' - 'x' names an unknown variable 'x'"),
        ([], ["aa"], "'a' has an edge to itself"),
    ],
)
def test_from_edges_refuses(directed: list[str], undirected: list[str], message: str) -> None:
    """Two variables are joined once; a line is not drawn by two arrows here."""
    with pytest.raises(InputError, match=message):
        PDAG.from_edges("abc", directed, undirected)


@pytest.mark.parametrize("kind", [networkx.Graph, networkx.MultiDiGraph, networkx.MultiGraph])
def test_from_networkx_refuses(kind: type) -> None:
    """Only a DiGraph says which edges have a direction."""
    with pytest.raises(InputError, match="networkx graph is"):
        PDAG.from_networkx(kind([("a", "b")]))


def test_reordered_refuses_other_variables(kite: PDAG) -> None:
    """A name in too many, one too few, or one twice is refused."""
    with pytest.raises(InputError, match="only the first has 'e'; only the second has 'x'"):
        kite.reordered("abcdx")
    with pytest.raises(InputError, match="'a' is named twice"):
        kite.reordered("abcdea")
