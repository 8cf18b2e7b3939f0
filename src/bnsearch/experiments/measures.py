"""Measures of a cell, computed from its result file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

EARLY = 0.01  # share of the time budget after which `early_score` is read
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Best:
    """
    The best scores that other cells have found for the same table and score.

    Attributes
    ----------
    score : best score of any cell
    target : relative distance to it below which a run has reached its target
    other : best score of any other method with the same budget and seed; None if there is no other method
    """

    score: float
    target: float
    other: float | None = None

    @property
    def limit(self) -> float:
        """The target score."""
        return self.score - self.target * max(1.0, abs(self.score))


@dataclass(frozen=True)
class Measure:
    """
    A measure.

    Attributes
    ----------
    name : its name in plans
    title : its name in reports
    meaning : one sentence for the report
    compute : function of a result file and the best known score; None if the cell has no such value
    is_higher_better : whether higher values are better
    digits : number of digits after the point
    is_timed : whether values depend on the machine
    is_relative : whether tests compare relative differences, because values of data sets differ in size
    """

    name: str
    title: str
    meaning: str
    compute: Callable[[Record, Best], float | None]
    is_higher_better: bool = False
    digits: int = 2
    is_timed: bool = False
    is_relative: bool = False


def _of_result(name: str) -> Callable[[Record, Best], float | None]:
    return lambda record, best: record["result"].get(name)


def _of_part(part: str, name: str) -> Callable[[Record, Best], float | None]:
    return lambda record, best: (record.get(part) or {}).get(name)


def compute_regret(record: Record, best: Best) -> float:
    """Return the distance to the best known score, in percent of it."""
    score: float = record["result"]["score"]
    return 100 * max(0.0, best.score - score) / max(1.0, abs(best.score))


def compute_lead(record: Record, best: Best) -> float | None:
    """Return the score minus the best score of other methods, in percent of it; None if there is no other method."""
    if best.other is None:
        return None
    return float(100 * (record["result"]["score"] - best.other) / max(1.0, abs(best.other)))


def compute_gap(record: Record, best: Best) -> float | None:
    """Return the gap in percent; None if the method has no upper bound."""
    gap = record["result"]["gap"]
    return None if gap is None else 100 * gap


def compute_time_to_target(record: Record, best: Best) -> float:
    """Return the seconds until the target was reached; infinity if it was not."""
    return next((point[0] for point in record["trace"] if point[3] >= best.limit), math.inf)


def compute_early_score(record: Record, best: Best) -> float | None:
    """Return the score after a hundredth of the seconds of the budget; None without a time budget or a network."""
    seconds = record["settings"]["budget"][0]
    if seconds is None:
        return None
    return max((point[3] for point in record["trace"] if point[0] <= EARLY * seconds), default=None)


def compute_best_iteration(record: Record, best: Best) -> float | None:
    """Return the iteration in which the network was found; None without a trace."""
    trace = record["trace"]  # its last point is the end of the run
    return next((point[1] for point in trace if point[3] >= trace[-1][3]), None)


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("score", "score", "Score of the network found.", _of_result("score"), True, is_relative=True),
        Measure(
            "relative_score",
            "relative score",
            "Normalised score: gain over the network without edges, divided by the absolute score of that network.",
            _of_result("relative_score"),
            True,
            4,
        ),
        Measure(
            "regret",
            "regret (%)",
            "Distance to the best score that any cell found for the same table, in percent.",
            compute_regret,
            digits=4,
        ),
        Measure(
            "lead",
            "lead (%)",
            "Score minus the best score of any other method for the same table, budget and seed, in percent. It is "
            "negative if another method is better.",
            compute_lead,
            True,
            4,
        ),
        Measure(
            "gap",
            "gap (%)",
            "Distance to the upper bound of the score, in percent. The bound may cover only the parent sets kept.",
            compute_gap,
            digits=3,
        ),
        Measure(
            "seconds", "seconds", "Wall-clock time of the run.", _of_result("seconds"), is_timed=True, is_relative=True
        ),
        Measure(
            "time_to_target",
            "seconds to target",
            "Wall-clock time until the score was close to the best known one.",
            compute_time_to_target,
            is_timed=True,
            is_relative=True,
        ),
        Measure(
            "early_score",
            "early score",
            "Score of the best network after a hundredth of the time budget.",
            compute_early_score,
            True,
            is_timed=True,
            is_relative=True,
        ),
        Measure(
            "iterations",
            "iterations",
            "Iterations of the method.",
            _of_result("iterations"),
            digits=0,
            is_relative=True,
        ),
        Measure(
            "best_iteration",
            "iteration of the best",
            "Iteration in which the network was found.",
            compute_best_iteration,
            digits=1,
            is_relative=True,
        ),
        Measure(
            "evaluations",
            "evaluations",
            "Requested local scores.",
            _of_result("evaluations"),
            digits=0,
            is_relative=True,
        ),
        Measure(
            "families",
            "families",
            "Distinct families whose score was requested; methods with `count_families` have it.",
            _of_result("families"),
            digits=0,
            is_relative=True,
        ),
        Measure("edges", "edges", "Number of edges of the network found.", _of_result("n_edges"), digits=1),
        Measure("shd", "SHD", "Structural Hamming distance to the true DAG.", _of_part("comparison", "shd"), digits=1),
        Measure(
            "shd_cpdag",
            "SHD of classes",
            "Structural Hamming distance to the equivalence class of the true DAG.",
            _of_part("comparison", "shd_cpdag"),
            digits=1,
        ),
        Measure("f1", "F1", "F1 of the adjacencies of the true DAG.", _of_part("comparison", "skeleton_f1"), True, 3),
        Measure(
            "coverage",
            "coverage",
            "One minus the structural Hamming distance divided by the number of edges of the true DAG.",
            _of_part("comparison", "coverage"),
            True,
            3,
        ),
        Measure(
            "held_out",
            "held-out log-likelihood",
            "Mean log-likelihood of a held-out row; tables have an equivalent sample size of 1.",
            _of_result("held_out"),
            True,
            4,
        ),
        Measure(
            "memory",
            "memory (MiB)",
            "Peak memory of the process, with libraries and data.",
            _of_result("memory"),
            digits=0,
            is_timed=True,
        ),
        Measure(
            "climb_score",
            "mean score of climbs",
            "Mean relative score of the local optima of all climbs (OBS and INOBS).",
            _of_part("climbs", "final"),
            True,
            4,
        ),
        Measure(
            "start_score",
            "mean score of starts",
            "Mean relative score of the initial orderings of all climbs (OBS and INOBS).",
            _of_part("climbs", "initial"),
            True,
            4,
        ),
        Measure("climb_steps", "steps of climbs", "Mean steps of a climb.", _of_part("climbs", "steps"), digits=1),
        Measure(
            "scored_sets",
            "parent sets scored",
            "Parent sets that the selection of the plan has scored.",
            _of_part("selection", "scored"),
            digits=0,
            is_relative=True,
        ),
        Measure(
            "relaxed_score",
            "relative score of H*",
            "Relative score of the best parent sets of all variables, which may have cycles (H*).",
            _of_part("selection", "relaxed_score"),
            True,
            4,
        ),
        Measure(
            "max_in_degree",
            "largest in-degree of H*",
            "Size of the largest best parent set.",
            _of_part("selection", "max_in_degree"),
            digits=0,
        ),
        Measure(
            "mean_in_degree",
            "mean in-degree of H*",
            "Mean size of the best parent sets.",
            _of_part("selection", "mean_in_degree"),
            digits=3,
        ),
    )
}

WITH_TRUTH = ("shd", "shd_cpdag", "f1", "coverage")
"""Measures that need the true network."""

WITH_HELD_OUT = ("held_out",)
"""Measures that need held-out rows."""
