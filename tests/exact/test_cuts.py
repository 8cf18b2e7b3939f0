"""Cuts and precedences: kernels compared with definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.exact.cluster_cuts import find_cluster_cuts
from bnsearch.exact.components import Component, find_largest_size, split_into_components
from bnsearch.exact.cuts import Cut, CutPool, make_cluster_cut
from bnsearch.exact.kernels_cuts import subtract_penalties
from bnsearch.exact.kernels_local_cuts import find_heaviest_network
from bnsearch.exact.kernels_precedence import add_precedence, propagate_precedence
from bnsearch.exact.local_cuts import make_scratch, project
from bnsearch.exact.support import Support, make_support
from candidate_tables import random_candidates
from reference_proof import coefficient, draw_consequences, limit_of, split
from strategies import examples

SEEDS = st.integers(0, 2**32 - 1)


def make_component(n: int, seed: int) -> Component:
    """Return the largest component of a random table."""
    return split_into_components(random_candidates(n, 12, 3, seed))[-1]


def list_sets(component: Component) -> list[dict[int, frozenset[int]]]:
    """Return the parent sets of each variable by number."""
    members = [frozenset(own.tolist()) for own in split(component)]
    return [{s: members[s] for s in range(*component.begin[v : v + 2])} for v in range(component.size)]


def random_support(component: Component, rng: np.random.Generator) -> Support:
    """Return a random solution: up to three parent sets of each variable, with values that sum to 1."""
    values = np.zeros(component.n_sets)
    for start, stop in itertools.pairwise(component.begin.tolist()):
        chosen = rng.choice(stop - start, size=min(3, stop - start), replace=False) + start
        values[chosen] = rng.dirichlet(np.ones(len(chosen)))
    return make_support(component, np.arange(component.n_sets), values)


def random_cut(n: int, rng: np.random.Generator) -> Cut:
    """Return a cluster inequality of order 1 or 2, or a local cut with random weights."""
    members = np.sort(rng.choice(n, size=rng.integers(3, min(n, 6) + 1), replace=False))
    if rng.random() < 0.5:
        return make_cluster_cut(members, int(rng.integers(1, 3)))
    c = len(members)
    weights = rng.random((c, 1 << c)) * (np.arange(1 << c) > 0)
    weights[(np.arange(1 << c) >> np.arange(c)[:, None]) & 1 == 1] = 0.0
    limit = find_heaviest_network(weights, make_scratch(c))
    return Cut(members, 0, weights, limit)


@examples(30)
@given(st.sampled_from([4, 9, 70]), SEEDS)
def test_penalties_are_multipliers_times_coefficients(n, seed):
    """The reduced score of a set is its score less all multipliers times its coefficients; limits are maxima."""
    component, rng = make_component(n, seed), np.random.default_rng(seed)
    if component.size < 3:
        return
    pool = CutPool(component.size, 1 << 20)
    cuts = [random_cut(component.size, rng) for _ in range(4)]
    numbers = np.array([pool.add(cut) for cut in cuts])
    assert [pool.add(cut) for cut in cuts] == numbers.tolist()
    multipliers, reduced = rng.random(4), component.scores.copy()
    alive = rng.random(component.n_sets) < 0.8
    subtract_penalties(pool.arrays, numbers, multipliers, component.arrays, alive, reduced)
    for v, own in enumerate(list_sets(component)):
        for s, parents in own.items():
            lost = sum(m * coefficient(c, v, parents) for m, c in zip(multipliers, cuts, strict=True) if v in c.members)
            assert reduced[s] == pytest.approx(component.scores[s] - (lost if alive[s] else 0.0), abs=1e-9)
    for cut, number in zip(cuts, numbers.tolist(), strict=True):
        assert pool[number].limit == pytest.approx(limit_of(cut), abs=1e-9)


@examples(30)
@given(st.integers(3, 12), SEEDS)
def test_cluster_cuts_are_violated(n, seed):
    """All inequalities that are found are violated; there is one for each solution of whole sets with a cycle."""
    component, rng = make_component(n, seed), np.random.default_rng(seed)
    support = random_support(component, rng)
    sets = {s: parents for own in list_sets(component) for s, parents in own.items()}
    for cut in find_cluster_cuts(support, np.array([seed], dtype=np.uint64), 100, lambda: False):
        values = zip(support.rows.tolist(), support.child.tolist(), support.values, strict=True)
        total = sum(x * coefficient(cut, v, sets[s]) for s, v, x in values if v in cut.members)
        assert total > limit_of(cut) + 1e-6
    rows = component.begin[:-1]
    whole = make_support(component, rows, np.ones(len(rows)))
    order = {(u, v) for v, s in enumerate(rows.tolist()) for u in sets[s]}
    is_cyclic = not draw_consequences([{} | {int(s): sets[int(s)]} for s in rows], order)
    assert bool(find_cluster_cuts(whole, np.zeros(1, dtype=np.uint64), 100, lambda: False)) == is_cyclic


@examples(20)
@given(st.integers(4, 8), SEEDS)
def test_projection_sums_values(n, seed):
    """The value of a mask is the sum over all sets with these parents among the members."""
    component, rng = make_component(n, seed), np.random.default_rng(seed)
    if component.size < 4:
        return
    support = random_support(component, rng)
    members = np.sort(rng.choice(component.size, size=4, replace=False))
    expected = np.zeros((4, 16))
    sets = {s: parents for own in list_sets(component) for s, parents in own.items()}
    for s, v, x in zip(support.rows.tolist(), support.child.tolist(), support.values, strict=True):
        mask = sum(1 << i for i, u in enumerate(members.tolist()) if u in sets[s])
        if v in members and mask:
            expected[members.tolist().index(v), mask] += x
    assert project(support, members) == pytest.approx(expected, abs=1e-12)


@examples(50)
@given(st.integers(2, 10), SEEDS)
def test_precedences_have_the_consequences_of_the_definition(n, seed):
    """Random precedences drop the same sets and imply the same order as the definition, or both contradict."""
    component, rng = make_component(n, seed), np.random.default_rng(seed)
    size = component.size
    before, order, consistent = np.zeros((size, size), dtype=bool), set(), True
    for u, v in rng.integers(0, size, (3, 2)).tolist():
        if u != v:
            consistent = consistent and bool(add_precedence(before, u, v))
            order.add((u, v))
    alive = rng.random(component.n_sets) < 0.5
    sets = [{s: own[s] for s in own if alive[s]} for own in list_sets(component)]
    expected = draw_consequences(sets, order)
    assert (consistent and propagate_precedence(component.arrays, before, alive)) == expected
    if expected:
        assert set(zip(*map(np.ndarray.tolist, np.nonzero(before)), strict=True)) == order
        assert np.flatnonzero(alive).tolist() == sorted(s for own in sets for s in own)


@examples(30)
@given(st.integers(1, 12), SEEDS)
def test_components_by_definition(n, seed):
    """
    Variables are in the same component if each can be reached from the other along candidate parents.

    The sets of a component are those of the table, without other members, up to the first that is then empty.
    """
    table = random_candidates(n, 2, 2, seed) if n > 1 else random_candidates(2, 1, 1, seed)
    reaches = np.eye(table.n_variables, dtype=bool)
    for row, child in enumerate(table.child.tolist()):
        reaches[list(table.parents(row)), child] = True
    for _ in range(table.n_variables):
        reaches = reaches @ reaches
    expected = {tuple(np.flatnonzero(own).tolist()) for own in reaches & reaches.T}
    components = split_into_components(table)
    assert {tuple(component.variables.tolist()) for component in components} == expected
    assert find_largest_size(table) == max(map(len, expected))
    for component in components:
        place = {v: i for i, v in enumerate(component.variables.tolist())}
        for v, own in zip(place, list_sets(component), strict=True):
            inside = [frozenset(place[u] for u in parents if u in place) for _, parents in table.sets(v)]
            assert list(own.values()) == inside[: inside.index(frozenset()) + 1]
