"""The base class of all builders of candidate tables: limits, validation, kernel loading."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.registry import require_choice
from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import Observer
from bnsearch.budgets.signals import interrupts_preserved, stop_on_signals
from bnsearch.data import Dataset
from bnsearch.errors import InputError, require
from bnsearch.knowledge.constraints import Constraints
from bnsearch.scores.bounds import RULES, Bound, bound_of, max_useful_parents
from bnsearch.scores.score import Score
from bnsearch.selection.report import Selection


@dataclass(frozen=True, kw_only=True)
class Job:
    """
    The input of one selection.

    Attributes
    ----------
    data, score : data and local score
    children : int64[...], variables to select for; the other variables get the empty set only
    max_parents : size of the largest parent set that can improve a local score
    bound : upper bound on the local score of larger families
    constraints : legal parents of each variable; None means that all are legal
    budget : time, evaluations, memory, threads, stop requests and observers
    """

    data: Dataset
    score: Score
    children: NDArray[np.int64]
    max_parents: int
    bound: Bound
    constraints: Constraints | None
    budget: Budget

    @property
    def n(self) -> int:
        """The number of variables."""
        return self.data.n_variables

    def candidates(self, child: int) -> NDArray[np.int64]:
        """Return the legal parents of a variable."""
        if self.constraints is None:
            return np.delete(np.arange(self.n), child)
        return np.flatnonzero(self.constraints.allowed[child])

    def max_parents_of(self, child: int) -> int:
        """Return the maximum size of the parent sets of a variable, by the score and the constraints."""
        limit = self.max_parents
        return limit if self.constraints is None else min(limit, int(self.constraints.max_parents[child]))


@dataclass(frozen=True, kw_only=True)
class Builder(ABC):
    """
    A method to select candidate parent sets.

    Parameters
    ----------
    seconds : float, optional
        Time budget; the time to compile or load kernels does not count.
    seconds_per_variable : float, optional
        Time budget of each variable.
    evaluations : int, optional
        Maximum number of families to score, in equal shares for all variables; if this is the only limit, the
        result depends neither on the machine nor on the number of threads.
    max_parents : int, optional
        Size of the largest parent set; None means the largest size that can improve a local score.
    max_sets : int, optional
        Maximum number of sets kept for a variable, the best ones; the empty set is kept in addition.
    memory : int, optional
        Maximum number of bytes for intermediate results.
    pruning : tuple of str, optional
        Names of the pruning rules (`bounds.RULES`), which never remove a set that can be optimal; the table is the
        same without them.
    """

    seconds: float | None = None
    seconds_per_variable: float | None = None
    evaluations: int | None = None
    max_parents: int | None = None
    max_sets: int | None = None
    memory: int = 4 << 30
    pruning: tuple[str, ...] = RULES

    default_seconds: ClassVar[float] = math.inf  # time budget if no limit is given
    default_seconds_per_variable: ClassVar[float] = math.inf
    builds_legally: ClassVar[bool] = False  # whether `build` respects all constraints, required parents included
    enumerates_together: ClassVar[bool] = False  # whether all variables' sets are enumerated together (`Walk`)
    # Limits for the tiny table of `load_kernels`: `Auto` then enumerates two sizes, and grows sets as well.
    warm_up: ClassVar[Mapping[str, int]] = {"evaluations": 110, "max_parents": 4}

    def __post_init__(self) -> None:
        for name, least in (("evaluations", 1), ("max_parents", 0), ("max_sets", 1)):
            if getattr(self, name) is not None:
                require(name, getattr(self, name), at_least=least, whole=True)
        for name in ("seconds", "seconds_per_variable"):
            if getattr(self, name) is not None:
                require(name, getattr(self, name), above=0)
        if self.seconds is not None and self.seconds_per_variable is not None:
            raise InputError("seconds and seconds_per_variable are both given: choose one of them")
        require("memory", self.memory, at_least=1 << 20)
        for rule in self.pruning:
            require_choice("pruning", rule, RULES)

    def total_seconds(self, n: int) -> float:
        """Return the time budget for n variables."""
        if self.seconds is not None:
            return self.seconds
        if self.seconds_per_variable is not None:
            return self.seconds_per_variable * n
        return self.default_seconds if self.evaluations is None else math.inf

    @property
    def searches_each_variable(self) -> bool:
        """Whether each variable has a search of its own even without constraints, which needs further kernels."""
        return False

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def check(self, score: Score) -> None:  # noqa: B027  # most builders support every score
        """Raise an error if the builder does not support a score."""

    @abstractmethod
    def build(self, job: Job) -> Selection:
        """Return the selection: the candidate table and a report; the caller sets `seconds`."""

    def select(
        self,
        data: Dataset,
        score: Score,
        *,
        threads: int | None = None,
        observers: Sequence[Observer] = (),
        constraints: Constraints | None = None,
    ) -> Selection:
        """
        Return the selection for a dataset: the candidate table and a report.

        Ctrl-C or SIGTERM ends the selection with the sets found so far; a second one ends the program.

        Parameters
        ----------
        data, score : data and local score
        threads : number of threads; None means all cores
        observers : functions that are called with an `Event` from time to time, from any thread
        constraints : constraints on parent sets. The table contains only legal sets, with one exception: the last row
            of a variable with required parents is the empty set. Its score is so low that a network with it is worse
            than any legal network
        """
        budget = Budget(threads=threads, observers=observers)
        self.check(score)
        with interrupts_preserved():
            self.load_kernels(data, budget.threads, constraints)
        with stop_on_signals(budget):
            return self.select_within(budget, data, score, constraints)

    def select_within(
        self, budget: Budget, data: Dataset, score: Score, constraints: Constraints | None = None
    ) -> Selection:
        """
        Return the selection for a dataset as one step of a longer computation, such as a run.

        The budget of that computation limits the selection in addition to the builder's own limits.
        """
        self.check(score)
        with budget.clock_paused():
            self.load_kernels(data, budget.threads, constraints)
        job = self._job(budget, data, score, constraints)
        found = self._build(job)
        stop = found.stop if found.complete else job.budget.stop_reason or found.stop
        limit = self._find_limit(data, score)
        return replace(found, seconds=job.budget.elapsed, stop=stop, limit=limit)

    def _find_limit(self, data: Dataset, score: Score) -> int | None:
        """Return the builder's maximum number of parents if it may exclude the best network; otherwise None."""
        asked = data.n_variables if self.max_parents is None else self.max_parents
        return asked if asked < max_useful_parents(data, score, None, self.pruning) else None

    def load_kernels(self, data: Dataset, threads: int, constraints: Constraints | None) -> None:
        """Compile or load all kernels of a selection, so that this takes no time of its budget."""
        constrained = constraints is not None or self.searches_each_variable
        for with_constraints in (False, True) if constrained else (False,):
            select_from_tiny_table(type(self), data.codes.dtype.itemsize, threads > 1, with_constraints)
        if self.enumerates_together:
            select_from_tiny_table(type(self), 1, threads > 1, False, max_parents=2)

    def _build(self, job: Job) -> Selection:
        """Return the table of legal sets, with at most `max_sets` sets for each variable."""
        if job.constraints is None or self.builds_legally:
            found = self.build(job)
        else:
            from bnsearch.selection.constrained import build_legally

            found = build_legally(self, job)
        cut = found.table if self.max_sets is None else found.table.best(self.max_sets, job.constraints)
        is_cut = cut.n_sets < found.table.n_sets
        return replace(found, table=cut, complete=found.complete and not is_cut, is_cut=found.is_cut or is_cut)

    def _job(self, budget: Budget, data: Dataset, score: Score, constraints: Constraints | None) -> Job:
        part = budget.part(
            self.total_seconds(data.n_variables), evaluations=self.evaluations, memory=self.memory
        )  # starts before the bounds are computed, because their time counts
        limit = max_useful_parents(data, score, self.max_parents, self.pruning)
        return Job(
            data=data,
            score=score,
            children=np.arange(data.n_variables),
            max_parents=limit if constraints is None else min(limit, int(constraints.max_parents.max())),
            bound=bound_of(data, score, self.pruning),
            constraints=constraints,
            budget=part,
        )


@cache
def select_from_tiny_table(
    kind: type[Builder], bytes_per_code: int, in_threads: bool, constrained: bool, max_parents: int | None = None
) -> None:
    """
    Select from a tiny table, once in a process, so that all kernels are compiled or loaded.

    max_parents : size of the largest parent set; None means the limits of `Builder.warm_up`. With two parents, the sets
        of the last size have three variables, which have a kernel of their own if all variables are binary
    """
    from bnsearch.knowledge.knowledge import Knowledge
    from bnsearch.scores.bic import BIC

    codes = np.random.default_rng(0).integers(0, 2, (40, 7))
    codes[:, 6] = codes[:, 0] & codes[:, 1]  # two parents are better than one, so kernels for larger sets run, too
    tiny = Dataset.from_codes(codes, arities=[2, 2, 2, 2, 2, 2, 2 if bytes_per_code == 1 else 300])
    parameters: dict[str, Any] = dict(kind.warm_up) if max_parents is None else {"max_parents": max_parents}
    builder = kind(**parameters)
    known = Knowledge(required=(("0", "6"),), forbidden=(("1", "2"),)).constraints(tiny.names) if constrained else None
    builder._build(builder._job(Budget(threads=2 if in_threads else 1), tiny, BIC(), known))
