"""Generations, the selection of individuals, and random draws that favour high ranks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.graph_stacks import Floats, Generator, Ints
from bnsearch.runs.run import Run
from bnsearch.scores.score import tie_margins


def count_generations(number: int, run: Run) -> Iterator[int]:
    """Yield 1 to `number` while the run is going; each generation is an iteration of the run."""
    for generation in range(1, number + 1):
        if not run.going():
            return
        run.count(iterations=1)
        yield generation


def select_by_tournament(scores: Floats, size: int, rng: Generator) -> Ints:
    """Return as many individuals as there are scores, each the best of `size` random ones."""
    entrants = rng.integers(len(scores), size=(len(scores), size))
    winner = scores[entrants].argmax(axis=1)
    return np.take_along_axis(entrants, winner[:, None], axis=1)[:, 0]


def draw_by_rank(scores: Floats, number: int, rng: Generator) -> Ints:
    """Return random individuals with probabilities proportional to their ranks: 1 for the worst score."""
    rank = np.argsort(np.argsort(scores, kind="stable")) + 1.0
    return rng.choice(len(scores), size=number, p=rank / rank.sum())


def select_fittest(scores: Floats, number: int, *, distinct: bool = False) -> Ints:
    """
    Return the individuals with the highest scores, the best first.

    distinct : whether an individual with the score of a better one is selected only if the others do not suffice
    """
    order = np.argsort(-scores, kind="stable")
    if distinct:
        ordered = scores[order]
        repeated = np.zeros(len(order), dtype=bool)
        repeated[1:] = ordered[:-1] - ordered[1:] <= tie_margins(ordered[1:])
        order = np.concatenate([order[~repeated], order[repeated]])
    return order[:number]


def draw_by_merit(owner: Ints, merit: Floats, number: int, rng: Generator) -> Ints:
    """
    Return one candidate of each owner, drawn with a probability proportional to 1 / rank; the best has rank 1.

    owner, merit : [candidates]; returned : [number], -1 for an owner without candidates
    """
    order = np.lexsort((-merit, owner))
    begin = np.searchsorted(owner[order], np.arange(number + 1))
    sizes = np.diff(begin)
    drawn = begin[:-1] + draw_ranks(sizes, rng)
    return np.where(sizes > 0, np.append(order, -1)[drawn], -1)


def draw_ranks(sizes: Ints, rng: Generator) -> Ints:
    """Return for each size a rank from 0 to size - 1, with a probability proportional to 1 / (rank + 1)."""
    cumulated = np.cumsum(1 / np.arange(1, sizes.max(initial=1) + 1))
    drawn = rng.random(len(sizes)) * cumulated[np.maximum(sizes, 1) - 1]
    ranks: Ints = np.searchsorted(cumulated, drawn, side="right")
    return ranks


def find_candidates_of_rank(candidates: NDArray[np.bool_], order: Ints, ranks: Ints) -> Ints:
    """
    Return, for each row, the column of the candidate of a rank; -1 if there is none.

    candidates : bool[rows, columns]; order : int64[columns], the columns by rank; ranks : int64[rows], from 0
    """
    from bnsearch.genetic.kernels_graphs import find_ranked

    found = np.empty(len(candidates), dtype=np.int64)
    find_ranked(candidates, order, ranks, found)
    return found
