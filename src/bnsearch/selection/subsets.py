"""Selection by subsets: all parent sets of all variables, from the values of all subsets of the variables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import parallel_take
from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import Event
from bnsearch.data import Dataset
from bnsearch.knowledge.constraints import Constraints
from bnsearch.parent_sets.legal import score_below, with_penalties
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import Score
from bnsearch.scores.scorer import Scorer
from bnsearch.selection.builder import Builder, Job
from bnsearch.selection.constrained import compute_max_parents
from bnsearch.selection.frontier import FoundSets
from bnsearch.selection.report import Selection
from bnsearch.selection.subset_domination import KeptSets, LegalSets, keep_undominated
from bnsearch.selection.subset_walk import Limits, SubsetWalk, list_cell_sums

MAX_VARIABLES = 40  # limit for any amount of memory
SECONDS_PER_FAMILY = 2.5e-8  # time for deciding whether a set is kept, measured with 22 variables
SLACK = 1e-6  # relative margin of the limits, against rounding errors


@dataclass(frozen=True, kw_only=True)
class Subsets(Builder):
    """
    All parent sets of every variable: a complete table for up to about 25 variables.

    Parameters
    ----------
    seconds, seconds_per_variable
        Time budget, total or for each variable.
    evaluations
        Maximum number of families; if there are more, nothing is scored.
    max_parents
        Size of the largest parent set; None means the largest size that can improve a local score.
    max_sets
        Maximum number of sets kept for a variable, the best ones; the empty set is kept in addition.
    memory
        Maximum number of bytes for the values of all subsets; if they take more, nothing is scored.
    pruning
        Names of the pruning rules, which save time and do not change the table.

    Notes
    -----
    Every score is a difference of two values of sets. A walk over all subsets of the variables values each of them once
    (`SubsetWalk`). Then the legal sets of each child are visited, the smaller ones first. A set is kept if it improves
    on the best score of its legal subsets. Required parents need no special case: a set without them is not legal and
    is therefore not used for pruning.

    If the budget is too small for a complete selection, the table contains all sets of the variables that were
    finished, and the smallest legal set of the others.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> selection = bnsearch.Subsets().select(data, bnsearch.BIC())
    >>> selection.kept, selection.complete
    (37, True)
    """

    builds_legally: ClassVar[bool] = True
    warm_up: ClassVar[Mapping[str, int]] = {"max_parents": 4}

    def expected_seconds(
        self,
        data: Dataset,
        score: Score,
        *,
        threads: int | None = None,
        constraints: Constraints | None = None,
        sample: float = 0.05,
    ) -> float:
        """
        Return the expected time of a selection on this machine; infinity if it does not fit into memory.

        Parameters
        ----------
        data, score, threads, constraints : as for `select`
        sample : time for measuring random parts of the walk, in seconds
        """
        budget = Budget(threads=threads)
        self.load_kernels(data, budget.threads, constraints)
        job = self._job(budget, data, score, constraints)
        if not self._fits(data, score):
            return math.inf
        walk = SubsetWalk(data, score, _compute_limits(job, _compute_max_parents(self, job), _score_smallest_sets(job)))
        if walk.bytes_needed(1) > self.memory:
            return math.inf
        families = sum(2.0 ** len(job.candidates(v)) for v in range(job.n))
        return (walk.sampled_seconds(sample) + SECONDS_PER_FAMILY * families) / budget.threads

    def build(self, job: Job) -> Selection:
        """Value all subsets, select each variable's sets, and make the table."""
        smallest, stop, kept = _score_smallest_sets(job), "memory", dict[int, KeptSets]()
        variables = np.empty(0, dtype=np.int64)
        if self._fits(job.data, job.score):
            max_parents = _compute_max_parents(self, job)
            walk = SubsetWalk(job.data, job.score, _compute_limits(job, max_parents, smallest))
            variables = walk.order[::-1].copy()
            stop = self._select(job, walk, max_parents, kept)
        complete = len(kept) == job.n
        scored = np.array([max(1, kept[v].scored) if v in kept else 1 for v in range(job.n)])
        table = _make_table(job, kept, variables, smallest)
        seconds = np.full(job.n, job.budget.elapsed / job.n)
        return Selection(table, scored, seconds, job.max_parents if complete else 0, stop, complete)

    def _fits(self, data: Dataset, score: Score) -> bool:
        """Return True if the values of all subsets, and one child's best scores, fit into memory."""
        n = data.n_variables
        return n <= MAX_VARIABLES and (8 * len(list_cell_sums(data, score)) + 4) * 2**n <= self.memory

    def _workers(self, walk: SubsetWalk, threads: int) -> int:
        """Return the number of threads that the memory allows; each holds the best scores of one child at a time."""
        while threads and walk.bytes_needed(threads) + threads * 4 * 2**walk.n > self.memory:
            threads -= 1
        return threads

    def _select(self, job: Job, walk: SubsetWalk, max_parents: NDArray[np.int64], kept: dict[int, KeptSets]) -> str:
        """Select the sets of all variables; return the reason for the end."""
        legal = [_make_legal_sets(job, v, int(max_parents[v]), walk) for v in range(job.n)]
        total = sum(sets.number for sets in legal)
        if job.budget.evaluations is not None and total > job.budget.evaluations:
            return "evaluations"
        threads = self._workers(walk, job.budget.threads)
        if not threads:
            return "memory"
        reserve = SECONDS_PER_FAMILY * sum(2.0 ** len(sets.candidates) for sets in legal) / threads

        def report(task: str, done: int, of: int) -> None:
            job.budget.report(Event(task, total * done // of, total, "sets", None))

        values = walk.values(
            threads, lambda: job.budget.is_spent(reserve), lambda done, of: report("values of sets", done, of)
        )

        def select(child: int) -> None:
            assert values is not None
            found = keep_undominated(legal[child], values[0], values[walk.classes[child]], job.budget.is_spent)
            if found is not None:
                kept[child] = found
                report("parent sets", len(kept), job.n)

        if values is not None:
            parallel_take(select, range(job.n), threads, lambda: not job.budget.is_spent())
        if len(kept) == job.n:
            return "complete"
        return job.budget.stop_reason or "seconds"


def _get_required(job: Job, child: int) -> tuple[int, ...]:
    return () if job.constraints is None else job.constraints.required_parents[child]


def _score_smallest_sets(job: Job) -> NDArray[np.float64]:
    """Return the local score of each variable with just its required parents."""
    scorer = Scorer(job.data, job.score, cache_bytes=1 << 16)
    return scorer.families(range(job.n), [_get_required(job, v) for v in range(job.n)])


def _compute_max_parents(builder: Builder, job: Job) -> NDArray[np.int64]:
    """Return the size of each variable's largest parent set."""
    if job.constraints is None:
        return np.full(job.n, job.max_parents)
    return np.minimum(job.n - 1, compute_max_parents(builder, job, job.constraints))


def _compute_limits(job: Job, max_parents: NDArray[np.int64], smallest: NDArray[np.float64]) -> Limits:
    """
    Return limits on the sets that can be a family which improves on its child's smallest legal set.

    No family of a child x with r states scores more than slope (r - 1) q - level log(r) K (see `Bound`), where q is the
    number of cells of the parents and K that of the family's cells that occur. No term is positive, so each term is a
    bound.
    """
    states = job.data.arities.astype(np.float64)
    vary = states > 1  # a variable of one state scores the same with any parents
    cells, occupied = math.inf, math.inf
    if job.bound.slope and vary.any():
        cells = float(np.max(states[vary] * smallest[vary] / (job.bound.slope * (states[vary] - 1))))
    if job.bound.level and vary.any():
        occupied = float(np.max(-smallest[vary] / np.log(states[vary])))
    return Limits(
        int(max_parents.max()) + 1,
        cells * (1 + SLACK),
        1 << 62 if math.isinf(occupied) else int(occupied * (1 + SLACK)) + 1,
    )


def _make_legal_sets(job: Job, child: int, max_parents: int, walk: SubsetWalk) -> LegalSets:
    """Return the legal sets of a variable as masks."""
    required = list(_get_required(job, child))
    others = np.setdiff1d(job.candidates(child), required)
    bits = np.sort(walk.bit_of[others])
    return LegalSets(int(walk.bit_of[child]), int(walk.bit_of[required].sum()), bits, max_parents - len(required))


def _make_table(
    job: Job, kept: Mapping[int, KeptSets], variables: NDArray[np.int64], smallest: NDArray[np.float64]
) -> ParentSets:
    """Return the table of the kept and the smallest legal sets; variables[b] is the variable of bit b of a mask."""
    from bnsearch.selection.kernels_subset_domination import write_members

    parts = []
    for v in range(job.n):
        required = np.array(_get_required(job, v), dtype=np.int32)
        if v in kept and len(kept[v].masks):
            first = np.empty(len(kept[v].masks) + 1, dtype=np.int64)
            sizes = np.bitwise_count(kept[v].masks).astype(np.int64)
            members = np.empty(int(sizes.sum()), dtype=np.int32)
            write_members(kept[v].masks, variables, first, members)
            scores = kept[v].scores
        else:
            scores, sizes, members = smallest[v : v + 1], np.array([len(required)]), required
        if len(required):
            scores, sizes = np.append(scores, score_below(scores)), np.append(sizes, 0)
        parts.append(FoundSets(scores, sizes, members).families_of(v))
    table = ParentSets.from_families(job.data.names, parts, max_pruned_size=job.n, threads=job.budget.threads)
    return table if job.constraints is None else with_penalties(table, job.constraints)
