"""Automatic selection: exhaustive as deep as the budget allows, then the most promising sets grown further."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, inf, isfinite
from typing import ClassVar

import numpy as np

from bnsearch.errors import require
from bnsearch.selection.builder import Builder, Job
from bnsearch.selection.growth_stage import Growing
from bnsearch.selection.report import Selection
from bnsearch.selection.walk import FASTEST, Walk

EXHAUSTIVE_SHARE = 0.95  # of the budget that is left, the most that enumerating one more size may take
MANY_VARIABLES, MANY_CANDIDATES = 2000, 50
MERGING = 1.5  # times as long as to assemble the table, it takes to add what has grown


@dataclass(frozen=True, kw_only=True)
class Auto(Builder):
    """
    Exhaustive enumeration as deep as the budget allows, then best-first growth of each variable's best sets.

    Parameters
    ----------
    seconds, seconds_per_variable : total wall-clock time, or that for each variable; a minute in all where no limit is
        given, and infinity stops when nothing is left to try
    evaluations : families scored in all; sizes are enumerated that fit as a whole, each variable has an equal share of
        the rest, and if this is the only limit the result depends on nothing else
    max_parents : the largest parent set; None means as large as can ever pay (a sound bound of the score)
    max_sets : the most sets kept of a variable, the best ones; the empty set comes on top
    candidates : how many partners of each variable growth considers, the strongest by the score of the variable with
        that one parent; None means all, or 50 where there are more than 2,000 variables
    growth : the share of the time after which nothing is grown any more; the rest is for a size that fits as a whole,
        and half of what that leaves is for growth after all
    memory : the most bytes for counts and for the best scores of smaller sets, and for growth
    pruning : sound bounds to use; the enumeration ends when they say that no larger set matters

    Notes
    -----
    Sizes are enumerated one after the other (as `Sequential`) while the next one, by the pace of its first pieces, fits
    into the time that is left. The rest of the time is divided evenly over the variables: each extends its
    best-scoring open set by every other variable, again and again; an extension that beats the set it extends is kept
    and opened. On small problems the enumeration reaches the score's own bound and the table is exact.

    `candidates` limits growth alone: sizes that are enumerated are so over all variables. All sets of the strongest
    partners, as Teyssier & Koller (2005) make them after Friedman et al. (1999), are `Sequential(candidates=...)`.
    """

    candidates: int | None = None
    growth: float = 1.0

    default_seconds: ClassVar[float] = 60.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.candidates is not None:
            require("candidates", self.candidates, at_least=1, whole=True)
        require("growth", self.growth, at_least=0, at_most=1)

    def build(self, job: Job) -> Selection:
        """Enumerate, then grow, then make the table."""
        walk = Walk(job, self._deepest(job), job.budget.memory)
        growing: Growing | None = None
        budget = job.budget
        enumerated = budget.started
        stop = walk.go(evaluations=budget.evaluations, share=EXHAUSTIVE_SHARE)
        walked = budget.clock()
        table = walk.table(soon=budget.stop_reason is not None)
        enumerated = budget.clock()
        reserve = (MERGING + (job.constraints is not None)) * (enumerated - walked)
        if isfinite(budget.seconds):
            held = (1 - self.growth) * budget.seconds
            reserve += min(held, max(0.0, budget.deadline - enumerated) / 2)
        if walk.complete < job.max_parents and not budget.is_spent(reserve):
            growing = Growing(
                job,
                table,
                walk.complete,
                partners=self._partners(job),
                evaluations=None if budget.evaluations is None else budget.evaluations - walk.scored,
                memory=budget.memory,
                reserve=reserve,
            )
            stop = growing.go()
            table = growing.merged(soon=budget.stop_reason is not None)
        enumerated = budget.clock() if growing is None else enumerated
        scored, seconds = walk.scored_of, np.full(job.n, (enumerated - budget.started) / job.n)
        if growing is not None:
            scored, seconds = scored + growing.scored_of, seconds + growing.seconds_of
        notes = self._notes(job, growing)
        return Selection(table, scored, seconds, walk.complete, stop, walk.complete >= job.max_parents, notes=notes)

    def _deepest(self, job: Job) -> int:
        """Return the most parents up to which enumeration could fit in memory and, at the fastest pace, in time."""
        n, depth = job.n, min(1, job.max_parents)
        seconds = job.budget.seconds * job.budget.threads
        families = inf if job.budget.evaluations is None else job.budget.evaluations
        while (
            depth < job.max_parents
            and n * comb(n, depth) * 8 <= job.budget.memory / 2
            and comb(n, depth + 2) * FASTEST <= seconds
            and (depth + 2) * comb(n, depth + 2) <= families
        ):
            depth += 1
        return depth

    def _partners(self, job: Job) -> int:
        return self.candidates or (MANY_CANDIDATES if job.n > MANY_VARIABLES else job.n - 1)

    def _notes(self, job: Job, growing: Growing | None) -> tuple[str, ...]:
        """Say if candidates were restricted without having been asked for."""
        if growing is None or self.candidates is not None or job.n <= MANY_VARIABLES or growing.depth == 0:
            return ()
        return (
            f"with {job.n:,} variables, sets of {growing.depth + 1} and more parents were made of each variable's "
            f"{MANY_CANDIDATES} strongest partners alone (candidates sets another number)",
        )
