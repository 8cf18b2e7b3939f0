"""A tester that knows the truth."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from bnsearch.data import Dataset
from bnsearch.independence import GTest, PairTester
from reference_independence import are_separated

Parents = list[list[int]]


class Oracle(PairTester):
    """Answers by d-separation in a DAG: 1 where two variables depend, -1 where they do not."""

    def __init__(self, parents: Sequence[Sequence[int]]) -> None:
        codes = np.random.default_rng(0).integers(2, size=(1000, len(parents)))
        super().__init__(Dataset.from_codes(codes, arities=[2] * len(parents)), GTest())
        self.parents = parents

    def fork(self) -> Oracle:
        """Return itself: it keeps nothing."""
        return self

    def strengths(
        self, pairs: Sequence[tuple[int, int]], conditions: Sequence[Sequence[int]] | None = None
    ) -> NDArray[np.float64]:
        """Return 1 or -1 for each pair."""
        self.tests += len(pairs)
        given = [()] * len(pairs) if conditions is None else conditions
        answers = [
            -1.0 if are_separated(self.parents, x, y, z) else 1.0 for (x, y), z in zip(pairs, given, strict=True)
        ]
        return np.array(answers)


@st.composite
def dags(draw: st.DrawFn, most: int = 6) -> Parents:
    """Draw the parents of a DAG over 1 to `most` variables in any order."""
    order = draw(st.permutations(range(draw(st.integers(1, most)))))
    parents: Parents = [[] for _ in order]
    for i, v in enumerate(order):
        parents[v] = [u for u in order[:i] if draw(st.booleans())]
    return parents


def skeleton(parents: Sequence[Sequence[int]]) -> list[set[int]]:
    """Return each variable's parents and children."""
    return [set(s) | {c for c, t in enumerate(parents) if v in t} for v, s in enumerate(parents)]
