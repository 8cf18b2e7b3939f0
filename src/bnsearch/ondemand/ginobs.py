"""GINOBS: insertions along an ordering, with parents grown on demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.errors import require
from bnsearch.ondemand.islands import Islands
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class GINOBS:
    """
    Search over orderings without a candidate table: the parents of a variable are grown among those before it.

    One step inserts a random variable beside another one that depends on it. Variables that lose a parent by that, or
    can gain one, get new parents: what grows, by additions, deletions and exchanges, from their parents that still
    stand before them and from none, or the best family met before. A step that ends in too much of a loss is undone.
    How much is too much adapts, so that a given share of losing steps is accepted; the share falls to zero over a
    round, and each round is longer than the one before.

    Parameters
    ----------
    islands : orderings that are searched side by side; after each round the worst goes on from the best one's network,
        or, where all are equally good for long, from a new start
    memory : bytes for the caches of all islands together

    Notes
    -----
    Growing parents along an ordering follows the permutation searches GRaSP (Lam, Andrews & Ramsey 2022) and BOSS
    (Andrews et al. 2023). What all extensions of a family by one more parent score is one row, counted at once and
    cached, so that after the first seconds growing is mostly looking up. One iteration is one step.
    """

    name: ClassVar[str] = "ginobs"
    islands: int = 2
    memory: int = 1 << 29

    def __post_init__(self) -> None:
        require("islands", self.islands, at_least=1, whole=True)
        require("memory", self.memory, at_least=1 << 20)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run is told to stop."""
        islands = Islands(problem, run, self.islands, self.memory, alone=True)
        islands.begin()
        while run.going() and islands.ready:
            islands.round()
