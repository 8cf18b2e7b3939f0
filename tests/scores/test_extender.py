"""Local scores of all extensions of a family."""

from __future__ import annotations

import numpy as np
import pytest

from bnsearch.data import Dataset
from bnsearch.scores import BIC, BDeu, Scorer
from bnsearch.scores.extender import Extender


@pytest.mark.parametrize("score", [BIC(), BDeu(ess=3.0)], ids=["bic", "bdeu"])
def test_extensions_equal_single_families(score):
    """The scores of all extensions of a family, by bitmaps and by histograms, are those of the families."""
    random = np.random.default_rng(8)
    arities = np.array([2, 3, 4, 2, 300, 5, 1, 2])
    codes = np.stack([random.integers(0, a, 400) for a in arities], axis=1)
    data = Dataset.from_codes(codes, arities=arities)
    scorer, extender = Scorer(data, score), Extender(data, score)
    for child, parents in ((0, []), (0, [1]), (2, [0, 1, 3]), (4, [0]), (5, [4, 2]), (6, [1, 2, 3, 5])):
        candidates = np.array([v for v in range(8) if v != child and v not in parents])
        expected = [scorer.family(child, [*parents, int(y)]) for y in candidates]
        assert extender.extend(child, parents, candidates) == pytest.approx(expected, rel=1e-9, abs=1e-9)
        assert extender.empty(child) == pytest.approx(scorer.family(child, []), rel=1e-9, abs=1e-9)
