"""Knowledge: its constraints by index, contradictions, and the conversion of networks to legal ones."""

import numpy as np
import pytest

from bnsearch import DAG, InputError, Knowledge

NAMES = ("a", "b", "c", "d")


def edges_of(mask):
    """Return the pairs (parent, child) of a matrix with axes [child, parent]."""
    return {(NAMES[parent], NAMES[child]) for child, parent in np.argwhere(mask).tolist()}


def everything():
    """Return all edges between different variables."""
    return {(a, b) for a in NAMES for b in NAMES if a != b}


def test_nothing_known_allows_everything():
    """Without knowledge every edge is allowed."""
    free = Knowledge().constraints(NAMES)
    assert edges_of(free.allowed) == everything()
    assert not free.required.any()
    assert free.max_parents.tolist() == [3, 3, 3, 3]


def test_required_edges_forbid_the_way_back():
    """With a -> b -> c required, no edge may lead from b or c to a, nor from c to b."""
    known = Knowledge(required=[("a", "b"), ("b", "c")]).constraints(NAMES)
    assert edges_of(known.required) == {("a", "b"), ("b", "c")}
    assert edges_of(known.allowed) == everything() - {("b", "a"), ("c", "b"), ("c", "a")}


def test_tiers_roots_leaves_and_forbidden_edges():
    """Each kind of knowledge forbids its edges."""
    known = Knowledge(tiers=[["a", "b"], ["c"]], forbidden=[("a", "b")], roots=["b"], leaves=["d"])
    gone = {("c", "a"), ("c", "b"), ("a", "b"), ("d", "b"), ("d", "a"), ("d", "c")}
    assert edges_of(known.constraints(NAMES).allowed) == everything() - gone


def test_settings_of_tiers():
    """Edges within a tier and edges that skip a tier can be forbidden."""
    known = Knowledge(tiers=[["a"], ["b", "c"], ["d"]], within_tiers=False, across_tiers=False)
    assert edges_of(known.constraints(NAMES).allowed) == {("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")}


def test_allowed_edges_and_limits():
    """Only listed and required edges are allowed; limits on parents apply by name."""
    known = Knowledge(allowed=[("a", "b"), ("c", "b")], required=[("d", "b")], max_parents={"b": 2})
    constraints = known.constraints(NAMES)
    assert edges_of(constraints.allowed) == {("a", "b"), ("c", "b"), ("d", "b")}
    assert constraints.max_parents.tolist() == [3, 2, 3, 3]


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"required": [("a", "b"), ("b", "a")]}, "directed cycle"),
        ({"required": [("a", "b")], "forbidden": [("a", "b")]}, "'a' -> 'b' is required, but it is forbidden"),
        ({"required": [("a", "b")], "roots": ["b"]}, "'b' is a root"),
        ({"required": [("a", "b")], "leaves": ["a"]}, "'a' is a leaf"),
        ({"required": [("a", "b")], "tiers": [["b"], ["a"]]}, "earlier tier"),
        ({"required": [("a", "b")], "tiers": [["b", "a"]], "within_tiers": False}, "one tier"),
        ({"required": [("a", "d")], "tiers": [["a"], ["b"], ["d"]], "across_tiers": False}, "skips a tier"),
        ({"required": [("a", "b"), ("c", "b")], "max_parents": 1}, "'b' has 2 required parents, but at most 1"),
        ({"tiers": [["a"], ["a", "b"]]}, "'a' is listed twice"),
        ({"forbidden": [("a", "bb")]}, "unknown variable 'bb' in forbidden"),
        ({"max_parents": {"e": 1}}, "unknown variable 'e' in max_parents"),
    ],
)
def test_contradictions_are_named(known, message):
    """A contradiction raises an error with its reason."""
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        Knowledge(**known).constraints(NAMES)


@pytest.mark.parametrize(
    ("known", "message"),
    [
        ({"required": [("a", "a")]}, "to itself"),
        ({"required": [("a",)]}, "pair"),
        ({"forbidden": "ab"}, "must be a list"),
        ({"roots": [1]}, "by text"),
        ({"max_parents": -1}, "max_parents must be at least 0"),
        ({"max_parents": {"a": 1.5}}, "max_parents of 'a' must be a whole number"),
    ],
)
def test_malformed_knowledge_is_refused(known, message):
    """Invalid parameters raise an error when the Knowledge is created."""
    with pytest.raises(InputError, match=message):
        Knowledge(**known)


def test_permits():
    """A network is legal if it has the required edges, only allowed edges, and not too many parents."""
    known = Knowledge(required=[("a", "b")], forbidden=[("c", "d")], max_parents=2).constraints(NAMES)
    assert known.permits(DAG.from_edges(NAMES, [("a", "b")]))
    assert known.permits(known.make_required_dag(NAMES))
    assert not known.permits(DAG.empty(NAMES))
    assert not known.permits(DAG.from_edges(NAMES, [("a", "b"), ("c", "d")]))
    assert not known.permits(
        DAG.from_edges(NAMES, [("a", "b"), ("b", "d"), ("a", "d"), ("a", "c"), ("b", "c"), ("d", "c")])
    )


@pytest.mark.parametrize("seed", range(30))
def test_legalise_keeps_what_is_legal_and_mends_the_rest(seed):
    """A legal network is unchanged; any other graph, also with cycles, becomes legal."""
    rng = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(7)]
    order = rng.permutation(7)
    pairs = [(names[order[i]], names[order[j]]) for i in range(7) for j in range(i + 1, 7)]
    some = [pairs[i] for i in rng.permutation(len(pairs))]
    known = Knowledge(required=some[:3], forbidden=some[3:8], max_parents=4).constraints(names)
    mess = [np.flatnonzero(rng.random(7) < 0.5).tolist() for _ in range(7)]
    mess = [[p for p in row if p != v] for v, row in enumerate(mess)]
    legal = known.legalise(mess)
    assert known.permits(DAG(names, legal))
    assert known.legalise(legal) == legal
