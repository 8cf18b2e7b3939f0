"""Search over the order graph: bounds of nodes, and the best network."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.budgets.budget import Budget
from bnsearch.exact.component_search import ComponentSearch
from bnsearch.exact.components import Component, split_into_components
from bnsearch.exact.cuts import Cut, CutPool, make_cluster_cut
from bnsearch.exact.linear_program import has_solver
from bnsearch.exact.order_bound import find_maxima
from bnsearch.exact.order_graph import OrderGraph
from bnsearch.exact.order_search import OrderSearch
from bnsearch.exact.proof import Step
from candidate_tables import random_candidates
from reference_exact import best_score
from strategies import examples


def make_component(n: int, sets: int, max_parents: int, seed: int) -> Component:
    """Return the largest component of a random table."""
    return split_into_components(random_candidates(n, sets, max_parents, seed))[-1]


def draw_step(component: Component, rng: np.random.Generator) -> tuple[CutPool, Step]:
    """Return cluster inequalities and local cuts of random members with random multipliers."""
    pool, n = CutPool(component.size, 1 << 20), component.size
    numbers = []
    for _ in range(int(rng.integers(0, 6)) if n > 1 else 0):
        members = np.sort(rng.choice(n, int(rng.integers(2, n + 1)), replace=False))
        numbers.append(pool.add(make_cluster_cut(members, int(rng.integers(1, len(members))))))
    for _ in range(int(rng.integers(0, 3)) if n > 1 else 0):
        members = np.sort(rng.choice(n, min(n, 4), replace=False))
        numbers.append(pool.add(draw_local_cut(members, rng)))
    cuts = np.unique(np.array(numbers, dtype=np.int64))
    return pool, Step(cuts, rng.uniform(0, 3, len(cuts)))


def draw_local_cut(members: np.ndarray, rng: np.random.Generator) -> Cut:
    """Return a cut with random coefficients; its limit is the maximum over all orderings of the members."""
    c = len(members)
    weights = rng.uniform(0, 1, (c, 1 << c))
    for i in range(c):
        weights[i, [mask for mask in range(1 << c) if mask >> i & 1 or mask == 0]] = 0.0
    return Cut(members, 0, weights, sum_heaviest(Cut(members, 0, weights, 0.0), 0))


def sum_heaviest(cut: Cut, node: int) -> float:
    """Return the maximum of a cut's sum over the members outside a node, over all orderings of these members."""
    c = len(cut.members)
    outside = [i for i in range(c) if not node >> i & 1]
    best = 0.0 if not outside else -math.inf
    for ordering in itertools.permutations(outside):
        before, total = node, 0.0
        for i in ordering:
            inside = [mask for mask in range(1 << c) if mask & ~before == 0]
            values = [float(mask.bit_count() >= cut.order) if cut.order else cut.weights[i, mask] for mask in inside]
            total += max(values)
            before |= 1 << i
        best = max(best, total)
    return best


@examples(30)
@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_maxima_of_local_cuts(c, seed):
    """The maximum over the members outside a node agrees with the definition, for all nodes."""
    cut = draw_local_cut(np.arange(c), np.random.default_rng(seed))
    maxima = find_maxima(cut)
    for node in range(1 << c):
        assert maxima[node] == pytest.approx(sum_heaviest(cut, node), abs=1e-12)


@examples(20)
@given(st.integers(3, 6), st.integers(0, 2**32 - 1))
def test_potentials_of_nodes(n, seed):
    """Expansion changes the potentials step by step; they agree with the definition."""
    component, rng = make_component(n, 30, 3, seed), np.random.default_rng(seed)
    graph = OrderGraph(component, component.begin[1:] - 1)
    pool, step = draw_step(component, rng)
    graph.use_bound(pool, step)
    if graph.is_proven:
        return
    graph.search(lambda: False)
    keys, _, potentials = graph._nodes[:3]
    expected = [compute_potential(component, pool, step, int(key)) for key in keys[: graph._state[0]]]
    assert potentials[: graph._state[0]] == pytest.approx(expected, abs=1e-9)


@examples(50)
@given(st.integers(3, 7), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_potentials_are_valid_after_changes_of_the_bound(n, nodes_per_call, seed):
    """Another bound can have higher potentials at some nodes. No potential is below the best completion of its node."""
    component, rng = make_component(n, 30, 3, seed), np.random.default_rng(seed)
    graph = OrderGraph(component, component.begin[1:] - 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bnsearch.exact.order_graph.NODES_PER_CALL", nodes_per_call)
        for _ in range(6):
            graph.use_bound(*draw_step(component, rng))
            left = iter(range(1))
            if graph.is_proven or graph.search(lambda left=left: next(left, None) is None):
                break
    keys, scores, potentials = graph._nodes[:3]
    best = complete_best(component)
    for node in range(graph._state[0]):
        rest = best[int(keys[node])]
        # Parent sets that cannot be part of a better network are excluded, so a potential may be lower then.
        assert potentials[node] >= min(rest, graph.target - scores[node]) - 1e-9


def complete_best(component: Component) -> list[float]:
    """Return, for each set of variables that come first, the best sum of the scores of all others."""
    n = component.size
    best = [0.0] * (1 << n)
    for key in range((1 << n) - 2, -1, -1):
        best[key] = max(
            component.scores[component.find_best(v, key)] + best[key | 1 << v] for v in range(n) if not key >> v & 1
        )
    return best


def compute_potential(component: Component, pool: CutPool, step: Step, key: int) -> float:
    """Return the potential of a node by its definition."""
    total = 0.0
    for v in range(component.size):
        if not key >> v & 1:
            total += max(reduce_score(component, pool, step, row) for row in range(*component.begin[v : v + 2]))
    for number, multiplier in zip(step.cuts.tolist(), step.multipliers.tolist(), strict=True):
        cut = pool[number]
        node = sum(1 << i for i, v in enumerate(cut.members.tolist()) if key >> v & 1)
        total += multiplier * sum_heaviest(cut, node)
    return total


def reduce_score(component: Component, pool: CutPool, step: Step, row: int) -> float:
    """Return the score of a parent set, less the multipliers times its coefficients."""
    score, child = float(component.scores[row]), int(component.child[row])
    for number, multiplier in zip(step.cuts.tolist(), step.multipliers.tolist(), strict=True):
        cut = pool[number]
        members = cut.members.tolist()
        mask = sum(1 << i for i, v in enumerate(members) if int(component.small_masks[row]) >> v & 1)
        if child in members:
            weight = float(mask.bit_count() >= cut.order) if cut.order else cut.weights[members.index(child), mask]
            score -= multiplier * weight
    return score


@examples(100)
@given(st.integers(2, 9), st.integers(0, 30), st.integers(1, 4), st.integers(0, 2**32 - 1), st.integers(1, 50))
def test_finds_the_best_network(n, sets, max_parents, seed, nodes_per_call):
    """With any multipliers, the network without edges as the incumbent, and several changes of the bound."""
    table = random_candidates(n, sets, max_parents, seed)
    total = 0.0
    rng = np.random.default_rng(seed)
    for component in split_into_components(table):
        graph = OrderGraph(component, component.begin[1:] - 1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("bnsearch.exact.order_graph.NODES_PER_CALL", nodes_per_call)
            for _ in range(5):
                graph.use_bound(*draw_step(component, rng))
                left = iter(range(1))
                if graph.is_proven or graph.search(lambda left=left: next(left, None) is None):
                    break
        assert graph.search(lambda: False)
        assert graph.bound == graph.target
        total += math.fsum(component.scores[graph.choice])
        assert_acyclic(component, graph.choice)
    assert total == pytest.approx(best_score(table), rel=1e-9, abs=1e-9)


def assert_acyclic(component: Component, choice: np.ndarray) -> None:
    """Place variables whose parents are placed until none is left."""
    placed = 0
    for _ in range(component.size):
        for v, row in enumerate(choice.tolist()):
            if component.small_masks[row] & ~placed == 0:
                placed |= 1 << v
    assert placed == (1 << component.size) - 1


@pytest.mark.parametrize("calls", [0, 1, 2, 5, 10])
def test_stopped_early_it_has_a_bound(monkeypatch, calls):
    """Score and bound enclose the best score when the search stops after some calls, and it can be continued."""
    monkeypatch.setattr("bnsearch.exact.order_graph.NODES_PER_CALL", 20)
    table = random_candidates(12, 60, 4, seed=3)
    (component,) = split_into_components(table)
    graph, left = OrderGraph(component, component.begin[1:] - 1), iter(range(calls))
    graph.use_bound(CutPool(component.size, 1 << 20), Step(np.zeros(0, dtype=np.int64), np.zeros(0)))
    assert not graph.search(lambda: next(left, None) is None)
    best = best_score(table)
    assert graph.target <= best + 1e-9 <= graph.bound + 2e-9
    assert graph.search(lambda: False)
    assert graph.target == pytest.approx(best, abs=1e-9)


def test_stopped_while_its_space_grows(monkeypatch):
    """The deadline is checked while nodes are moved: a stopped growth is repeated later, and the score is the same."""
    monkeypatch.setattr("bnsearch.exact.order_graph.FIRST_NODES", 16)
    monkeypatch.setattr("bnsearch.exact.order_graph.MOVED_PER_CALL", 8)
    monkeypatch.setattr("bnsearch.exact.order_graph.NODES_PER_CALL", 20)
    table = random_candidates(12, 60, 4, seed=3)
    (component,) = split_into_components(table)
    graph, stopped = OrderGraph(component, component.begin[1:] - 1), 0
    graph.use_bound(CutPool(component.size, 1 << 20), Step(np.zeros(0, dtype=np.int64), np.zeros(0)))
    for calls in itertools.count(1):
        left, size = iter(range(calls)), len(graph._slots)
        if graph.search(lambda left=left: next(left, None) is None):
            break
        assert not graph.is_full
        stopped += len(graph._slots) == size
    assert stopped > 3
    assert graph.target == pytest.approx(best_score(table), abs=1e-9)


def test_little_memory():
    """The search ends when the space for nodes is used up, and its bound is valid."""
    table = random_candidates(16, 60, 4, seed=3)
    (component,) = split_into_components(table)
    graph = OrderGraph(component, component.begin[1:] - 1, memory=1)
    graph.use_bound(CutPool(component.size, 1 << 20), Step(np.zeros(0, dtype=np.int64), np.zeros(0)))
    assert not graph.search(lambda: False)
    assert graph.is_full
    assert best_score(table) <= graph.bound + 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_with_the_dual_ascent(seed):
    """The search finds the best network with bounds of the dual ascent; with this incumbent, it expands fewer sets."""
    table = random_candidates(14, 60, 4, seed)
    (component,) = split_into_components(table)
    search = OrderSearch(component, component.begin[1:] - 1)
    assert search.search(Budget())
    assert search.bound == search.graph.target == pytest.approx(best_score(table), abs=1e-9)
    again = OrderSearch(component, search.graph.choice)
    assert again.search(Budget())
    assert again.graph.n_expanded < search.graph.n_expanded


def test_more_than_32_variables():
    """Two rings of 20 variables that share a variable: all bits of a word are used correctly."""
    n = 39
    rings = [list(range(20)), [0, *range(20, 39)]]
    best: dict[int, list[int]] = {v: [] for v in range(n)}
    for ring in rings:
        for a, b in itertools.pairwise([*ring, ring[0]]):
            best[b].append(a)
    rows = [(v, -1.0, parents) for v, parents in best.items()] + [(v, -3.0 + 0.01 * v, []) for v in range(n)]
    component = Component(
        variables=np.arange(n),
        begin=np.arange(0, 2 * n + 1, 2),
        scores=np.array([score for v in range(n) for u, score, _ in rows if u == v]),
        rows=np.arange(2 * n),
        first=np.cumsum([0] + [len(p) for v in range(n) for u, _, p in rows if u == v]),
        members=np.array([m for v in range(n) for u, _, p in rows if u == v for m in p], dtype=np.int32),
    )
    search = OrderSearch(component, component.begin[1:] - 1)
    assert search.search(Budget())
    assert search.graph.target == pytest.approx(-(n - 1) - 3.0, abs=1e-9)  # variable 0 has no parents


@pytest.mark.skipif(not has_solver(), reason="needs highspy")
@pytest.mark.parametrize("memory", [1, 1 << 24])
def test_turns_with_branch_and_cut(memory):
    """If the order graph has no memory, branch and cut finds the best network."""
    table = random_candidates(13, 50, 4, seed=5)
    (component,) = split_into_components(table)
    bounds: list[float] = []
    search = ComponentSearch(component, component.begin[1:] - 1, Budget(), memory=1 << 24, observe=bounds.append)
    assert search._order is not None
    search._order.graph._max_nodes = memory
    assert search.solve()
    assert math.fsum(component.scores[search.choice]) == pytest.approx(best_score(table), abs=1e-9)
    assert min(bounds, default=math.inf) >= best_score(table) - 1e-9
