"""Automatic selection: enumeration of as many sizes as the budget allows, then growth of the best sets."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb, inf, isfinite
from typing import ClassVar

import numpy as np

from bnsearch.errors import require
from bnsearch.parent_sets.table import ParentSets
from bnsearch.selection.builder import Builder, Job
from bnsearch.selection.growth_stage import GrowthPlan, GrowthStage
from bnsearch.selection.report import Selection
from bnsearch.selection.size_limits import FASTEST
from bnsearch.selection.walk import Walk

EXHAUSTIVE_SHARE = 0.95  # share of the remaining budget that the enumeration of one more size may take
MANY_VARIABLES = 2000  # number of variables above which growth considers only a part of the candidates
MANY_CANDIDATES = 50  # number of candidates that growth considers with more than MANY_VARIABLES variables
MERGE_FACTOR = 1.5  # time for adding grown sets to the table, divided by the time for assembling the table


@dataclass(frozen=True, kw_only=True)
class Auto(Builder):
    """
    Exhaustive enumeration as deep as the budget allows, then best-first growth of each variable's best sets.

    Parameters
    ----------
    seconds, seconds_per_variable
        Time budget, total or for each variable; one minute in total if no limit is given. With infinity, the
        selection ends when no set is left to score.
    evaluations
        Number of families to score. Sizes that fit as a whole are enumerated, and each variable has an equal share
        of the rest. If this is the only limit, the result depends neither on the machine nor on the threads.
    max_parents
        Size of the largest parent set; None means the largest size that can improve a local score.
    max_sets
        Maximum number of sets kept for a variable, the best ones; the empty set is kept in addition.
    candidates : int, optional
        Number of candidate parents of each variable for growth, those with the best scores as its only parent; None
        means all, or 50 if there are more than 2,000 variables.
    growth : float, default 1.0
        Share of the time budget after which growth ends, because the rest is reserved for sizes that fit as a
        whole; growth always gets at least half of the time that the enumeration leaves.
    memory
        Bytes for counts and for the best scores of smaller sets, and for growth.
    pruning
        Names of the pruning rules; the enumeration ends when they exclude all larger sets.

    Notes
    -----
    Sizes are enumerated one after the other (as by `Sequential`) while the next one, by the pace of its first pieces,
    fits into the remaining time. The rest of the time is divided evenly among the variables. Each variable extends its
    best open sets by every candidate; an extension that beats the set that it extends is kept and opened. On small
    problems the enumeration reaches the bound of the score, and the table is complete.

    `candidates` limits growth alone: the enumeration covers all variables. `Sequential(candidates=...)` selects all
    sets of the best single parents, as Teyssier & Koller (2005) do after Friedman et al. (1999).

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> selection = bnsearch.Auto().select(data, bnsearch.BIC())
    >>> selection.kept, selection.complete
    (37, True)
    """

    candidates: int | None = None
    growth: float = 1.0

    default_seconds: ClassVar[float] = 60.0
    enumerates_together: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.candidates is not None:
            require("candidates", self.candidates, at_least=1, whole=True)
        require("growth", self.growth, at_least=0, at_most=1)

    def build(self, job: Job) -> Selection:
        """Enumerate, then grow, then make the table."""
        walk = self.make_walk(job, self._deepest(job))
        stage: GrowthStage | None = None
        budget = job.budget
        enumerated = budget.started
        stop = walk.run(evaluations=budget.evaluations, share=EXHAUSTIVE_SHARE)
        walked = budget.clock()
        table = walk.table(only_best=budget.stop_reason is not None)
        enumerated = budget.clock()
        reserve = (MERGE_FACTOR + (job.constraints is not None)) * (enumerated - walked)
        if isfinite(budget.seconds):
            held = (1 - self.growth) * budget.seconds
            reserve += min(held, max(0.0, budget.deadline - enumerated) / 2)
        if walk.depth < job.max_parents and not budget.is_spent(reserve):
            evaluations = None if budget.evaluations is None else budget.evaluations - walk.scored
            plan = GrowthPlan(
                depth=walk.depth,
                partners=self.candidates or count_partners(job.n),
                evaluations=evaluations,
                memory=budget.memory,
                reserve=reserve,
            )
            stage = self.make_stage(job, table, plan)
            stop = stage.run()
            table = stage.merged(only_best=budget.stop_reason is not None)
        enumerated = budget.clock() if stage is None else enumerated
        scored, seconds = walk.scored_of, np.full(job.n, (enumerated - budget.started) / job.n)
        if stage is not None:
            scored, seconds = scored + stage.scored_of, seconds + stage.seconds_of
        notes = self._notes(job, stage)
        return Selection(table, scored, seconds, walk.depth, stop, walk.depth >= job.max_parents, notes=notes)

    def make_walk(self, job: Job, max_parents: int) -> Walk:
        """Return the enumeration of all sets of up to `max_parents` parents."""
        return Walk(job, max_parents, job.budget.memory)

    def make_stage(self, job: Job, table: ParentSets, plan: GrowthPlan) -> GrowthStage:
        """Return the growth of the sets of a table; the parameters are those of `GrowthStage`."""
        return GrowthStage(job, table, plan)

    def _deepest(self, job: Job) -> int:
        """Return the largest size that fits into memory and, at the fastest pace, into the time budget."""
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

    def _notes(self, job: Job, stage: GrowthStage | None) -> tuple[str, ...]:
        """Return a note if candidates were restricted though the parameter `candidates` was not given."""
        if stage is None or self.candidates is not None or job.n <= MANY_VARIABLES or stage.plan.depth == 0:
            return ()
        return (
            f"with {job.n:,} variables, sets of {stage.plan.depth + 1} or more parents have only each variable's "
            f"{MANY_CANDIDATES} strongest partners as members: Auto(candidates=...) and `bnsearch parents "
            "--candidates` set another number",
        )


def count_partners(variables: int) -> int:
    """Return the number of candidates that the growth of a variable's parent sets considers by default."""
    return MANY_CANDIDATES if variables > MANY_VARIABLES else variables - 1
