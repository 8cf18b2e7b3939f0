"""Climbs from several perturbations of one class, in threads; the result does not depend on the number of threads."""

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
    Perturb a class and climb, once for each thread, and return the first better class.

    Parameters
    ----------
    pool : the climbers
    best : the class that is perturbed
    perturbations : the perturbations to try, in the order in which one thread would try them
    run : receives every trial up to the first better one

    Returns
    -------
    The number of trials that count, and the better class, or None if there is none. Trials after the first better one
    do not count: one thread would have continued from the better class.
    """
    batch = perturbations[: run.allowed(run.threads)]
    optima = list(run.map(lambda perturbation: pool.change_and_climb(best, perturbation), batch))
    for tried, optimum in enumerate(optima, start=1):
        report_optimum(optimum, run, iterations=1)
        if improves(optimum.score, best.score):
            return tried, optimum
    return len(optima), None
