"""DAG to CPDAG, against the union of the enumerated equivalence class."""

from __future__ import annotations

import pytest
from hypothesis import given

import reference_graphs as ref
from bnsearch.graphs import DAG, PDAG, cpdag, meek_closure


@pytest.mark.parametrize(("n", "dags", "classes"), [(1, 1, 1), (2, 3, 2), (3, 25, 11), (4, 543, 185), (5, 29281, 8782)])
def test_reference_enumerates_everything(n: int, dags: int, classes: int) -> None:
    """The counts of labelled DAGs (Robinson 1973) and of their classes (Gillispie and Perlman 2001)."""
    found = ref.equivalence_classes(n)
    assert sum(map(len, found.values())) == dags
    assert len(found) == classes


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_cpdag_is_the_union_of_its_class(n: int) -> None:
    """A DAG completes to the overlay of all DAGs with its pattern: all up to four variables, then one of a class."""
    for number, members in enumerate(ref.equivalence_classes(n).values()):
        union = ref.union(members)
        for member in members if n < 5 else [members[number % len(members)]]:
            assert ref.arcs_of_pdag(cpdag(ref.make_dag(n, member))) == union


def test_cpdag_of_a_chain_a_collider_and_a_tail() -> None:
    """In a -> c <- b, c -> d both arrows of the collider and the one that leaves it are compelled."""
    assert cpdag(DAG.from_edges("abc", ["ab", "bc"])) == PDAG.from_edges("abc", [], ["ab", "bc"])
    dag = DAG.from_edges("abcd", ["ac", "bc", "cd"])
    assert cpdag(dag) == PDAG.from_dag(dag)


def test_cpdag_does_not_depend_on_the_order_of_the_variables() -> None:
    """The same graph with its variables listed backwards has the same CPDAG."""
    dag = ref.random_dag(60, 120, seed=1)
    backwards = dag.names[::-1]
    assert cpdag(dag.reordered(backwards)).reordered(dag.names) == cpdag(dag)


@given(ref.dags(9))
def test_cpdag_is_the_closure_of_the_pattern(dag: DAG) -> None:
    """Directing only the v-structures and applying Meek's rules gives the same graph by another road."""
    arrows = {(parent, child) for a, child, b in dag.v_structures for parent in (a, b)}
    lines = [(a, b) for a, b in dag.edges if (a, b) not in arrows]
    assert meek_closure(PDAG.from_edges(dag.names, arrows, lines)) == cpdag(dag)


def test_graphs_without_compelled_edges() -> None:
    """A complete DAG has no v-structure, so all its edges can be reversed; no edges stay no edges."""
    names = [f"v{i}" for i in range(30)]
    complete = DAG(names, [range(i) for i in range(30)])
    assert cpdag(complete).directed_edges == []
    assert len(cpdag(complete).undirected_edges) == 30 * 29 // 2
    assert not cpdag(DAG.empty(names)).arcs.any()
    assert cpdag(DAG.empty([])).arcs.shape == (0, 0)
