"""A column with more than 256 states: codes take two bytes, for which kernels are compiled separately."""

from __future__ import annotations

import numpy as np
import pytest

import reference
from bnsearch.data import Dataset
from bnsearch.learning.learn import learn
from bnsearch.runs.stop import Iterations
from bnsearch.scores import BDeu


@pytest.fixture(scope="module")
def data() -> Dataset:
    """Return 900 rows of a column with 300 states, of two that depend on it, and of three others."""
    rng = np.random.default_rng(1)
    wide = rng.permutation(np.arange(900) % 300)
    noise = rng.integers(0, 3, size=(4, 900))
    columns = [wide, wide % 2, (wide + (noise[0] == 0)) % 3, noise[1], (noise[1] + (noise[2] == 0)) % 3, noise[3]]
    return Dataset.from_codes(np.stack(columns, axis=1))


@pytest.mark.parametrize("method", ["tabu", "ginobs", "minobs"])
def test_scores_of_networks_with_many_states(data, method):
    """Searches over DAGs, with families on demand and with a candidate table report the score of the definition."""
    assert data.codes.dtype == np.uint16
    result = learn(data, method=method, score=BDeu(ess=1.0), seconds=None, stop=Iterations(20), seed=1, threads=1)
    codes, arities = data.codes.tolist(), list(data.arities)
    expected = reference.network_score("bdeu", codes, arities, result.dag.parents, ess=1.0)
    assert result.score == pytest.approx(expected, rel=1e-9)
    assert any(len(parents) > 0 for parents in result.dag.parents)
