"""Gains of single parents, compared with one local score at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.dags.pair_gains import BYTES_PER_PAIR, compute_pair_gains
from bnsearch.networks import random_network
from bnsearch.runs.problem import Problem
from bnsearch.scores import SCORES, make_score
from bnsearch.scores.score import tie_margins
from knowledge_cases import random_knowledge
from strategies import Table, examples, tables


def list_gains(problem: Problem, order: list[int]) -> dict[tuple[int, int], float]:
    """Return the gain of every allowed single parent, by places of the child and the parent."""
    known = problem.constraints
    return {
        (child, parent): problem.scorer.family(x, [y]) - problem.scorer.family(x, [])
        for child, x in enumerate(order)
        for parent, y in enumerate(order)
        if x != y and (known is None or known.allowed[x, y])
    }


@given(tables(min_variables=1, max_variables=7, max_rows=100), st.sampled_from(sorted(SCORES)), st.integers(0, 1000))
@examples(40)
def test_all_improving_parents_are_listed(table: Table, score, seed):
    """The listed gains are those above the margin, best first, for every score and with knowledge."""
    data = table.dataset
    known = random_knowledge(data.names, seed) if data.n_variables > 1 and seed % 2 else None
    problem = Problem(data=data, score=make_score(score), knowledge=known)
    order = np.argsort(data.arities, kind="stable").tolist()
    pairs = compute_pair_gains(problem)
    assert pairs.complete
    assert pairs.max_per_child is None
    expected = list_gains(problem, order)
    margins = tie_margins(pairs.empty_scores)
    for child in range(data.n_variables):
        assert pairs.empty_scores[child] == pytest.approx(problem.scorer.family(order[child], []), rel=1e-9)
        own = slice(pairs.begin[child], pairs.begin[child + 1])
        assert (np.diff(pairs.gain[own]) <= 0).all()
        listed = dict(zip(pairs.parent[own].tolist(), pairs.gain[own].tolist(), strict=True))
        for parent in range(data.n_variables):
            gain = expected.get((child, parent), -1.0)
            if abs(gain - margins[child]) > 1e-6:
                assert (parent in listed) == (gain > margins[child])
            if parent in listed:
                assert listed[parent] == pytest.approx(gain, rel=1e-7, abs=1e-6)


@pytest.mark.parametrize("threads", [1, 2])
def test_limited_memory_keeps_the_best_parents(threads):
    """With room for six pairs of each variable, those with more parents keep the best three."""
    problem = Problem(data=random_network(50, 4.0, 2, 1).sample(3000, seed=1), score=make_score("aic"))
    everything = compute_pair_gains(problem)
    limited = compute_pair_gains(problem, threads=threads, memory=BYTES_PER_PAIR * 6 * problem.size)
    assert limited.max_per_child == 3
    for child in range(problem.size):
        own, kept = (slice(p.begin[child], p.begin[child + 1]) for p in (everything, limited))
        assert limited.parent[kept].tolist() == everything.parent[own].tolist()[:3]
        assert limited.gain[kept].tolist() == everything.gain[own].tolist()[:3]


def test_counting_that_is_halted():
    """Without time, no pairs are listed."""
    problem = Problem(data=random_network(30, 2.0, 2, 1).sample(50, seed=1), score=make_score("bic"))
    pairs = compute_pair_gains(problem, lambda: False)
    assert not pairs.complete
    assert len(pairs.parent) == 0
