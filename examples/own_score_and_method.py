"""Use a score and a method of your own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import bnsearch


def penalised_fit(child, parents, counts):
    """Return the log-likelihood of a family, minus 10 for each parent; any function of a family is a score."""
    cells = counts.reshape(-1, counts.shape[-1])  # one row for each configuration of the parents
    shares = cells / np.maximum(1, cells.sum(axis=1, keepdims=True))
    return np.sum(cells[cells > 0] * np.log(shares[cells > 0])) - 10 * len(parents)


@dataclass(frozen=True, kw_only=True)
class RandomOrderings:
    """
    Draw orderings, and give each variable its best candidate set among its predecessors.

    Parameters
    ----------
    orderings : number of orderings
    """

    name: ClassVar[str] = "random-orderings"
    space: ClassVar[str] = "orderings"
    needs: ClassVar[bnsearch.Needs] = bnsearch.Needs.TABLE
    ends: ClassVar[bool] = True

    orderings: int = 100

    def search(self, problem: bnsearch.Problem, run: bnsearch.Run) -> None:
        """Offer the best network of each ordering; the run keeps the best of all, and watches the clock."""
        table = run.parent_sets(problem)  # the candidate sets of each variable with their scores, best first
        for _ in range(self.orderings):
            if not run.going():
                break
            position = np.argsort(run.rng.permutation(problem.size))
            families = [
                next((score, sets) for score, sets in table.sets(v) if all(position[p] < position[v] for p in sets))
                for v in range(problem.size)
            ]
            dag = bnsearch.DAG(problem.names, [sets for _, sets in families])
            run.offer(sum(score for score, _ in families), lambda dag=dag: dag)
            run.count(iterations=1)


data = bnsearch.load_network("asia").sample(1_000, 1)
print(bnsearch.learn(data, score=penalised_fit, seconds=5, seed=1))
print(bnsearch.learn(data, method=RandomOrderings(orderings=50), seed=1))
print(bnsearch.learn(data, score=penalised_fit, method=RandomOrderings(), seconds=5, seed=1))
