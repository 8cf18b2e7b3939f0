"""Directions that follow from an equivalence class and background knowledge, against enumeration."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_graphs as ref
from bnsearch.graphs import DAG, cpdag
from bnsearch.knowledge import Knowledge
from bnsearch.knowledge.orientation import orient_class
from knowledge_cases import breaches
from strategies import examples

NAMES = ("a", "b", "c", "d")


@cache
def classes(n: int) -> list[list[DAG]]:
    """Return all equivalence classes of some variables, each as the list of its networks."""
    found = ref.equivalence_classes(n).values()
    return [[DAG(NAMES[:n], ref.make_dag(n, arcs).parents) for arcs in members] for members in found]


def directions_of(members: list[DAG]) -> np.ndarray:
    """Return bool[parent, child], True if at least one network has the edge."""
    return np.any([dag.adjacency for dag in members], axis=0)


@st.composite
def cases(draw: st.DrawFn) -> tuple[DAG, Knowledge, list[DAG]]:
    """Draw a network, knowledge that it respects, and all networks of its class that respect the knowledge."""
    n = draw(st.integers(2, 4))
    members = draw(st.sampled_from(classes(n)))
    dag = draw(st.sampled_from(members))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    absent = [(a, b) for a in dag.names for b in dag.names if a != b and (a, b) not in dag.edges]
    degrees = {name: len(dag.parents[v]) + int(rng.integers(3)) for v, name in enumerate(dag.names)}
    order = [dag.names[v] for v in dag.order]
    cut = int(rng.integers(len(order) + 1))
    known = Knowledge(
        required=[edge for edge in dag.edges if rng.random() < 0.15],
        forbidden=[edge for edge in absent if rng.random() < 0.15],
        tiers=[order[:cut], order[cut:]] if rng.random() < 0.3 else [],
        max_parents={name: most for name, most in degrees.items() if rng.random() < 0.7}
        if rng.random() < 0.6
        else None,
    )
    return dag, known, [member for member in members if not breaches(known, member)]


@examples(300)
@given(cases())
def test_directions_by_enumeration(case: tuple[DAG, Knowledge, list[DAG]]) -> None:
    """An edge is undirected exactly if two legal networks of the class have it in different directions."""
    dag, known, legal = case
    assert dag in legal
    assert np.array_equal(orient_class(dag, known.constraints(dag.names)).arcs, directions_of(legal))


def test_limits_of_single_variables_by_enumeration() -> None:
    """A clique of four variables, with 60 random choices of limits that one ordering respects."""
    members = max(classes(4), key=len)
    assert len(members) == 24
    dag = members[0]
    rng = np.random.default_rng(1)
    for _ in range(60):
        limits = {name: max(len(dag.parents[v]), int(rng.integers(4))) for v, name in enumerate(dag.names)}
        known = Knowledge(max_parents=limits)
        legal = [member for member in members if not breaches(known, member)]
        assert np.array_equal(orient_class(dag, known.constraints(dag.names)).arcs, directions_of(legal))


@pytest.mark.parametrize(
    "known", [None, Knowledge(), Knowledge(max_parents=1), Knowledge(max_parents={"a": 1, "c": 2})]
)
def test_knowledge_that_says_nothing(known: Knowledge | None) -> None:
    """In a -> b -> c, a limit of one parent changes nothing: no network of the class has a variable with two."""
    dag = DAG.from_edges("abc", ["ab", "bc"])
    assert orient_class(dag, None if known is None else known.constraints(dag.names)) == cpdag(dag)


def test_a_tier_directs_what_follows() -> None:
    """In a -> b -> c with a in an earlier tier than b, a -> b is fixed, and c -> b would be a new v-structure."""
    dag = DAG.from_edges("abc", ["ab", "bc"])
    known = Knowledge(tiers=[["a"], ["b"]])
    graph = orient_class(dag, known.constraints(dag.names))
    assert (graph.directed_edges, graph.undirected_edges) == ([("a", "b"), ("b", "c")], [])
