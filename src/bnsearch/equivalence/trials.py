"""Climbs from several perturbations of one class, in threads, with the result of one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from bnsearch.equivalence.crew import Crew, Optimum
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves


def tell(optimum: Optimum, run: Run, *, iterations: int = 0) -> None:
    """Count what an optimum took, and offer it."""
    run.count(iterations=iterations, **optimum.spent)
    run.offer(optimum.score, optimum.make)


def first_better(crew: Crew, best: Optimum, trials: Sequence[tuple[int, int]], run: Run) -> tuple[int, Optimum | None]:
    """
    Try perturbations of a class, one for each thread, and look for the first that leads to a better one.

    Parameters
    ----------
    crew : who climbs
    best : the class
    trials : steps and seed of each perturbation, in order
    run : told of every trial up to the first better one

    Return how many trials count, and the better class where the last of them found one. What other threads have done
    meanwhile does not count: it began at a class that is not the best any more.
    """
    batch = trials[: run.allowed(run.threads)]
    optima = list(run.map(lambda trial: crew.perturb_and_climb(best, *trial), batch))
    for tried, optimum in enumerate(optima, start=1):
        tell(optimum, run, iterations=1)
        if improves(optimum.score, best.score):
            return tried, optimum
    return len(optima), None
