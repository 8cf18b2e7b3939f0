"""The best network of a candidate table, by dynamic programming over subsets; the value of a cluster bound."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bnsearch.exact.cluster_bound import ClusterBound
from bnsearch.exact.cuts import Cut
from bnsearch.parent_sets.table import ParentSets


def best_choice(table: ParentSets, variable: int) -> np.ndarray:
    """Return float64[2^n]: the variable's best score with parents inside each set of variables."""
    best = np.full(1 << table.n_variables, -np.inf)
    for score, parents in table.sets(variable):
        mask = sum(1 << p for p in parents)
        best[mask] = max(best[mask], score)
    for bit in range(table.n_variables):
        halves = best.reshape(-1, 2, 1 << bit)
        np.maximum(halves[:, 1], halves[:, 0], out=halves[:, 1])
    return best


def best_score(table: ParentSets) -> float:
    """Return the score of the best DAG: the last variable of an ordering chooses among all the others."""
    n = table.n_variables
    masks = np.arange(1 << n)
    choices = [best_choice(table, v) for v in range(n)]
    total = np.full(1 << n, -np.inf)
    total[0] = 0.0
    for size in range(1, n + 1):
        these = masks[np.bitwise_count(masks) == size]
        for v in range(n):
            inside = these[(these >> v) & 1 == 1]
            rest = inside & ~(1 << v)
            total[inside] = np.maximum(total[inside], total[rest] + choices[v][rest])
    return float(total[-1])


def find_coefficient(cut: Cut, variable: int, parents: Sequence[int]) -> float:
    """Return the coefficient of a parent set of a variable in a local cut by definition."""
    members = cut.members.tolist()
    if variable not in members:
        return 0.0
    return float(cut.weights[members.index(variable), sum(1 << i for i, u in enumerate(members) if u in parents)])


def cluster_value(
    table: ParentSets,
    clusters: Sequence[frozenset[int]],
    orders: Sequence[int],
    multipliers: Sequence[float],
    local: Sequence[tuple[Cut, float]] = (),
) -> float:
    """Return the Lagrangian bound of inequalities by definition: each variable chooses its best parent set."""
    priced = list(zip(clusters, orders, multipliers, strict=True))
    best = [
        max(
            score
            + math.fsum(price for c, k, price in priced if v in c and len(c.intersection(parents)) < k)
            - math.fsum(price * find_coefficient(cut, v, parents) for cut, price in local)
            for score, parents in table.sets(v)
        )
        for v in range(table.n_variables)
    ]
    limits = math.fsum(price * cut.limit for cut, price in local)
    return math.fsum(best) - math.fsum(k * price for _, k, price in priced) + limits


def define_value(table: ParentSets, bound: ClusterBound) -> float:
    """Return the value of a bound by definition."""
    clusters = [frozenset(members) for members in bound.list_members()]
    local = list(zip(bound.local_cuts, bound.local_multipliers.tolist(), strict=True))
    return cluster_value(table, clusters, bound.orders.tolist(), bound.multipliers.tolist(), local)
