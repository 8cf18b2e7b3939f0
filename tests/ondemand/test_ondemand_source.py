"""The source of extension rows: gains of pairs, knowledge and limits by place."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.networks import random_network
from bnsearch.ondemand.island import make_islands
from bnsearch.ondemand.kernels_rows import ALLOWED, RELATED
from bnsearch.ondemand.source import Source, count_words, pack_bits
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations
from knowledge_cases import random_knowledge
from reference_ondemand import SCORES, Definition, list_related, problem_of
from strategies import Table, examples, tables

every_score = pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)


@every_score
@examples(20)
@given(table=tables(min_variables=2, max_variables=7, max_rows=200), seed=st.integers(0, 1000), informed=st.booleans())
def test_pairs_knowledge_and_limits(score, table: Table, seed, informed):
    """
    Two variables are related if one improves the other's score.

    Limits are no smaller than the number of required parents, and otherwise no larger than those of the knowledge.
    """
    data = table.dataset
    problem = problem_of(data, score, random_knowledge(data.names, seed) if informed else None)
    source = Source(problem)
    definition = Definition(problem, source)
    assert source.complete
    assert source.order[source.place].tolist() == list(range(problem.size))
    assert (np.diff(data.arities[source.order]) >= 0).all()
    assert (list_related(source) == definition.related).all()
    assert [parents.tolist() for parents in source.required] == [
        np.flatnonzero(row).tolist() for row in definition.required
    ]
    assert (source.required_bits == pack_bits(definition.required)).all()
    needed = definition.required.sum(axis=1)
    given_limits = np.full(problem.size, problem.size - 1)
    if problem.constraints is not None:
        given_limits = problem.constraints.max_parents[source.order]
    assert (needed <= source.limits).all()
    assert (source.limits <= np.maximum(given_limits, needed)).all()
    for variable, parents in enumerate(problem.base.parents):
        if parents:
            expected_score = problem.scorer.family(variable, parents)
            assert source.required_scores[variable] == pytest.approx(expected_score, rel=1e-11)


def test_limits_that_follow_from_the_score():
    """Under BIC no variable of 100 rows pays for as many parents as there are variables; a wider family never wins."""
    data = random_network(40, 2.0, 2, 5).sample(100, seed=5)
    source = Source(problem_of(data, SCORES[0]))
    assert source.limits.max() <= math.log2(2 * 100 / math.log(100)) + 1


def test_threads_change_nothing():
    """Pairs counted in two threads give the same arrays."""
    problem = problem_of(random_network(70, 2.0, 3, 2).sample(300, seed=2), SCORES[3])
    one, two = Source(problem, threads=1), Source(problem, threads=2)
    assert (list_related(one) == list_related(two)).all()
    assert one.pairs.parent.tolist() == two.pairs.parent.tolist()
    assert one.pairs.gain.tolist() == two.pairs.gain.tolist()


def test_blocks_change_nothing(monkeypatch):
    """Flags that are packed in blocks of a few variables give the same arrays."""
    problem = problem_of(random_network(70, 2.0, 3, 2).sample(300, seed=2), SCORES[3])
    whole = Source(problem)
    monkeypatch.setattr("bnsearch.ondemand.source.BLOCK_BYTES", 500)
    blocks = Source(problem)
    assert whole.relatives_begin.tolist() == blocks.relatives_begin.tolist()
    assert whole.relatives.tolist() == blocks.relatives.tolist()
    for field in (RELATED, ALLOWED):
        assert (whole.arrays()[field] == blocks.arrays()[field]).all()


def test_a_source_that_is_halted():
    """Without time to count the pairs it is not complete, and there are no islands."""
    problem = problem_of(random_network(30, 2.0, 2, 1).sample(50, seed=1), SCORES[0])
    source = Source(problem, lambda: False)
    assert not source.complete
    assert make_islands(source, problem, Run(Iterations(9), seed=1), 2, 1 << 20)[1] == []


@pytest.mark.parametrize("width", [1, 63, 64, 65, 128, 130])
def test_packed_bits(width):
    """Bit z of a row is bit z % 64 of its word z // 64."""
    flags = np.random.default_rng(width).random((3, width)) < 0.5
    words = pack_bits(flags)
    assert words.shape == (3, count_words(width))
    bits = [[(int(row[z // 64]) >> (z % 64)) & 1 for z in range(width)] for row in words]
    assert bits == flags.astype(int).tolist()
