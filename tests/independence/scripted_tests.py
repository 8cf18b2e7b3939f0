"""A tester that follows a script, and a small problem whose tests are clear."""

from __future__ import annotations

import numpy as np
from oracle import Oracle

from bnsearch.data import Dataset
from bnsearch.runs.problem import Problem
from bnsearch.scores import BIC


class ScriptedTester(Oracle):
    """Answers by a script: 1 for pairs and conditions that it does not name."""

    def __init__(self, n, alone, given=None):
        super().__init__([[]] * n)
        self.alone = {frozenset(pair): strength for pair, strength in alone.items()}
        self.given = {(frozenset(pair), frozenset(s)): strength for (pair, s), strength in (given or {}).items()}
        self.asked = []

    def strengths(self, pairs, conditions=None):
        """Return the strengths of the script."""
        conditions = [()] * len(pairs) if conditions is None else conditions
        self.tests += len(pairs)
        self.asked += [(*sorted(pair), tuple(sorted(s))) for pair, s in zip(pairs, conditions, strict=True)]
        return np.array(
            [
                self.given.get((frozenset(pair), frozenset(s)), 1.0)
                if len(s)
                else self.alone.get(frozenset(pair), -1.0)
                for pair, s in zip(pairs, conditions, strict=True)
            ]
        )


def chain_problem() -> Problem:
    """Return 400 rows of a -> b -> c, each a copy of the one before in four rows of five, evenly."""
    x = np.repeat([0, 1], 200)
    y = np.where(np.arange(400) % 5 == 0, 1 - x, x)
    z = np.where(np.arange(400) // 5 % 5 == 0, 1 - y, y)
    return Problem(data=Dataset.from_codes(np.stack([x, y, z], axis=1), arities=[2] * 3, names="abc"), score=BIC())
