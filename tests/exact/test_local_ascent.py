"""Local cuts in the dual ascent: penalties and steps by definition, bounds that are valid and have certificates."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.budgets.budget import Budget
from bnsearch.exact import DualAscent, checker, dual_ascent, make_certificate
from bnsearch.exact.cuts import Cut
from bnsearch.exact.local_cuts import make_scratch
from bnsearch.exact.local_pool import LocalPool
from bnsearch.exact.row_masks import RowMasks
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import hub_candidates, random_candidates
from reference_exact import best_score, define_value, find_coefficient
from strategies import examples

SEEDS = st.integers(0, 2**32 - 1)


def draw_cut(n: int, rng: np.random.Generator) -> Cut:
    """Return a local cut with random coefficients of 0, 1 / 2 or 1; its limit is that of dynamic programming."""
    from bnsearch.exact.kernels_local_cuts import find_heaviest_network

    size = int(rng.integers(2, min(n, 6) + 1))
    members = np.sort(rng.choice(n, size, replace=False))
    weights = rng.integers(0, 3, (size, 1 << size)) / 2
    for v in range(size):
        weights[v, [mask for mask in range(1 << size) if mask >> v & 1 or mask == 0]] = 0.0
    return Cut(members, 0, weights, find_heaviest_network(weights, make_scratch(size)))


def draw_pool(table: ParentSets, seed: int) -> tuple[LocalPool, np.random.Generator]:
    """Return a pool of random cuts with random multipliers, some of them 0."""
    rng = np.random.default_rng(seed)
    cuts = [draw_cut(table.n_variables, rng) for _ in range(rng.integers(1, 6))]
    pool = LocalPool(RowMasks.of_table(table))
    pool.append(cuts, rng.integers(0, 4, len(cuts)) / 2)
    return pool, rng


def define_coefficients(table: ParentSets, cut: Cut) -> np.ndarray:
    """Return the coefficient of each row of a table in a cut."""
    return np.array(
        [find_coefficient(cut, v, parents) for v in range(table.n_variables) for _, parents in table.sets(v)]
    )


@examples(60)
@given(st.integers(2, 12), st.integers(1, 40), SEEDS)
def test_penalties_are_those_of_the_definition(n, sets, seed):
    """The penalty of a row is the sum of the multipliers times its coefficients, also after cuts were removed."""
    table = random_candidates(n, sets, 4, seed)
    pool, rng = draw_pool(table, seed)
    for _ in range(2):
        costs = np.zeros(table.n_sets)
        assert pool.add_penalties(costs)
        expected = sum(m * define_coefficients(table, cut) for cut, m in zip(pool.cuts, pool.multipliers, strict=True))
        assert costs == pytest.approx(expected, abs=1e-12)
        assert pool.sum_penalties() == pytest.approx(
            sum(m * cut.limit for cut, m in zip(pool.cuts, pool.multipliers, strict=True))
        )
        pool.keep(rng.random(len(pool)) < 0.5)


@examples(60)
@given(st.integers(2, 12), st.integers(1, 40), SEEDS)
def test_a_step_meets_the_limit(n, sets, seed):
    """
    After a step, the expected sum of the coefficients is the limit, unless the multiplier is at one of its limits.

    The weights agree with the multiplier: they are the old ones times exp(-change * coefficient / temperature).
    """
    table = random_candidates(n, sets, 4, seed)
    pool, rng = draw_pool(table, seed)
    pool.keep(np.arange(len(pool)) == 0)
    cut, before, temperature = pool.cuts[0], float(pool.multipliers[0]), 0.5
    weights = rng.random(table.n_sets) + 1e-6
    expected = weights.copy()
    limits = np.zeros(1), np.array([before + 5.0])
    pool.ascend(pool.masks.rows, np.zeros(1, dtype=np.int64), temperature, weights, limits, lambda: False)
    after, coefficients = float(pool.multipliers[0]), define_coefficients(table, cut)
    expected *= np.exp(-(after - before) * coefficients / temperature)
    child = table.child
    shares = [array / np.bincount(child, array)[child] for array in (weights, expected)]
    assert shares[0] == pytest.approx(shares[1], rel=1e-6)
    excess = float(np.dot(shares[0], coefficients)) - cut.limit
    assert after >= 0.0
    if after == 0.0:
        assert excess <= 1e-5
    elif after >= limits[1][0]:
        assert excess >= -1e-5
    else:
        assert abs(excess) <= 1e-5


@examples(20)
@given(st.integers(4, 9), st.integers(5, 60), SEEDS, st.integers(1, 12))
def test_bounds_with_local_cuts(n, sets, seed, rounds):
    """The bound is that of the definition, not below the optimum, and the checker accepts its certificate."""
    pytest.importorskip("highspy")
    table = random_candidates(n, sets, 4, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dual_ascent, "MAX_LOCAL_TEMPERATURE", 1.0)
        bound = DualAscent(table).improve(Budget(), max_rounds=rounds)
    assert bound.value == pytest.approx(define_value(table, bound), abs=1e-9)
    assert bound.value >= best_score(table) - 1e-9
    names = table.names
    rows = {name: [(s, [names[u] for u in own]) for s, own in table.sets(v)] for v, name in enumerate(names)}
    assert checker.check_certificate(rows, make_certificate(table, bound).content) == bound.value


def test_local_cuts_improve_the_bound(monkeypatch):
    """On a table whose bound by clusters is above the optimum, local cuts lower it, and are used."""
    pytest.importorskip("highspy")
    table = hub_candidates(9, [8] * 9, seed=1)
    optimum = best_score(table)
    with_cuts = DualAscent(table).improve(Budget(), max_rounds=150)
    monkeypatch.setattr(dual_ascent, "MAX_LOCAL_TEMPERATURE", 0.0)
    without = DualAscent(table).improve(Budget(), max_rounds=150)
    assert without.value > optimum + 1e-6
    assert with_cuts.local_cuts
    assert with_cuts.value < without.value
