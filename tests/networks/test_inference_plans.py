"""Elimination orders and contraction plans against their definitions."""

from __future__ import annotations

from itertools import combinations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from bnsearch.networks.inference.contraction import Factor, contract, differentiate
from bnsearch.networks.inference.orders import iterate_elimination_order
from bnsearch.networks.inference.plans import make_plan
from strategies import examples

SIZES = (2, 3, 1, 4, 2, 3)
MORE_SIZES = (2, 3, 2, 4, 2, 3, 5, 2, 3, 2)
PAIRS = st.lists(
    st.lists(st.integers(0, 9), unique=True, min_size=2, max_size=2).map(tuple), min_size=8, max_size=24
).map(tuple)
SCOPES = st.lists(st.lists(st.integers(0, 5), unique=True, max_size=4).map(tuple), min_size=1, max_size=7).map(tuple)
KEPT = st.sets(st.integers(0, 5), max_size=2)


def find_costs(scopes: list[set[int]], kept: set[int], sizes: tuple[int, ...]) -> dict[int, float]:
    """Return the weighted fill-in of each variable that can be eliminated, by definition."""
    costs = {}
    for x in set().union(*scopes) - kept:
        near = set().union(*(scope for scope in scopes if x in scope)) - {x}
        pairs = [p for p in combinations(sorted(near), 2) if not any({*p} <= scope for scope in scopes)]
        costs[x] = sum(sizes[a] * sizes[b] for a, b in pairs)
    return costs


@given(st.tuples(SCOPES, KEPT, st.just(SIZES)) | st.tuples(PAIRS, KEPT, st.just(MORE_SIZES)))
def test_each_variable_has_the_smallest_fill_in_when_it_is_eliminated(case) -> None:
    """Every variable that is not kept is eliminated once, and none of the others would connect fewer neighbours."""
    scopes, kept, sizes = case
    order = list(iterate_elimination_order(scopes, sizes, kept))
    assert sorted(order) == sorted({x for scope in scopes for x in scope} - kept)
    left = [set(scope) for scope in scopes]
    for x in order:
        costs = find_costs(left, kept, sizes)
        assert costs[x] == min(costs.values())
        joined = set().union(*(scope for scope in left if x in scope)) - {x}
        left = [scope for scope in left if x not in scope] + [joined]


def test_variables_of_impossible_tables_are_listed_once() -> None:
    """A complete graph of 60 binary variables has no possible order."""
    assert sorted(iterate_elimination_order([range(60)], [2] * 60)) == list(range(60))
    plan = make_plan((tuple(range(60)), tuple(range(60))), (2,) * 60, ())
    assert plan.product_cells == 2**60


@given(SCOPES, KEPT, st.integers(0, 100))
def test_planning_ends_beyond_the_limit(scopes, kept, max_cells) -> None:
    """The plan is complete if and only if it keeps the limit; otherwise it has the first steps, which exceed it."""
    kept = tuple(sorted(kept & {x for scope in scopes for x in scope}))
    whole, plan = make_plan(scopes, SIZES, kept), make_plan(scopes, SIZES, kept, max_cells)
    assert whole.is_complete
    if plan.is_complete:
        assert plan == whole
    else:
        assert plan.steps == whole.steps[: len(plan.steps)]
        assert max_cells < plan.peak_cells <= whole.peak_cells
        assert plan.total_cells <= whole.total_cells


@examples(60)
@given(SCOPES, KEPT, st.integers(0, 1000))
def test_plans_by_definition(scopes, kept, seed) -> None:
    """The result is the sum of the product over all other variables; the plan knows the number of cells."""
    kept = kept & {x for scope in scopes for x in scope}
    rng = np.random.default_rng(seed)
    factors = [Factor(scope, rng.random([SIZES[x] for x in scope])) for scope in scopes]
    plan = make_plan(scopes, SIZES, tuple(sorted(kept)))
    product = np.ones(SIZES)
    for factor in factors:
        table = factor.table.transpose(np.argsort(factor.scope))
        product = product * table[tuple(slice(None) if x in factor.scope else np.newaxis for x in range(6))]
    absent = [x for x in range(6) if not any(x in scope for scope in scopes)]
    expected = product.sum(axis=tuple(x for x in range(6) if x not in kept)) / prod(SIZES[x] for x in absent)
    found = contract(plan, factors)
    assert plan.scope == tuple(sorted(kept)) or not plan.steps
    order = [found.factor.scope.index(x) for x in sorted(kept)]
    assert_allclose(found.factor.table.transpose(order) * np.exp(found.log_scale), expected, rtol=1e-9)
    sizes = [prod(SIZES[x] for x in step.scope) for step in plan.steps]
    assert plan.total_cells == sum(sizes)
    assert max(sizes, default=0) <= plan.peak_cells <= plan.total_cells
    if not kept:
        derivatives, log_value = differentiate(plan, factors)
        assert log_value == pytest.approx(np.log(expected))
        for factor, derivative in zip(factors, derivatives, strict=True):
            cells = factor.table * derivative.table
            axes = tuple(x for x in range(6) if x not in factor.scope)
            joint = product.sum(axis=axes).transpose(np.argsort(np.argsort(factor.scope)))
            assert_allclose(cells / cells.sum(), joint / joint.sum(), rtol=1e-9)
