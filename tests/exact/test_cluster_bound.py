"""Cluster bounds: values by definition, and never below the optimum of dynamic programming."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.budgets.budget import Budget
from bnsearch.errors import InputError
from bnsearch.exact import ClusterBound, DualAscent, find_cluster_bound
from bnsearch.exact.cluster_bound import pack_clusters
from bnsearch.knowledge import Knowledge
from bnsearch.parent_sets.legal import legal_table
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import candidate_tables, dense_tables, hub_candidates, random_candidates, table_of
from clocks import Clock
from reference_exact import best_score, cluster_value, define_value
from strategies import examples

NOTHING: frozenset[int] = frozenset()


def count_readings(number: int) -> Budget:
    """Return a budget that is spent after a number of readings of the clock."""
    return Budget(number, clock=Clock(tick=1.0))


def make_bound(table: ParentSets, clusters, orders, multipliers) -> ClusterBound:
    """Return the bound of clusters, given as sets."""
    members = [sorted(cluster) for cluster in clusters]
    first = np.cumsum([0] + [len(cluster) for cluster in members])
    flat = np.array([v for cluster in members for v in cluster], dtype=np.int32)
    bits = pack_clusters(first, flat, table.n_variables)
    return ClusterBound.evaluate(table, bits, np.array(orders, dtype=np.int64), np.array(multipliers, dtype=float))


def draw_bound(table: ParentSets, seed: int) -> ClusterBound:
    """Return a bound of random clusters, some of them equal, some with a multiplier of 0."""
    rng = np.random.default_rng(seed)
    clusters = [
        frozenset(rng.choice(table.n_variables, size=rng.integers(1, table.n_variables + 1), replace=False).tolist())
        for _ in range(rng.integers(0, 8))
    ]
    clusters += clusters[:2]
    orders = [int(rng.integers(1, min(3, len(cluster)) + 1)) for cluster in clusters]
    return make_bound(table, clusters, orders, rng.integers(0, 4, len(clusters)) / 2)


def test_three_variables_by_hand():
    """
    Each of three variables gains 1 from both others together: best scores sum to 3, the optimum is 1.

    Order 1: with the multiplier 1 of {0, 1, 2}, no set changes the value: 3 - 1 = 2. With order 2, all rows without
    both others gain 1: 3 - 2 = 1.
    """
    table = table_of([{NOTHING: 0.0, frozenset({0, 1, 2} - {v}): 1.0} for v in range(3)])
    everything = [frozenset({0, 1, 2})]
    assert make_bound(table, [], [], []).value == 3.0
    assert make_bound(table, everything, [1], [1.0]).value == 2.0
    assert make_bound(table, everything, [2], [1.0]).value == 1.0
    assert find_cluster_bound(table, Budget(60), incumbent=1.0).value == pytest.approx(1.0, abs=1e-9)


@given(candidate_tables(), st.integers(0, 2**32 - 1))
def test_values_are_those_of_the_definition(table, seed):
    """The value is the Lagrangian bound, and not below the optimum."""
    bound = draw_bound(table, seed)
    assert bound.value == pytest.approx(define_value(table, bound), abs=1e-9)
    assert bound.value >= best_score(table) - 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_values_with_many_candidate_parents(seed):
    """Sets of up to 139 candidate parents take three words for each row."""
    table = hub_candidates(140, [65, 128, 139], seed)
    bound = draw_bound(table, seed)
    assert bound.value == pytest.approx(define_value(table, bound), abs=1e-9)


@given(candidate_tables(max_variables=4, max_sets=4), st.integers(0, 2**32 - 1))
def test_reduced_costs_by_definition(table, seed):
    """The reduced cost of a row is the loss of the bound if the other rows of its variable are removed."""
    bound = draw_bound(table, seed)
    costs = bound.compute_reduced_costs(table)
    clusters = [frozenset(members) for members in bound.list_members()]
    sets = [list(table.sets(v)) for v in range(table.n_variables)]
    for row, v in enumerate(table.child.tolist()):
        rest = [{frozenset(parents): score for score, parents in own} for own in sets]
        score, parents = sets[v][row - int(table.begin[v])]
        rest[v] = {frozenset(parents): score, NOTHING: score - 100.0} if parents else {NOTHING: score}
        forced = cluster_value(table_of(rest), clusters, bound.orders.tolist(), bound.multipliers.tolist())
        assert costs[row] == pytest.approx(bound.value - forced, abs=1e-9)


@examples(60)
@given(st.one_of(candidate_tables(max_variables=8), dense_tables()), st.integers(1, 400))
def test_bounds_found_are_valid(table, readings):
    """Whenever the search stops, the bound has the value of the definition, and is not below the optimum."""
    bound = find_cluster_bound(table, count_readings(readings))
    assert np.all(bound.multipliers > 0.0)
    assert bound.value == pytest.approx(define_value(table, bound), abs=1e-9)
    assert bound.value >= best_score(table) - 1e-9


@examples(30)
@given(st.integers(2, 12), st.integers(2, 30), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_rows_of_better_networks_stay_open(n, sets, max_parents, seed):
    """With an incumbent below the optimum, the open rows still contain the optimal network."""
    table = random_candidates(n, sets, max_parents, seed)
    optimum = best_score(table)
    bound = find_cluster_bound(table, count_readings(300), incumbent=optimum)
    assert bound.value >= optimum - 1e-9
    for incumbent in (optimum - 1.0, optimum):
        is_open = bound.mark_open_rows(table, incumbent)
        is_open[table.begin[1:] - 1] = True  # a table contains the empty sets
        assert best_score(table.take(np.flatnonzero(is_open))) == pytest.approx(optimum, abs=1e-9)


@examples(30)
@given(st.integers(3, 9), st.integers(0, 2**32 - 1))
def test_bounds_with_knowledge(n, seed):
    """The table of legal sets expresses forbidden edges and limits on parents."""
    free = random_candidates(n, 20, 4, seed)
    rng = np.random.default_rng(seed)
    pairs = [tuple(map(str, rng.choice(free.names, size=2, replace=False))) for _ in range(n)]
    known = Knowledge(forbidden=pairs, max_parents=2).constraints(free.names)
    table = legal_table(free.names, free.child, free.scores, free.first, free.members, known)
    bound = find_cluster_bound(table, count_readings(300))
    assert best_score(table) - 1e-9 <= bound.value <= find_relaxed(table) + 1e-9


def find_relaxed(table: ParentSets) -> float:
    """Return the sum of the best local scores."""
    return float(table.scores[table.begin[:-1]].sum())


def test_most_small_problems_are_solved():
    """On random tables of eight variables the bound agrees with the optimum more often than not."""
    solved = 0
    for seed in range(10):
        table = random_candidates(8, 12, 3, seed)
        optimum = best_score(table)
        solved += find_cluster_bound(table, Budget(60), incumbent=optimum).value < optimum + 1e-6 * abs(optimum)
    assert solved > 5


def test_a_search_resumes():
    """Slices of time improve the bound; a start from a bound does not make it worse."""
    table = random_candidates(12, 40, 4, seed=3)
    ascent = DualAscent(table)
    values = [ascent.improve(count_readings(60)).value for _ in range(8)]
    assert values == sorted(values, reverse=True)
    assert values[-1] < values[0] <= find_relaxed(table)
    again = find_cluster_bound(table, count_readings(60), start=ascent.bound)
    assert again.value <= ascent.bound.value


def test_the_search_converges():
    """Without an incumbent the search ends when it does not improve any more."""
    ascent = DualAscent(random_candidates(6, 10, 3, seed=1))
    ascent.improve(Budget(60))
    assert ascent.converged


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_multipliers_that_are_not_finite_are_replaced(value):
    """The bound keeps its value, the next round continues from its multipliers, and the search improves as before."""
    table = random_candidates(12, 60, 4, seed=3)
    ascent = DualAscent(table)
    before = ascent.improve(Budget(), max_rounds=5).value
    ascent._pool.multipliers[0], ascent._costs = value, None
    assert ascent.improve(Budget(), max_rounds=1).value == before
    assert np.isfinite(ascent._pool.multipliers).all()
    after = ascent.improve(Budget(), max_rounds=100)
    assert best_score(table) - 1e-9 <= after.value < before
    assert np.isfinite(after.multipliers).all()


@pytest.mark.parametrize("change", [5.0, math.nan])
def test_steps_that_increase_the_bound_are_taken_back(monkeypatch, change):
    """The multipliers before the round are kept, and the limit on changes is halved unless a value is not finite."""
    ascent = DualAscent(random_candidates(12, 60, 4, seed=3))
    value = ascent.improve(Budget(), max_rounds=5).value
    before, temperature, limit = ascent._pool.copy_multipliers(), ascent.temperature, ascent._max_change
    original = DualAscent._ascend

    def overshoot(self, *arguments):
        found = original(self, *arguments)
        self._pool.multipliers += change
        return found

    monkeypatch.setattr(DualAscent, "_ascend", overshoot)
    assert ascent.improve(Budget(), max_rounds=1).value == value
    for kept, own in zip(ascent._pool.copy_multipliers(), before, strict=True):
        np.testing.assert_array_equal(kept, own)
    assert ascent.temperature == temperature
    assert ascent._max_change == (limit / 2 if math.isfinite(change) else limit)
    monkeypatch.undo()
    assert ascent.improve(Budget(), max_rounds=100).value < value


def test_the_smoothed_bound_agrees_with_its_definition():
    """The maximum of a variable's reduced scores is replaced by a soft maximum with the temperature."""
    for seed in range(5):
        table = random_candidates(12, 60, 4, seed)
        ascent = DualAscent(table)
        for _ in range(4):
            ascent.improve(Budget(), max_rounds=10)
            pool, temperature = ascent._pool, ascent.temperature
            costs, best = pool.find_best_scores(table)
            total = pool.sum_bound(np.zeros(12))
            for v in range(12):
                scores = best[v] - costs[table.begin[v] : table.begin[v + 1]]
                total += temperature * np.logaddexp.reduce(scores / temperature)
            assert ascent._compute_smoothed_bound() == pytest.approx(total, rel=1e-9)


def test_a_stop_request_ends_the_search():
    """After a stop request the bound so far is returned: here that of the best local scores."""
    table = random_candidates(12, 40, 4, seed=3)
    budget = Budget()
    budget.request_stop()
    assert find_cluster_bound(table, budget).value == pytest.approx(find_relaxed(table), abs=1e-9)


def test_no_clusters_without_memory():
    """The search adds no clusters beyond the memory."""
    ascent = DualAscent(random_candidates(12, 40, 4, seed=3), memory=0)
    ascent.improve(count_readings(100))
    assert len(ascent.bound.orders) == 0


@pytest.mark.parametrize("sets", [[{NOTHING: -1.0}], [{NOTHING: -1.0}, {NOTHING: -2.0}]])
def test_nothing_to_search(sets):
    """Without parents the best local scores are the optimum."""
    ascent = DualAscent(table_of(sets))
    assert ascent.converged
    assert ascent.improve(Budget()).value == best_score(table_of(sets))


@pytest.mark.parametrize(
    ("clusters", "order", "multiplier", "message"),
    [
        ([[3]], 3, 1.0, "order of a cluster must be at least 1 and at most"),
        ([[3]], 0, 1.0, "order of a cluster"),
        ([[3]], 1, -1.0, "multipliers of clusters must be finite numbers of at least 0"),
        ([[3]], 1, np.nan, "multipliers"),
        ([[8]], 1, 1.0, "a cluster has the member 3, but the variables are 0 to 2"),
        ([[3, 0]], 1, 1.0, "each cluster of 3 variables needs 1 words"),
    ],
)
def test_invalid_clusters_are_refused(clusters, order, multiplier, message):
    """The error says what is wrong."""
    table = table_of([{NOTHING: 0.0}] * 3)
    arrays = np.array(clusters, dtype=np.uint64), np.array([order]), np.array([multiplier])
    with pytest.raises(InputError, match=message):
        ClusterBound.evaluate(table, *arrays)
