"""Stacks of graphs and orderings as arrays, and what evolution does with them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bnsearch.runs.run import Run
from bnsearch.scores.score import tie_margins

Graphs = NDArray[np.bool_]  # [number, child, parent]
Orders = NDArray[np.int64]  # [number, position]: the variable that stands there
Numbers = NDArray[np.int64]
Reals = NDArray[np.float64]
Generator = np.random.Generator


def generations(number: int, run: Run) -> Iterator[int]:
    """Count from 1 to a number of generations, each an iteration of the run, while the run is going."""
    for generation in range(1, number + 1):
        if not run.going():
            return
        run.count(iterations=1)
        yield generation


def random_orders(number: int, n: int, rng: Generator) -> Orders:
    """Return random permutations."""
    return rng.permuted(np.tile(np.arange(n), (number, 1)), axis=1)


def positions(orders: Orders) -> Orders:
    """Return where each variable stands in each ordering."""
    return np.argsort(orders, axis=1)


def precedes(orders: Orders) -> Graphs:
    """Return, for each ordering, [child, parent]: whether the parent stands before the child."""
    position = positions(orders)
    return position[:, None, :] < position[:, :, None]


def limited(graphs: Graphs, most: Numbers, merit: Reals | Generator, kept: NDArray[np.bool_] | None = None) -> Graphs:
    """
    Return the graphs with only the best parents where there are too many.

    most : of each variable
    merit : as graphs, or [child, parent]; a generator draws it
    kept : bool[child, parent], edges that stay in any case
    """
    too_many = np.nonzero(graphs.sum(axis=2) > most)
    if not len(too_many[0]):
        return graphs
    rows = graphs[too_many]
    if isinstance(merit, Generator):
        merits = merit.random(rows.shape)
    else:
        merits = np.broadcast_to(merit, graphs.shape)[too_many]
    if kept is not None:
        merits = np.where(kept[too_many[1]], np.inf, merits)
    best = np.argsort(-np.where(rows, merits, -np.inf), axis=1, kind="stable")
    np.put_along_axis(rows, best, np.arange(graphs.shape[2]) < most[too_many[1], None], axis=1)
    fewer = graphs.copy()
    fewer[too_many] = rows
    return fewer


def tournament(scores: Reals, size: int, rng: Generator) -> Numbers:
    """Return as many members as there are, each the best of `size` random ones."""
    entrants = rng.integers(len(scores), size=(len(scores), size))
    winner = scores[entrants].argmax(axis=1)
    return np.take_along_axis(entrants, winner[:, None], axis=1)[:, 0]


def ranked(scores: Reals, number: int, rng: Generator) -> Numbers:
    """Return random members, each as likely as its rank is high: the best has rank `len(scores)`, the worst 1."""
    rank = np.argsort(np.argsort(scores, kind="stable")) + 1.0
    return rng.choice(len(scores), size=number, p=rank / rank.sum())


def fittest(scores: Reals, number: int, *, distinct: bool = False) -> Numbers:
    """Return the members with the highest scores, best first; if distinct, equal ones only where others run out."""
    order = np.argsort(-scores, kind="stable")
    if distinct:
        ordered = scores[order]
        repeated = np.zeros(len(order), dtype=bool)
        repeated[1:] = ordered[:-1] - ordered[1:] <= tie_margins(ordered[1:])
        order = np.concatenate([order[~repeated], order[repeated]])
    return order[:number]


def favour(owner: Numbers, merit: Reals, number: int, rng: Generator) -> Numbers:
    """
    Return for each owner one of its candidates, drawn with probability proportional to 1 / rank; the best ranks first.

    owner, merit : [candidates]; returned : [number], -1 for an owner without candidates
    """
    order = np.lexsort((-merit, owner))
    begin = np.searchsorted(owner[order], np.arange(number + 1))
    has = np.diff(begin)
    drawn = begin[:-1] + favoured_ranks(has, rng)
    return np.where(has > 0, np.append(order, -1)[drawn], -1)


def favoured_ranks(sizes: Numbers, rng: Generator) -> Numbers:
    """Return for each size a rank below it, from 0, with probability proportional to 1 / (rank + 1)."""
    weight = np.cumsum(1 / np.arange(1, sizes.max(initial=1) + 1))  # of the first rank, the first two, ...
    drawn = rng.random(len(sizes)) * weight[np.maximum(sizes, 1) - 1]
    ranks: Numbers = np.minimum(np.searchsorted(weight, drawn, side="right"), np.maximum(sizes, 1) - 1)
    return ranks


def of_rank(candidates: NDArray[np.bool_], order: Numbers, ranks: Numbers) -> Numbers:
    """Return the place of each row's candidate of a rank, by an order of all places; -1 where there is none."""
    from bnsearch.genetic.kernels_graphs import find_ranked

    found = np.empty(len(candidates), dtype=np.int64)
    find_ranked(candidates, order, ranks, found)
    return found
