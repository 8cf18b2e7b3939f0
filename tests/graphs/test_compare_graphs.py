"""Comparison of graphs: hand cases, conventions, and the properties of a distance."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

import reference_graphs as ref
from bnsearch.errors import InputError
from bnsearch.graphs import DAG, PDAG, Agreement, StructuralHamming, compare, cpdag, shd, shd_cpdag
from bnsearch.graphs.compare import list_differences
from bnsearch.networks import load_network

TRUE = DAG.from_edges("abcd", ["ac", "bc", "cd"])
LEARNED = DAG.from_edges("abcd", ["ac", "cb", "ad", "bd"])


def test_hand_case() -> None:
    """
    Compare a -> c <- b, c -> d with a -> c -> b, a -> d <- b.

    Added a-d, b-d; deleted c-d; reversed b-c: SHD 4. Skeleton: 2 of 4 learned, 2 of 3 true pairs, F1 4/7.
    Edges: only a -> c is shared: 1/4, 1/3, 2/7. V-structures: (a, c, b) against (a, d, b): none shared.
    CPDAGs: the true one is fully directed; the learned one is a - c - b, a -> d <- b: a-c, b-c, a-d, b-d, c-d
    all differ.
    """
    found = compare(TRUE, LEARNED)
    assert found.hamming == StructuralHamming(added=2, deleted=1, reversed=1)
    assert found.shd == 4
    assert found.shd_cpdag == 5
    assert found.skeleton == Agreement(true=3, learned=4, shared=2)
    assert (found.skeleton.precision, found.skeleton.recall) == (2 / 4, 2 / 3)
    assert found.skeleton.f1 == pytest.approx(4 / 7)
    assert (found.edges.precision, found.edges.recall) == (1 / 4, 1 / 3)
    assert found.edges.f1 == pytest.approx(2 / 7)
    assert found.v_structures == Agreement(true=1, learned=1, shared=0)


def test_edges_that_differ() -> None:
    """The edges of the hand case; a reversed edge has the learned direction, and variables are matched by name."""
    expected = {"added": [("a", "d"), ("b", "d")], "deleted": [("c", "d")], "reversed": [("c", "b")]}
    for learned in (LEARNED, LEARNED.reordered("dbca")):
        found = list_differences(TRUE, learned)
        assert {kind: sorted(edges) for kind, edges in found.items()} == expected
    assert list_differences(TRUE, TRUE) == {"added": [], "deleted": [], "reversed": []}


def test_as_dict_is_flat_and_plain() -> None:
    """Every number of the comparison stands under its own name and survives JSON."""
    numbers = compare(TRUE, LEARNED).as_dict()
    assert json.loads(json.dumps(numbers)) == numbers
    assert (numbers["shd"], numbers["added"], numbers["deleted"], numbers["reversed"]) == (4, 2, 1, 1)
    assert (numbers["shd_cpdag"], numbers["skeleton_precision"], numbers["edges_recall"]) == (5, 0.5, 1 / 3)
    assert (numbers["v_structures_true"], numbers["v_structures_f1"]) == (1, 0.0)
    assert numbers["coverage"] == 1 - 4 / 3
    assert len(numbers) == 6 + 3 * 6


def test_coverage() -> None:
    """Nothing wrong: 1; one of three edges reversed: 2 / 3; four wrong of three: -1 / 3; no true edge: 1 or 0."""
    assert compare(TRUE, TRUE).coverage == 1
    assert compare(TRUE, DAG.from_edges("abcd", ["ac", "bc", "dc"])).coverage == pytest.approx(2 / 3)
    assert compare(TRUE, LEARNED).coverage == pytest.approx(-1 / 3)
    nothing = DAG.empty("abcd")
    assert (compare(nothing, nothing).coverage, compare(nothing, TRUE).coverage) == (1, 0)


@pytest.mark.parametrize(
    ("agreement", "precision", "recall", "f1"),
    [
        (Agreement(0, 0, 0), 1.0, 1.0, 1.0),  # nothing to find, nothing claimed
        (Agreement(3, 0, 0), 0.0, 0.0, 0.0),  # nothing claimed of three
        (Agreement(0, 3, 0), 0.0, 0.0, 0.0),  # three claimed of nothing
        (Agreement(3, 3, 0), 0.0, 0.0, 0.0),
        (Agreement(2, 4, 2), 0.5, 1.0, 2 / 3),  # 2 * 0.5 * 1 / 1.5
    ],
)
def test_ratios_at_the_edges(agreement: Agreement, precision: float, recall: float, f1: float) -> None:
    """Empty sides give 1 when both are empty, else 0."""
    assert (agreement.precision, agreement.recall) == (precision, recall)
    assert agreement.f1 == pytest.approx(f1)


def test_cpdag_marks_count_one_each() -> None:
    """Against a -> b, c - d: line for arrow, arrow for line, turned arrow and missing edge each count one."""
    graph = PDAG.from_edges("abcd", ["ab"], ["cd"])
    for directed, undirected in ([], ["ab", "cd"]), (["ab", "dc"], []), (["ba"], ["cd"]), ([], ["cd"]):
        other = PDAG.from_edges("abcd", directed, undirected)
        assert shd_cpdag(graph, other) == 1
        assert shd_cpdag(other, graph) == 1


def test_equivalent_dags_differ_as_dags_only() -> None:
    """The chains a -> b -> c and c -> b -> a have both edges reversed and one class."""
    found = compare(DAG.from_edges("abc", ["ab", "bc"]), DAG.from_edges("abc", ["ba", "cb"]))
    assert found.hamming == StructuralHamming(added=0, deleted=0, reversed=2)
    assert found.shd_cpdag == 0
    assert found.edges.f1 == 0
    assert found.skeleton.f1 == found.v_structures.f1 == 1


@given(ref.dags(5), ref.dags(5))
def test_shd_counts_pairs_that_differ(true: DAG, learned: DAG) -> None:
    """By definition: over all pairs, the pair's two entries of the adjacency matrix are not the same."""
    pairs = [(i, j) for i in range(5) for j in range(i)]

    def differing(first: np.ndarray, second: np.ndarray) -> int:
        return sum((first[i, j], first[j, i]) != (second[i, j], second[j, i]) for i, j in pairs)

    found = compare(true, learned)
    assert found.shd == differing(true.adjacency, learned.adjacency)
    assert found.shd_cpdag == differing(cpdag(true).arcs, cpdag(learned).arcs)


@given(ref.dags(5), ref.dags(5), ref.dags(5))
def test_shd_is_a_distance(a: DAG, b: DAG, c: DAG) -> None:
    """Zero between equals only, symmetric, and no detour is shorter; between CPDAGs too."""
    assert (shd(a, b).total == 0) == (a == b)
    assert (shd_cpdag(cpdag(a), cpdag(b)) == 0) == (cpdag(a) == cpdag(b))
    assert shd(a, b) == StructuralHamming(shd(b, a).deleted, shd(b, a).added, shd(b, a).reversed)
    assert shd_cpdag(cpdag(a), cpdag(b)) == shd_cpdag(cpdag(b), cpdag(a))
    assert shd(a, c).total <= shd(a, b).total + shd(b, c).total
    assert shd_cpdag(cpdag(a), cpdag(c)) <= shd_cpdag(cpdag(a), cpdag(b)) + shd_cpdag(cpdag(b), cpdag(c))


@given(ref.dags(5))
def test_a_graph_agrees_with_itself(dag: DAG) -> None:
    """All distances are zero and all ratios one, also for a graph without edges or v-structures."""
    numbers = compare(dag, dag).as_dict()
    assert all(value == 0 for key, value in numbers.items() if key.startswith(("shd", "added", "deleted", "rev")))
    assert all(value == 1 for key, value in numbers.items() if key.endswith(("precision", "recall", "f1")))


@given(ref.dags(5), ref.dags(5))
def test_variables_are_matched_by_name(true: DAG, learned: DAG) -> None:
    """Listing one graph's variables in another order changes nothing."""
    assert compare(true, learned.reordered("edbca")) == compare(true, learned)


@pytest.mark.parametrize("function", [compare, shd])
def test_other_variables_are_refused(function: Callable[[DAG, DAG], object]) -> None:
    """The error names variables of either side, a few of many."""
    other = DAG.empty(["a", "b", *(f"x{i}" for i in range(9))])
    with pytest.raises(InputError, match=r"only the first has 'c', 'd'; only the second has 'x0', .*'x4', \.\.\.$"):
        function(TRUE, other)
    with pytest.raises(InputError, match="different variables"):
        shd_cpdag(cpdag(TRUE), cpdag(other))


def test_networks_and_results_can_be_compared() -> None:
    """A network or a result stands for its structure; any other object is refused, with what can be compared."""
    asia = load_network("asia")
    assert compare(asia, asia) == compare(asia.dag, asia.dag)
    assert compare(asia, DAG.empty(asia.names)).hamming.deleted == 8
    with pytest.raises(InputError, match="a DAG, a network or a result is needed here, not a str: load_network"):
        compare(asia, "asia")
