"""What is to be solved: data and a score, or a table of candidate parent sets."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from bnsearch._tools.memory import default_memory
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG
    from bnsearch.knowledge.constraints import Constraints
    from bnsearch.knowledge.knowledge import Knowledge
    from bnsearch.parent_sets.table import ParentSets
    from bnsearch.scores.score import Score
    from bnsearch.scores.scorer import Scorer
    from bnsearch.selection.builder import Builder
    from bnsearch.selection.report import Selection


@dataclass(frozen=True, eq=False, kw_only=True)
class Problem:
    """
    A structure learning problem: find the DAG of the highest score.

    Parameters
    ----------
    data, score : the table and what to maximise on it
    table : candidate parent sets; without it they are selected from the data when a method first asks for them
    selection : how to select them; None means `Auto()`
    threads : how many to use for that; None means all cores
    knowledge : what every network must respect
    memory : bytes for tables and caches; by default a quarter of the machine's memory, at most 4 GiB
    """

    data: Dataset | None = None
    score: Score | None = None
    table: ParentSets | None = None
    selection: Builder | None = field(default=None, repr=False)
    threads: int | None = None
    knowledge: Knowledge | None = None
    memory: int = field(default_factory=default_memory)

    def __post_init__(self) -> None:
        if (self.data is None) != (self.score is None):
            raise InputError("a problem needs both data and a score, or a table of parent sets")
        if self.data is None and self.table is None:
            raise InputError("a problem needs data and a score, or a table of parent sets")
        if self.data is not None and self.table is not None and self.data.names != self.table.names:
            raise InputError("the variables of the data and of the table of parent sets differ, or their order does")
        _ = self.constraints  # contradictions are refused before any work

    @property
    def names(self) -> tuple[str, ...]:
        """The variables."""
        return self.table.names if self.data is None and self.table is not None else self.needed_data.names

    @property
    def size(self) -> int:
        """The number of variables."""
        return len(self.names)

    @property
    def needed_data(self) -> Dataset:
        """The data, where a method cannot do without."""
        if self.data is None:
            raise InputError("this method searches with data and a score: a table of parent sets is not enough")
        return self.data

    @property
    def needed_score(self) -> Score:
        """The score, where a method cannot do without."""
        _ = self.needed_data
        assert self.score is not None
        return self.score

    @cached_property
    def parent_sets(self) -> ParentSets:
        """The candidate parent sets: the legal ones of those given, or selected now."""
        if self.table is None:
            return self.selected.table
        if self.constraints is None:
            return self.table
        from bnsearch.parent_sets.legal import restricted

        return restricted(self.table, self.constraints, None if self.data is None else self.scorer)

    @cached_property
    def selected(self) -> Selection:
        """The candidate parent sets selected from the data, and how they were."""
        from bnsearch.selection.auto import Auto

        builder = self.selection or Auto()
        return builder.select(self.needed_data, self.needed_score, threads=self.threads, constraints=self.constraints)

    @cached_property
    def scorer(self) -> Scorer:
        """Local scores on demand, cached, shared by all methods that solve this problem."""
        from bnsearch.scores.scorer import Scorer

        return Scorer(self.needed_data, self.needed_score)

    @cached_property
    def constraints(self) -> Constraints | None:
        """What the knowledge means for the variables; None where there is none."""
        return None if self.knowledge is None else self.knowledge.constraints(self.names)

    @property
    def base(self) -> DAG:
        """The network of the required edges alone: without knowledge, that without edges."""
        from bnsearch.graphs.dag import DAG

        return DAG.empty(self.names) if self.constraints is None else self.constraints.make_required_dag(self.names)

    @cached_property
    def base_score(self) -> float:
        """The score of `base`."""
        if self.data is None:
            return self.parent_sets.score_of(self.base)
        return math.fsum(self.scorer.families(range(self.size), self.base.parents))

    @property
    def empty_score(self) -> float:
        """The score of the network without edges, whether it is legal or not."""
        if self.data is None:
            assert self.table is not None
            return self.table.empty_score
        return math.fsum(self.scorer.families(range(self.size), [()] * self.size))
