"""What all selections of parent sets share: their budgets, their checks, the clock."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import thread_count
from bnsearch.data import Dataset
from bnsearch.errors import InputError, require
from bnsearch.knowledge.constraints import Constraints
from bnsearch.scores.bounds import RULES, Bound, bound_of, max_useful_parents
from bnsearch.scores.score import Score
from bnsearch.selection.progress import Listener, no_progress
from bnsearch.selection.report import Selection


@dataclass(frozen=True, kw_only=True)
class Job:
    """
    One run of a selection.

    Attributes
    ----------
    data, score, threads, progress : what to work on, how many threads to use, whom to tell
    children : int64[...], the variables to select for; of the others only the empty set is wanted
    most : the largest parent set worth considering
    bound : what no larger family can exceed
    started, deadline : on the clock of time.perf_counter
    constraints : which parents a variable may have; None means any
    halt : tells, at any time and from any thread, whether to leave it at what there is
    """

    data: Dataset
    score: Score
    threads: int
    progress: Listener
    children: NDArray[np.int64]
    most: int
    bound: Bound
    started: float
    deadline: float
    constraints: Constraints | None
    halt: Callable[[], bool]

    @property
    def n(self) -> int:
        """The number of variables."""
        return self.data.n_variables

    def candidates(self, child: int) -> NDArray[np.int64]:
        """Return the variables that may be parents of a variable."""
        if self.constraints is None:
            return np.delete(np.arange(self.n), child)
        return np.flatnonzero(self.constraints.allowed[child])

    def most_of(self, child: int) -> int:
        """Return the largest parent set of a variable that is worth considering."""
        return self.most if self.constraints is None else min(self.most, int(self.constraints.limits[child]))

    def late(self, reserve: float = 0.0) -> bool:
        """Tell whether to stop: the time is up but for a reserve, or somebody wants it."""
        return time.perf_counter() + reserve >= self.deadline or self.halt()


@dataclass(frozen=True, kw_only=True)
class Builder(ABC):
    """
    A way to select candidate parent sets.

    Parameters
    ----------
    seconds : total time; once the kernels are compiled, which the first call of a process waits for
    seconds_per_variable : the same, for each variable
    evaluations : families scored in all, each variable having an equal share; if this is the only limit, the result
        depends neither on the machine nor on the number of threads
    max_parents : the largest parent set; None means as large as can ever pay
    max_sets : the most sets kept of a variable, the best ones; the empty set comes on top
    memory : the most bytes for what a selection keeps while it works
    pruning : the sound bounds that save work, of `bounds.RULES`; the table is the same without them
    """

    seconds: float | None = None
    seconds_per_variable: float | None = None
    evaluations: int | None = None
    max_parents: int | None = None
    max_sets: int | None = None
    memory: int = 4 << 30
    pruning: tuple[str, ...] = RULES

    default_seconds: ClassVar[float] = math.inf  # where no limit is given
    default_seconds_per_variable: ClassVar[float] = math.inf
    builds_legally: ClassVar[bool] = False  # whether `build` heeds constraints by itself, required parents included
    # for auto enough for a second size on the tiny table of `load_kernels`, not for all of it
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
            if rule not in RULES:
                raise InputError(f"pruning knows the rules {', '.join(RULES)}, not {rule!r}")

    def total_seconds(self, n: int) -> float:
        """Return the time for all of n variables."""
        if self.seconds is not None:
            return self.seconds
        if self.seconds_per_variable is not None:
            return self.seconds_per_variable * n
        return self.default_seconds if self.evaluations is None else math.inf

    @property
    def searches_lattices(self) -> bool:
        """Whether each variable has a search of its own even without constraints: those kernels are loaded, too."""
        return False

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def check(self, score: Score) -> None:  # noqa: B027  # most selections take any score
        """Refuse a score that this selection cannot work with."""

    @abstractmethod
    def build(self, job: Job) -> Selection:
        """Build the candidate table; of what is returned, `seconds` is not looked at."""

    def select(
        self,
        data: Dataset,
        score: Score,
        *,
        threads: int | None = None,
        progress: Listener = no_progress,
        constraints: Constraints | None = None,
        halt: Callable[[], bool] = lambda: False,
    ) -> Selection:
        """
        Build the candidate table of a dataset; on Ctrl-C, of what there is, unless `halt` says that this was asked for.

        Parameters
        ----------
        data, score : what to score
        threads : how many; None means all cores
        progress : called with a `Scoring` now and then, from any thread
        constraints : which sets are legal; the table holds no other ones, but for the empty set, which stands last with
            a score that no network makes up for where parents are required
        halt : asked every few milliseconds, from any thread, whether to leave it at what there is
        """
        self.check(score)
        workers = thread_count(threads)
        for constrained in (False, True)[: 1 + (constraints is not None or self.searches_lattices)]:
            load_kernels(type(self), data.codes.dtype.itemsize, workers > 1, constrained)
        job = self._job(data, score, workers, progress, constraints, halt)
        found = self._build(job)
        return replace(found, seconds=time.perf_counter() - job.started)

    def _build(self, job: Job) -> Selection:
        """Build the table, of legal sets alone, of each variable's best where it has too many."""
        if job.constraints is None or self.builds_legally:
            found = self.build(job)
        else:
            from bnsearch.selection.constrained import build_legally

            found = build_legally(self, job)
        cut = found.table if self.max_sets is None else found.table.best(self.max_sets, job.constraints)
        return replace(found, table=cut, complete=found.complete and cut.n_sets == found.table.n_sets)

    def _job(
        self,
        data: Dataset,
        score: Score,
        threads: int,
        progress: Listener,
        constraints: Constraints | None = None,
        halt: Callable[[], bool] = lambda: False,
    ) -> Job:
        started = time.perf_counter()
        return Job(
            data=data,
            score=score,
            threads=threads,
            progress=progress,
            children=np.arange(data.n_variables),
            most=max_useful_parents(data, score, self.max_parents, self.pruning),
            bound=bound_of(data, score, self.pruning),
            started=started,
            deadline=started + self.total_seconds(data.n_variables),
            constraints=constraints,
            halt=halt,
        )


@cache
def load_kernels(kind: type[Builder], bytes_per_code: int, in_threads: bool, constrained: bool = False) -> None:
    """Select on a tiny table, so that no kernel is compiled or loaded while a clock runs."""
    from bnsearch.knowledge.knowledge import Knowledge
    from bnsearch.scores.bic import BIC

    codes = np.random.default_rng(0).integers(0, 2, (40, 7))
    codes[:, 6] = codes[:, 0] & codes[:, 1]  # sets grow and are merged
    tiny = Dataset.from_codes(codes, arities=[2, 2, 2, 2, 2, 2, 2 if bytes_per_code == 1 else 300])
    parameters: dict[str, Any] = dict(kind.warm_up)
    builder = kind(**parameters)
    known = Knowledge(required=(("0", "6"),), forbidden=(("1", "2"),)).constraints(tiny.names) if constrained else None
    found = builder._build(builder._job(tiny, BIC(), 2 if in_threads else 1, no_progress, known))
    if found.stop == "interrupted":  # which this table is too small to be worth: the interrupt is the caller's
        raise KeyboardInterrupt
