"""Scores that are Python functions: the same numbers as the kernels, and errors before and during a run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.learning.learn import learn
from bnsearch.networks import load_network
from bnsearch.scores import BIC, LocalScore, Scorer, make_scorer
from bnsearch.scores.local import as_score, count_arguments
from bnsearch.selection.local_sets import LocalSets
from bnsearch.selection.sequential import Sequential
from strategies import tables

ASIA = load_network("asia").sample(200, seed=3)


def bic(child, parents, counts):
    """Return the BIC of a family."""
    cells = counts.reshape(-1, counts.shape[-1]).astype(float)
    totals = np.broadcast_to(cells.sum(axis=1, keepdims=True), cells.shape)
    seen = cells > 0
    fit = float(np.sum(cells[seen] * np.log(cells[seen] / totals[seen])))
    return fit - math.log(counts.sum()) / 2 * cells.shape[0] * (cells.shape[1] - 1)


@given(tables(max_variables=4, max_rows=40), st.data())
def test_a_function_gets_the_counts_of_its_family(table, data):
    """The function's BIC is that of the kernels, for any family."""
    child = data.draw(st.integers(0, table.dataset.n_variables - 1))
    others = [v for v in range(table.dataset.n_variables) if v != child]
    parents = data.draw(st.lists(st.sampled_from(others), unique=True)) if others else []
    local, kernels = make_scorer(table.dataset, as_score(bic)), make_scorer(table.dataset, BIC())
    assert local.family(child, parents) == pytest.approx(kernels.family(child, parents), rel=1e-9, abs=1e-9)
    assert isinstance(kernels, Scorer)


def test_a_function_of_names():
    """A function of two arguments gets the names of the child and of its parents, in the order of the columns."""
    seen = []

    def length(child, parents):
        seen.append((child, parents))
        return -len(parents)

    scorer = make_scorer(ASIA, as_score(length))
    assert scorer.families([0, 0], [[3, 1], [1, 3]]).tolist() == [-2, -2]
    assert seen == [(ASIA.names[0], (ASIA.names[1], ASIA.names[3]))]
    assert (scorer.asked, scorer.computed) == (2, 1)
    assert scorer.network(load_network("asia").dag) == -8
    assert scorer.fork().computed == 0


def test_objects_with_a_local_score():
    """An object with a method `local`, and a subclass of LocalScore, are scores as well."""

    class Weighted:
        name = "weighted"

        def __init__(self, weight):
            self.weight = weight

        def local(self, child, parents):
            return -self.weight * len(parents)

    class Flat(LocalScore):
        name = "flat"

        def local(self, child, parents):
            return 1.0

    assert make_scorer(ASIA, as_score(Weighted(3))).family(0, [1, 2]) == -6
    assert as_score(Weighted(3)).name == "weighted"
    flat = Flat()
    assert as_score(flat) is flat
    assert make_scorer(ASIA, flat).family(0, [1, 2]) == 1


@pytest.mark.parametrize(
    ("score", "message"),
    [
        (BIC, "score must be a name, a function or a score"),
        (5, "score must be a name, a function or a score"),
        (lambda child: 0.0, r"a score must be a function local\(child, parents, counts\) or local\(child, parents\)"),
    ],
    ids=["class", "number", "one argument"],
)
def test_other_objects_are_refused(score, message):
    """The error comes before the run and names what a score may be."""
    with pytest.raises(InputError, match=message):
        learn(ASIA, score=score)


@pytest.mark.parametrize("value", [math.nan, -math.inf, "much", None])
def test_values_must_be_finite(value):
    """A value that is not a finite number is an error that names the family."""
    with pytest.raises(InputError, match=r"of 'asia' with the parents .* must be a finite number, not "):
        make_scorer(ASIA, as_score(lambda child, parents: value)).family(0, [1])


def test_functions_without_a_signature():
    """A function written in C gets the names only."""
    assert count_arguments(math.hypot) in (2, 3)
    assert count_arguments(lambda *family: 0.0) == 3


def test_the_best_network_by_a_function():
    """`learn` proves the same optimum as with the library's score, and says that functions are slow."""
    result = learn(ASIA, score=bic, seconds=20, seed=1)
    assert result.optimal
    assert result.score == pytest.approx(learn(ASIA, score="bic", seconds=20, seed=1).score, rel=1e-9)
    assert any("the score bic is a Python function" in note for note in result.notes)


def test_methods_with_kernels_refuse_functions():
    """A method that cannot use the score is refused before the run."""
    with pytest.raises(InputError, match=r"the method ges computes local scores in compiled kernels.*such as auto"):
        learn(ASIA, score=bic, method="ges")


@settings(max_examples=25)
@given(tables(max_variables=4, max_rows=30))
def test_the_table_of_a_function(table):
    """Without limits, the candidate table is the complete table of the library's score."""
    data: Dataset = table.dataset
    found = LocalSets().select(data, as_score(bic))
    expected = Sequential(max_parents=None, pruning=()).select(data, BIC()).table
    assert found.complete
    assert found.stop == "complete"
    assert np.array_equal(found.table.first, expected.first)
    assert np.array_equal(found.table.members, expected.members)
    assert np.allclose(found.table.scores, expected.scores, rtol=1e-9)


def test_a_limited_table_of_a_function():
    """After half of the evaluations the best sets are extended: larger sets come before all smaller ones are scored."""
    found = LocalSets(evaluations=60).select(ASIA, as_score(bic))
    assert (found.scored, found.complete, found.stop) == (60, False, "evaluations")
    assert found.depth == 0
    small = LocalSets(max_parents=1).select(ASIA, as_score(bic))
    assert (small.scored, small.complete, small.depth) == (8 + 8 * 7, True, 1)
