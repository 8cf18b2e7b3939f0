"""Parents grown along an ordering: step by step, to a local optimum, within what is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.ondemand.kernels_row_cache import HEAD, LIMIT
from bnsearch.ondemand.row_caches import RowCaches
from bnsearch.ondemand.source import Source
from bnsearch.scores.score import improves
from knowledge_cases import random_knowledge
from reference_ondemand import SCORES, Definition, Dependent, ask_growth, dependent_tables, problem_of
from strategies import Table, examples, tables

every_score = pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)


def grown(source: Source, child: int, parents: list[int], before: list[int], cut: int = 2**62) -> tuple[tuple, float]:
    """Return the parents grown from given ones among the places before the child, and their score."""
    n = source.size
    rows = RowCaches(1, 1 << 18, n).rows_of(0)
    rows[HEAD][LIMIT] = cut
    order = [*before, child, *(v for v in range(n) if v not in before and v != child)]
    position = np.empty(n, dtype=np.int32)
    position[order] = np.arange(n)
    members, spare = np.zeros((2, n + 1), dtype=np.int32)
    members[: len(parents)] = sorted(parents)
    required, most = source.required_bits[child], int(source.limits[child])
    examined = np.zeros(1, dtype=np.int64)
    size, score = ask_growth(
        source.arrays(), rows, child, members, len(parents), len(before), position, required, most, spare, examined
    )
    return tuple(members[:size].tolist()), float(score)


def random_start(definition: Definition, source: Source, seed: int) -> tuple[int, list[int], list[int]]:
    """Return a child, its required and some more legal parents, and places before it that hold them."""
    rng = np.random.default_rng(seed)
    child = int(rng.integers(source.size))
    must = np.flatnonzero(definition.required[child]).tolist()
    others = [v for v in rng.permutation(source.size).tolist() if v != child and v not in must]
    before = [*must, *others[: rng.integers(0, len(others) + 1)]]
    more = [v for v in before if definition.allowed[child, v] and v not in must]
    room = int(source.limits[child]) - len(must)
    return child, [*must, *more[: rng.integers(0, min(2, len(more), room) + 1)]], before


@every_score
@examples(25)
@given(table=tables(min_variables=2, max_variables=7, max_rows=200), seed=st.integers(0, 10**6), informed=st.booleans())
def test_growth_ends_in_a_local_optimum(score, table: Table, seed, informed):
    """
    No legal addition, deletion or exchange improves the grown parents.

    Required parents stay, all others are allowed, and the limit on their number holds.
    """
    data = table.dataset
    problem = problem_of(data, score, random_knowledge(data.names, seed) if informed else None)
    source = Source(problem)
    definition = Definition(problem, source)
    child, parents, before = random_start(definition, source, seed)
    members, value = grown(source, child, parents, before)
    most = int(source.limits[child])
    assert members == tuple(sorted(set(members)))
    assert set(members) <= set(before)
    assert all(definition.allowed[child, p] or definition.required[child, p] for p in members)
    assert set(np.flatnonzero(definition.required[child]).tolist()) <= set(members)
    assert len(members) <= most
    assert value == pytest.approx(definition.score(child, members), rel=1e-11, abs=1e-9)
    assert value >= definition.score(child, parents) - 1e-9 * max(1.0, abs(value))
    for other in definition.neighbours(child, members, before, most):
        assert not improves(definition.score(child, other), value + 1e-9 * max(1.0, abs(value)))


@every_score
@examples(25)
@given(table=dependent_tables(), seed=st.integers(0, 10**6), informed=st.booleans())
def test_growth_step_by_step(score, table: Dependent, seed, informed):
    """Every step makes the best change: the result is that of the definition."""
    data = table.dataset
    problem = problem_of(data, score, random_knowledge(data.names, seed) if informed else None)
    source = Source(problem)
    definition = Definition(problem, source)
    child, parents, before = random_start(definition, source, seed)
    members, value = grown(source, child, parents, before)
    expected, score_of_it = definition.grown(child, parents, before, int(source.limits[child]))
    assert members == expected
    assert value == pytest.approx(score_of_it, rel=1e-11, abs=1e-9)


def test_growth_that_is_cut_short():
    """Without any local score left to compute, the parents stay as they are, with their score."""
    problem = problem_of(Dependent(200, (2, 3, 2, 4), 0.3, 1).dataset, SCORES[0])
    source = Source(problem)
    definition = Definition(problem, source)
    members, value = grown(source, 3, [0], [0, 1, 2], cut=0)
    assert members == (0,)
    assert value == pytest.approx(definition.score(3, [0]), abs=1e-9)
