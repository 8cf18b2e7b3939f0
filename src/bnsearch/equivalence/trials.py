"""Climbs from several perturbations of one class, in threads, with the result of one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from bnsearch.equivalence.climber_pool import ClimberPool, Optimum
from bnsearch.equivalence.perturbing import Perturbation
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves


def report_optimum(optimum: Optimum, run: Run, *, iterations: int = 0) -> None:
    """Count the work of a climb, and offer the class that it has reached."""
    run.count(iterations=iterations, **optimum.counts)
    run.offer(optimum.score, optimum.make_dag)


def find_first_better(
    pool: ClimberPool, best: Optimum, perturbations: Sequence[Perturbation], run: Run
) -> tuple[int, Optimum | None]:
    """
    Climb from perturbations of a class, one for each thread, until one leads to a better class.

    Parameters
    ----------
    pool : the climbers
    best : the class
    perturbations : in the order of one thread
    run : receives every trial up to the first better one

    Return the number of trials that count, and the better class where the last of them found one. Later trials of
    other threads do not count: they began at a class that is not the best any more.
    """
    batch = perturbations[: run.allowed(run.threads)]
    optima = list(run.map(lambda perturbation: pool.change_and_climb(best, perturbation), batch))
    for tried, optimum in enumerate(optima, start=1):
        report_optimum(optimum, run, iterations=1)
        if improves(optimum.score, best.score):
            return tried, optimum
    return len(optima), None
