"""The best forest of a table, against all forests."""

from __future__ import annotations

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnsearch
from bnsearch.dags import best_forest
from bnsearch.dags.best_forest import find_best_forest
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.scores import K2, QNML

SCORES = [bnsearch.BIC(), bnsearch.AIC(), bnsearch.BDeu(ess=3.0), bnsearch.LogLikelihood()]


def go_on() -> bool:
    """Return False: nothing halts the search."""
    return False


@cache
def list_forests(n):
    """Return all DAGs of n variables in which each variable has at most one parent, as their parent sets."""
    forests = []
    for parents in product([(), *((parent,) for parent in range(n))], repeat=n):
        try:
            DAG([str(i) for i in range(n)], parents)
        except InputError:  # a cycle
            continue
        forests.append(parents)
    assert len(forests) == (n + 1) ** (n - 1)  # Cayley's formula
    return forests


def best_score_of_all_forests(data, score):
    """Return the highest score of all DAGs in which each variable has at most one parent."""
    scorer, n = bnsearch.Scorer(data, score), data.n_variables
    local = [{s: scorer.family(i, s) for s in [(), *((j,) for j in range(n) if j != i)]} for i in range(n)]
    return max(sum(local[i][s] for i, s in enumerate(forest)) for forest in list_forests(n))


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)
@given(seed=st.integers(0, 2**32 - 1), rows=st.integers(1, 40), block=st.integers(1, 200), chunk=st.integers(1, 50))
def test_no_forest_is_better(score, seed, rows, block, chunk):
    """The score is that of the DAG returned and the best of all forests, for any size of the blocks."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(1, 4, size=4)
    codes = rng.integers(arities, size=(rows, 4))
    codes[:, 1] = np.minimum(codes[:, 0], arities[1] - 1)
    data = Dataset.from_codes(codes, arities=arities.tolist())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_forest, "BLOCK_BYTES", block)
        patch.setattr(best_forest, "CHUNK_ROWS", chunk)
        found = find_best_forest(data, score, go_on)
    assert found is not None
    value, forest = found
    assert all(len(parents) <= 1 for parents in forest.parents)
    assert value == pytest.approx(bnsearch.Scorer(data, score).network(forest), rel=1e-9, abs=1e-9)
    assert value == pytest.approx(best_score_of_all_forests(data, score), rel=1e-9, abs=1e-9)


def test_other_scores_have_no_best_forest():
    """The gain of an edge depends on its direction under K2; the cell sums of qNML are not implemented."""
    data = bnsearch.load_network("asia").sample(50, 1)
    assert find_best_forest(data, K2(), go_on) is None
    assert find_best_forest(data, QNML(), go_on) is None


def test_a_halted_search_returns_nothing():
    """The search ends before the first block of pairs is summed."""
    data = bnsearch.load_network("asia").sample(50, 1)
    assert find_best_forest(data, bnsearch.BIC(), lambda: True) is None
