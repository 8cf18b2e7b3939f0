"""Starting orderings: the paper's example, goodness by hand, feedback arc sets by definition."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.orderings.starts import (
    STARTS,
    compute_product_logs,
    dfs_start,
    fas_start,
    find_feedback_arcs,
    make_starts,
)
from bnsearch.parent_sets.relaxed import Relaxed, relaxed
from candidate_tables import candidate_tables, is_acyclic, random_candidates, table_of


def make_graph(parents: list[dict[int, float]]) -> Relaxed:
    """Return a relaxed solution with the given parents and weights of arcs."""
    return Relaxed(
        names=tuple(f"x{v}" for v in range(len(parents))),
        score=0.0,
        first=np.cumsum([0] + [len(own) for own in parents]),
        parents=np.array([u for own in parents for u in sorted(own)], dtype=np.int32),
        weights=np.array([own[u] for own in parents for u in sorted(own)]),
    )


def list_parents(graph: Relaxed, removed: np.ndarray) -> list[set[int]]:
    """Return the parents of each variable without the removed arcs."""
    places = [range(graph.first[v], graph.first[v + 1]) for v in range(len(graph.names))]
    return [{int(graph.parents[i]) for i in own if not removed[i]} for own in places]


@pytest.mark.parametrize("name", STARTS)
@given(table=candidate_tables(), seed=st.integers(0, 2**32 - 1))
def test_every_start_is_an_ordering_and_reproducible(name, table, seed):
    """A start has each variable once, and is the same for the same seed."""
    start = make_starts(name, table)
    order = start(np.random.default_rng(seed))
    assert order.dtype == np.int32
    assert sorted(order.tolist()) == list(range(table.n_variables))
    assert start(np.random.default_rng(seed)).tolist() == order.tolist()


@pytest.mark.parametrize("name", STARTS)
def test_starts_respect_precedence(name):
    """With 3 -> 0 -> 4 required, 3 comes before 0 and 0 before 4 in every start; otherwise not in all of them."""
    table = random_candidates(5, 12, 2, seed=1)
    required = [(table.names[u], table.names[v]) for u, v in ((3, 0), (0, 4))]
    precedence = Knowledge(required=required).constraints(table.names).precedence
    free, restricted = make_starts(name, table), make_starts(name, table, precedence)
    assert not any(precedence.find_violations(restricted(np.random.default_rng(seed))) for seed in range(20))
    assert any(precedence.find_violations(free(np.random.default_rng(seed))) for seed in range(20))


def test_unknown_starts_are_refused():
    """The error lists the allowed names."""
    with pytest.raises(InputError, match=r"no start 'fsa' \(did you mean 'fas'\?\): choose from random, dfs, fas"):
        make_starts("fsa", table_of([{frozenset(): -1.0}]))


def test_example_of_the_paper():
    """
    A graph that agrees with what Perez & Maua (2016) say about theirs: A, F, C, E, then B and D in any order.

    Parents: A none; B of D; C of F; D of A, B, C and E; E of C and F; F of E. A is free. Then B, C and F have one
    parent each, and goodness 3 (D has B, C, E), 3 * 2 = 6 (D; E has C, F) and 1 * 2 = 2 (C has F; E): F is next. Now C
    is free, then E, and B and D remain, each the other's only parent: goodness 1 and 1.
    """
    a, b, c, d, e, f = range(6)
    parents = {a: [], b: [d], c: [f], d: [a, b, c, e], e: [c, f], f: [e]}
    graph = make_graph([dict.fromkeys(parents[v], 1.0) for v in range(6)])
    found = Counter(tuple(dfs_start(graph, np.random.default_rng(seed)).tolist()) for seed in range(200))
    assert set(found) == {(a, f, c, e, b, d), (a, f, c, e, d, b)}
    assert min(found.values()) > 60  # of 200 fair draws; five standard deviations below 100 is 65


def follows_algorithm_3(graph: Relaxed, order: list[int]) -> bool:
    """Return True if each variable of an ordering is one of those that Algorithm 3 may take at its step."""
    parents = list_parents(graph, np.zeros(len(graph.parents), dtype=bool))
    unvisited = set(range(len(order)))
    for v in order:
        rank = {}
        for u in unvisited:
            children = [w for w in unvisited if u in parents[w]]
            rank[u] = (len(parents[u] & unvisited), math.prod(len(parents[w] & unvisited) for w in children))
        if rank[v] != min(rank.values()):
            return False
        unvisited.remove(v)
    return True


@given(st.integers(1, 9), st.integers(1, 12), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_goodness_by_definition(n, sets, max_parents, seed):
    """Each step takes a variable with the fewest unvisited parents and, among these, with the least goodness."""
    graph = relaxed(random_candidates(n, sets if n > 1 else 0, max_parents, seed))
    assert follows_algorithm_3(graph, dfs_start(graph, np.random.default_rng(seed)).tolist())


def test_logarithms_of_equal_products_are_equal():
    """2 * 6 = 3 * 4 and 2 * 2 * 2 = 8, exactly; larger products have larger logarithms."""
    logs = compute_product_logs(12).tolist()
    assert logs[2] + logs[6] == logs[3] + logs[4]
    assert 3 * logs[2] == logs[8]
    assert logs[:2] == [0, 0]
    assert logs[11] < logs[2] + logs[6] == logs[12]


@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_feedback_arcs_are_minimal(n, sets, max_parents, seed):
    """Without these arcs there is no cycle; with any one of them there is; the start respects all other arcs."""
    graph = relaxed(random_candidates(n, sets if n > 1 else 0, max_parents, seed))
    removed = find_feedback_arcs(graph, np.random.default_rng(seed))
    rest = list_parents(graph, removed)
    assert is_acyclic(rest)
    for arc in np.flatnonzero(removed):
        head = int(np.searchsorted(graph.first, arc, side="right")) - 1
        more = [own | {int(graph.parents[arc])} if v == head else own for v, own in enumerate(rest)]
        assert not is_acyclic(more)
    position = np.argsort(fas_start(graph, np.random.default_rng(seed)))
    assert all(position[u] < position[v] for v, own in enumerate(rest) for u in own)


@pytest.mark.parametrize("seed", range(8))
def test_feedback_arcs_by_hand(seed):
    """
    Two cycles share the arc 0 -> 1 of weight 3: 1 -> 0 of weight 2, and 1 -> 2 -> 0 of weights 2 and 4.

    Whichever cycle comes first, its arcs lose 2: 0 -> 1 keeps 1, and 1 -> 0 or 1 -> 2 is removed. The arcs of the other
    cycle lose 1, and 0 -> 1 is removed as well. The heaviest arc is restored first: 0 -> 1 would close the second
    cycle, so it stays removed, and the arc of weight 2 is restored.
    """
    graph = make_graph([{1: 2.0, 2: 4.0}, {0: 3.0}, {1: 2.0}])
    removed = find_feedback_arcs(graph, np.random.default_rng(seed))
    assert removed.tolist() == [False, False, True, False]
    assert fas_start(graph, np.random.default_rng(seed)).tolist() == [1, 2, 0]


@pytest.mark.parametrize("seed", range(8))
def test_the_heaviest_arc_is_restored_first(seed):
    """
    Lines 11 to 16 of Algorithm 4, with the arcs in the order that docs/papers/fidelity.md states.

    Two cycles share the arc 2 -> 0 of weight 3: 0 -> 2 of weight 2, and 0 -> 1 -> 2 of weights 1 and 2. In either
    order of the cycles, 0 -> 1, 0 -> 2 and 2 -> 0 are removed. Now 0 has no arc, so 2 -> 0 is restored; then 0 -> 2 and
    0 -> 1 would each close a cycle. In the reverse order, these two would be restored instead.
    """
    graph = make_graph([{2: 3.0}, {0: 1.0}, {0: 2.0, 1: 2.0}])
    assert find_feedback_arcs(graph, np.random.default_rng(seed)).tolist() == [False, True, True, False]
    assert fas_start(graph, np.random.default_rng(seed)).tolist() == [1, 2, 0]


class ScriptedPermutations:
    """A generator with scripted permutations."""

    def __init__(self, *permutations):
        self.permutations = [np.array(each) for each in permutations]

    def permutation(self, n):
        """Return the next scripted permutation."""
        assert len(self.permutations[0]) == n
        return self.permutations.pop(0)


def test_cycles_are_searched_in_random_order():
    """
    All pairs are joined in both directions, and 1 and 2 are alike: the order of the arcs decides between them.

    The arcs are 1 -> 0, 2 -> 0, 0 -> 1, 2 -> 1, 0 -> 2 and 1 -> 2. Their permutation is drawn first, then that of the
    roots of the depth-first search.
    """
    graph = make_graph([{1: 2.0, 2: 2.0}, {0: 4.0, 2: 1.0}, {0: 4.0, 1: 1.0}])
    first, last = ([0, 1, 2, 3, 4, 5], [0, 1, 2]), ([5, 4, 3, 2, 1, 0], [0, 1, 2])
    removed = [
        np.flatnonzero(find_feedback_arcs(graph, ScriptedPermutations(*draws))).tolist() for draws in (first, last)
    ]
    assert removed == [[0, 1, 5], [0, 1, 3]]


def test_the_lightest_arc_of_a_ring_is_removed():
    """A ring of five with weights 1 to 5 loses the arc of weight 1, into variable 0: the ordering is 0 to 4."""
    graph = make_graph([{(v - 1) % 5: float(v + 1)} for v in range(5)])
    assert fas_start(graph, np.random.default_rng(0)).tolist() == [0, 1, 2, 3, 4]


def test_starts_differ():
    """Ten starts from the relaxed solution of forty variables are not all the same."""
    table = random_candidates(40, 30, 4, seed=1)
    for name in STARTS:
        start = make_starts(name, table)
        assert len({tuple(start(np.random.default_rng(seed)).tolist()) for seed in range(10)}) > 3
