"""Structure learning problems: data and a score, or a candidate table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG
    from bnsearch.knowledge.constraints import Constraints
    from bnsearch.knowledge.knowledge import Knowledge
    from bnsearch.parent_sets.scope import Scope
    from bnsearch.parent_sets.table import ParentSets
    from bnsearch.scores.score import Score
    from bnsearch.scores.scorer import Scorer
    from bnsearch.selection.builder import Builder
    from bnsearch.selection.report import Selection


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """
    A structure learning problem: find the DAG with the highest score.

    Parameters
    ----------
    data, score
        Data, and the score to maximise on them.
    table : ParentSets, optional
        Candidate table; without it, a table is selected from the data when a method first needs it.
    selection : Builder, optional
        Builder that selects the table; None means `Auto()`.
    threads : int, optional
        Number of threads of that selection; None means all cores.
    knowledge : Knowledge, optional
        Background knowledge that every network must respect.
    start : DAG, optional
        Network with which the search begins, over the same variables; None means the required edges.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> problem = bnsearch.Problem(data=data, score=bnsearch.BIC())
    >>> problem.size, round(problem.base_score, 3)
    (8, -597.611)
    """

    data: Dataset | None = None
    score: Score | None = None
    table: ParentSets | None = None
    selection: Builder | None = field(default=None, repr=False)
    threads: int | None = None
    knowledge: Knowledge | None = None
    start: DAG | None = None

    def __post_init__(self) -> None:
        if (self.data is None) != (self.score is None):
            raise InputError("a problem needs both data and a score, or a table of parent sets")
        if self.data is None and self.table is None:
            raise InputError("a problem needs data and a score, or a table of parent sets")
        if self.data is not None and self.table is not None and self.data.names != self.table.names:
            raise InputError("the variables of the data and of the table of parent sets differ, or their order does")
        _ = self.constraints  # raises an error if the knowledge is contradictory
        if self.start is not None:
            object.__setattr__(self, "start", self.start.reordered(self.names))
            if self.permits is not None and not self.permits(self.start):
                raise InputError("the network `start` does not respect the knowledge or the limit on parents")

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return self.table.names if self.data is None and self.table is not None else self.needed_data.names

    @property
    def size(self) -> int:
        """Number of variables."""
        return len(self.names)

    @property
    def needed_data(self) -> Dataset:
        """The data; an error if there are none."""
        if self.data is None:
            raise InputError("this method searches with data and a score: a table of parent sets is not enough")
        return self.data

    @property
    def needed_score(self) -> Score:
        """The score; an error if there is none."""
        _ = self.needed_data
        assert self.score is not None
        return self.score

    @cached_property
    def parent_sets(self) -> ParentSets:
        """The legal sets of the given candidate table, or a table selected on first use."""
        if self.table is None:
            return self.selected.table
        if self.constraints is None:
            return self.table
        from bnsearch.parent_sets.legal import restricted

        return restricted(self.table, self.constraints, None if self.data is None else self.scorer)

    @cached_property
    def selected(self) -> Selection:
        """The candidate table selected from the data on first use, with its report."""
        from bnsearch.selection.auto import Auto
        from bnsearch.selection.local_sets import LocalSets

        builder = self.selection or (LocalSets() if self.has_python_score else Auto())
        return builder.select(self.needed_data, self.needed_score, threads=self.threads, constraints=self.constraints)

    @cached_property
    def scorer(self) -> Scorer:
        """The cached local scores, shared by all methods that solve this problem."""
        from bnsearch.scores.local import make_scorer

        return make_scorer(self.needed_data, self.needed_score)

    @property
    def has_python_score(self) -> bool:
        """Whether the score is a Python function, which only methods that search over a candidate table can use."""
        from bnsearch.scores.local import LocalScore

        return isinstance(self.score, LocalScore)

    @cached_property
    def constraints(self) -> Constraints | None:
        """The knowledge by index of the variables; None without knowledge."""
        return None if self.knowledge is None else self.knowledge.constraints(self.names)

    @property
    def permits(self) -> Callable[[DAG], bool] | None:
        """Function that returns True if a network respects the knowledge; None without knowledge."""
        return None if self.constraints is None else self.constraints.permits

    def restrict(self, scope: Scope) -> Scope:
        """Return the networks of a scope that respect the knowledge and the limit on parents."""
        known = self.constraints
        if known is None:
            return scope
        limit = known.common_limit
        return scope.restrict(limit if limit < self.size - 1 else None, by_knowledge=known.has_more_than_limit)

    @cached_property
    def base(self) -> DAG:
        """The network of the required edges; without knowledge, the network without edges."""
        from bnsearch.graphs.dag import DAG

        return DAG.empty(self.names) if self.constraints is None else self.constraints.make_required_dag(self.names)

    @property
    def first(self) -> DAG:
        """The network with which a search begins: `start`, or else `base`."""
        return self.base if self.start is None else self.start

    def score_of(self, dag: DAG) -> float:
        """Return the score of a network; an InputError if it has a parent set that is not in a given table."""
        if self.data is None:
            return self.parent_sets.score_of(dag)
        return math.fsum(self.scorer.families(range(self.size), dag.parents))

    @cached_property
    def base_score(self) -> float:
        """Score of `base`."""
        return self.score_of(self.base)

    @property
    def empty_score(self) -> float:
        """Score of the network without edges, which need not be legal."""
        if self.data is None:
            assert self.table is not None
            return self.table.empty_score
        return math.fsum(self.scorer.families(range(self.size), [()] * self.size))
