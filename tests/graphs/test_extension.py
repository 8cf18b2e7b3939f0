"""PDAG to DAG, against the enumerated consistent extensions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_graphs as ref
from bnsearch.errors import InputError
from bnsearch.graphs import DAG, PDAG, cpdag, extension

PAIRS = [(i, j) for i in range(5) for j in range(5) if i != j]


def check_extension(n: int, arcs: ref.Arcs) -> None:
    """Assert that the graph extends to one of its consistent extensions, or is refused where it has none."""
    extensions = ref.consistent_extensions(n, arcs)
    if extensions:
        assert ref.arcs_of_dag(extension(ref.make_pdag(n, arcs))) in extensions
    else:
        with pytest.raises(InputError, match="no consistent extension"):
            extension(ref.make_pdag(n, arcs))


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_small_pdag(n: int) -> None:
    """All 4^(n(n-1)/2) graphs are extended or refused as the enumeration says."""
    for arcs in ref.all_graphs(n, undirected=True):
        check_extension(n, arcs)


@given(st.frozensets(st.sampled_from(PAIRS)))
def test_pdags_of_five_variables(arcs: ref.Arcs) -> None:
    """Graphs of five variables too, drawn at random."""
    check_extension(5, arcs)


@pytest.mark.parametrize("edges", [0, 100, 200, 400, 3000])
def test_extension_of_a_large_cpdag_stays_in_its_class(edges: int) -> None:
    """Completing the extension gives the CPDAG back, sparse or dense."""
    completed = cpdag(ref.random_dag(200, edges, seed=edges))
    assert cpdag(extension(completed)) == completed


def test_a_dag_extends_to_itself() -> None:
    """Nothing is left to direct."""
    dag = ref.random_dag(100, 200, seed=2)
    assert extension(PDAG.from_dag(dag)) == dag


def test_free_edges_point_down_the_list() -> None:
    """The undirected chain a - b - c and the undirected triangle follow the order of the variables."""
    assert extension(PDAG.from_edges("abc", [], ["ab", "bc"])) == DAG.from_edges("abc", ["ab", "bc"])
    triangle = PDAG.from_edges("abc", [], ["ab", "bc", "ca"])
    assert extension(triangle) == DAG.from_edges("abc", ["ab", "ac", "bc"])


@pytest.mark.parametrize(
    ("directed", "undirected"),
    [
        ([], ["ab", "bc", "cd", "da"]),  # a chordless square: any acyclic direction has a new v-structure
        (["ab", "bc", "ca"], []),  # a directed cycle
        (["ab", "dc"], ["bc"]),  # b -> c makes b -> c <- d, c -> b makes a -> b <- c
    ],
)
def test_graphs_without_an_extension(directed: list[str], undirected: list[str]) -> None:
    """The error names the variables that cannot be ordered; the isolated e is not among them."""
    with pytest.raises(InputError, match="no consistent extension") as caught:
        extension(PDAG.from_edges("abcde", directed, undirected))
    assert "'a', 'b'" in str(caught.value)
    assert "'e'" not in str(caught.value)


def test_no_variables() -> None:
    """The graph over nothing extends to the DAG over nothing."""
    assert extension(PDAG.from_edges([])) == DAG.empty([])
