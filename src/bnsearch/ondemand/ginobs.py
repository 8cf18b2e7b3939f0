"""GINOBS: insertions in an ordering, with parents grown on demand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch.dags.lazy_climber import LazyClimber
from bnsearch.errors import require
from bnsearch.ondemand.family_grower import FamilyGrower
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.ondemand.row_caches import RowCaches
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations


@dataclass(frozen=True, kw_only=True)
class GINOBS:
    """
    Search over orderings without a candidate table: parents are grown among the predecessors of a variable.

    One step inserts a random variable next to a related one. Variables that lose a parent by this, or can gain one, get
    new parents. These grow by additions, deletions and exchanges, once from the current parents that still precede the
    variable and once from none; the best family met before is a third choice. A step is undone if its loss exceeds a
    threshold. The threshold adapts so that a given share of the losing steps is accepted. This share falls to zero over
    a round, and each round is longer than the one before.

    Parameters
    ----------
    islands : int, default 2
        Number of orderings that are searched in parallel. After each round the worse half of them moves to the best
        network; an ordering that is as good, but has not improved for long, restarts.
    memory : int, optional
        Bytes for the caches of all islands together.

    Notes
    -----
    Growing parents along an ordering follows the permutation searches GRaSP (Lam, Andrews & Ramsey 2022) and BOSS
    (Andrews et al. 2023). The scores of all extensions of a family by one more parent are one row, which is counted at
    once and cached. So after the first seconds most rows are in the cache. One iteration is one step.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.GINOBS()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(50), seed=1)
    >>> round(result.score, 3)
    -454.28
    """

    name: ClassVar[str] = "ginobs"
    begins_at_start: ClassVar[bool] = True
    space: ClassVar[str] = "orderings; parent sets are generated on demand"
    needs: ClassVar[Needs] = Needs.DATA
    paper: ClassVar[str] = "ours"
    purpose: ClassVar[str] = "on dense tables, where parent sets are large"
    kernel_groups: ClassVar[tuple[str, ...]] = ("climb", "lazy", "chain", "scorer")
    islands: int = 2
    memory: int = 1 << 29

    def __post_init__(self) -> None:
        require("islands", self.islands, at_least=1, whole=True)
        require("memory", self.memory, at_least=1 << 20)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run stops."""
        model = IslandModel(problem, run, self.islands, self.memory, on_demand_only=True)
        model.start()
        while run.going() and model.is_started:
            model.search_round()

    def load_rare_kernels(self, problem: Problem) -> None:
        """Compile or load the kernels of restarts, tables, caches and growth, which short searches do not use."""
        run = Run(Iterations(1), seed=0)
        model = IslandModel(problem, run, 1, self.memory, on_demand_only=True)
        model.start()
        model.table.find_index().table.best(1)
        model.islands[0].restart(run)
        model.islands[0].chain.cache_rows_of(LazyClimber(problem, model.source.pairs, model.source.limits))
        RowCaches(1, 1 << 16, problem.size).load_kernels()
        FamilyGrower(problem).load_kernels()
