"""Helpers of the tests of both best-first selections: datasets, sets by definition, comparisons."""

from __future__ import annotations

import math

import numpy as np

from bnsearch.data import Dataset
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores import AIC, BIC, K2, BDeu, Score, improves

Parents = tuple[int, ...]


def dependent_data(seed: int, *, n: int = 6, rows: int = 300, top: int = 3) -> Dataset:
    """Return a table in which most variables depend on some of those before them; arities 2 to `top`."""
    rng = np.random.default_rng(seed)
    arities = rng.integers(2, top + 1, n)
    columns: list[np.ndarray] = []
    for v in range(n):
        noise = rng.integers(arities[v], size=rows)
        causes = rng.permutation(v)[: rng.integers(0, 4)]
        signal = sum((columns[c] * (1 + i) for i, c in enumerate(causes)), start=np.zeros(rows, dtype=np.int64))
        columns.append(np.where(rng.random(rows) < 0.7, signal % arities[v], noise))
    return Dataset.from_codes(np.stack(columns, axis=1), arities=arities.tolist())


def ceiling_of_supersets(data: Dataset, score: Score, child: int, parents: Parents) -> float:
    """Return the upper bound on the scores of families with more parents, from the rows; see bounds.Bound."""
    states = int(data.arities[child])
    cells = math.prod(data.arities[list(parents)].tolist()) * int(data.arities[data.arities > 1].min(initial=1 << 16))
    if isinstance(score, BIC | AIC):
        return -(math.log(data.n_rows) / 2 if isinstance(score, BIC) else 1.0) * (states - 1) * cells
    if isinstance(score, BDeu | K2):
        occupied = len(set(zip(*data.codes[[*parents, child]].tolist(), strict=True)))
        prior = math.log(score.ess + 1) if isinstance(score, BDeu) and score.prior else 0.0
        return -math.log(states) * occupied - prior * (states - 1) * cells
    return 0.0


def undominated(scored: dict[Parents, float]) -> dict[Parents, float]:
    """Return the sets that no proper subset matches or beats."""
    return {
        p: s for p, s in scored.items() if all(improves(s, other) for q, other in scored.items() if set(q) < set(p))
    }


def same_sets(table: ParentSets, variable: int, expected: dict[Parents, float]) -> bool:
    """Return True if a variable's candidates are the expected ones, with their scores up to rounding."""
    got = {parents: score for score, parents in table.sets(variable)}
    return got.keys() == expected.keys() and all(abs(got[p] - s) <= 1e-9 * max(1, abs(s)) for p, s in expected.items())


def same_tables(one: ParentSets, other: ParentSets) -> bool:
    """Return True if two tables hold the same sets with the same scores up to rounding."""
    return all(same_sets(one, v, {p: s for s, p in other.sets(v)}) for v in range(one.n_variables))
