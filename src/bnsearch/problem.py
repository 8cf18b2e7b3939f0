"""What is to be solved: data and a score, or a table of candidate parent sets."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.parent_sets.builder import Builder
    from bnsearch.parent_sets.table import ParentSets
    from bnsearch.scores.score import Score
    from bnsearch.scores.scorer import Scorer


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
    """

    data: Dataset | None = None
    score: Score | None = None
    table: ParentSets | None = None
    selection: Builder | None = field(default=None, repr=False)
    threads: int | None = None

    def __post_init__(self) -> None:
        if (self.data is None) != (self.score is None):
            raise InputError("a problem needs both data and a score, or a table of parent sets")
        if self.data is None and self.table is None:
            raise InputError("a problem needs data and a score, or a table of parent sets")
        if self.data is not None and self.table is not None and self.data.names != self.table.names:
            raise InputError("the variables of the data and of the table of parent sets differ, or their order does")

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
        """The candidate parent sets: those given, or selected now."""
        if self.table is not None:
            return self.table
        from bnsearch.parent_sets.auto import Auto

        builder = self.selection or Auto()
        return builder.select(self.needed_data, self.needed_score, threads=self.threads).table

    @cached_property
    def scorer(self) -> Scorer:
        """Local scores on demand, cached, shared by all methods that solve this problem."""
        from bnsearch.scores.scorer import Scorer

        return Scorer(self.needed_data, self.needed_score)

    @property
    def empty_score(self) -> float:
        """The score of the graph without edges."""
        if self.data is None:
            table = self.parent_sets
            return math.fsum(table.scores[table.begin[1:] - 1])  # the empty set stands last
        return math.fsum(self.scorer.family(v, ()) for v in range(self.size))
