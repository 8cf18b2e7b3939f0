"""Climbs with estimated gains: every step improves, and they end where no move does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.counting.columns import usual_layout
from bnsearch.dags.climber import Climber
from bnsearch.dags.pricer import Pricer, Rules
from bnsearch.data import Dataset
from bnsearch.scores import SCORES, Scorer, make_score
from reference import family_score
from reference_dags import is_acyclic, neighbours
from strategies import examples, tables

PARAMETERS = {"bdeu": {"ess": 1.0}}


def lazy_climber(data: Dataset, score: str, rules: Rules) -> Climber:
    """Return a climber that knows what single parents add."""
    made = make_score(score, **PARAMETERS.get(score, {}))
    scorer, order = Scorer(data, made), usual_layout(data).order.tolist()
    first = np.full(rules.allowed.shape, -np.inf)
    for i, child in enumerate(order):
        for j, parent in enumerate(order):
            if parent != child and rules.allowed[child, parent]:
                first[i, j] = scorer.family(child, [parent]) - scorer.family(child, [])
    return Climber(Pricer(data, made, rules, first), memory=1 << 20)


@given(
    tables(min_variables=1, max_variables=6, max_rows=65),
    st.sampled_from(sorted(SCORES)),
    st.sampled_from([0, 1, 2, 6]),
    st.integers(0, 2**32 - 1),
)
@examples(80)
def test_a_lazy_climb_ends_where_no_move_improves(table, score, max_parents, seed):
    """For every score, with few parents, forbidden and required edges, from any graph."""
    n = len(table.columns)
    rng = np.random.default_rng(seed)
    allowed = rng.random((n, n)) < rng.choice([0.5, 1.0])
    required = np.zeros((n, n), dtype=bool)
    if n > 1 and seed % 2:
        required[1, 0] = allowed[1, 0] = True
    limits = np.maximum(max_parents, required.sum(axis=1))
    rules = Rules(allowed=allowed, limits=limits, required=required)
    climber = lazy_climber(table.dataset, score, rules)
    climber.start([np.flatnonzero(row).tolist() for row in required])
    path = [climber.score]
    for _ in climber.climb_lazily(max_steps=1):
        if climber.score > path[-1]:
            path.append(climber.score)
        assert is_acyclic(tuple(map(frozenset, climber.current_parents)))

    def value(graph):
        known = score, table.codes, table.arities
        return sum(family_score(*known, v, sorted(s), **PARAMETERS.get(score, {})) for v, s in enumerate(graph))

    def is_legal(graph):
        return all(
            len(s) <= limits[y]
            and all(allowed[y, x] for x in s)
            and all(x in s for x in np.flatnonzero(required[y]).tolist())
            for y, s in enumerate(graph)
        )

    end = tuple(map(frozenset, climber.current_parents))
    assert is_legal(end)
    assert climber.best is not None
    assert climber.best.parents == climber.current_parents
    assert climber.score == pytest.approx(value(end), rel=1e-9, abs=1e-9)
    margin = 1e-7 * max(1.0, abs(climber.score))
    assert all(value(after) <= climber.score + margin for _, after in neighbours(end) if is_legal(after))


def test_few_gains_are_computed():
    """Sixty columns, each a noisy copy of the one before: few gains until only certainty is lacking."""
    rng = np.random.default_rng(4)
    n, columns = 60, [rng.integers(2, size=2000)]
    while len(columns) < n:
        columns.append(np.where(rng.random(2000) < 0.2, rng.integers(2, size=2000), columns[-1]))
    data = Dataset.from_codes(np.column_stack(columns))
    rules = Rules(allowed=np.ones((n, n), dtype=bool), limits=np.full(n, n))
    lazy = lazy_climber(data, "bic", rules)
    lazy.start([()] * n)
    computed = {}
    for _ in lazy.climb_lazily():
        computed.setdefault(lazy.score, lazy.computed)
    usual = Climber(Pricer(data, make_score("bic"), rules))
    usual.start([()] * n)
    for _ in usual.climb():
        pass
    assert lazy.score == pytest.approx(usual.score, rel=1e-3)
    assert computed[lazy.score] < 0.5 * usual.computed
