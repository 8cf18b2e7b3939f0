"""The greedy climbs over equivalence classes that all methods here are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bnsearch.equivalence.neighbourhood import Neighbourhood, Step
from bnsearch.equivalence.operators import Kind

Halted = Callable[[], bool]


def forward(here: Neighbourhood, halted: Halted) -> Iterator[Step]:
    """Insert the best edge until none raises the score (FES, Algorithm 3.1); yield after every step."""
    return climb(here, [Kind.INSERT], halted)


def backward(here: Neighbourhood, halted: Halted) -> Iterator[Step]:
    """Delete the best edge until none raises the score (BES, Algorithm 3.2); yield after every step."""
    return climb(here, [Kind.DELETE], halted)


def both_ways(here: Neighbourhood, halted: Halted) -> Iterator[Step]:
    """Insert or delete the best edge until nothing raises the score (iGES, Algorithm 3.3); yield after every step."""
    return climb(here, [Kind.INSERT, Kind.DELETE], halted)


def climb(here: Neighbourhood, kinds: Sequence[Kind], halted: Halted) -> Iterator[Step]:
    """Apply the best valid operator of some kinds, again and again, while it raises the score."""
    while not halted() and here.refresh(halted) and (best := here.best(kinds)):
        here.apply(best[0])
        yield best[0]
