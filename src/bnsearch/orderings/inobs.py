"""INOBS: hill climbing over orderings by insertions, from many starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bnsearch._tools.registry import require_choice
from bnsearch.orderings.climber import SELECTIONS, Climber
from bnsearch.orderings.restarts import climb_from_starts
from bnsearch.orderings.starts import require_start
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class INOBS:
    """
    Insert-neighbourhood search over orderings with random restarts.

    A variable is taken out of the ordering and put back elsewhere, as long as that improves the score of the best
    network consistent with the ordering; then the search starts again.

    Parameters
    ----------
    selection : which improving insertion to make: a random variable's best ("hybrid"), the best of all ("best"), or the
        first one in random order ("first")
    start : where a climb starts: random, dfs or fas

    References
    ----------
    Lee & van Beek (2017), section 3, Algorithm 1.

    Notes
    -----
    The paper prices the insertions of a variable by a series of adjacent swaps; here all of them are priced in one look
    (see `kernels.insertion`). In "first", insertions are drawn with replacement, which makes each improving one as
    likely to be the first as in the paper's random order; one of them is priced at a time, as in the paper. A variable
    without an improving insertion is recognised when it is drawn first, and not drawn any more. One iteration is one
    climb.
    """

    name: ClassVar[str] = "inobs"
    selection: str = "hybrid"
    start: str = "random"

    def __post_init__(self) -> None:
        require_choice("selection", self.selection, SELECTIONS)
        require_start(self.start)

    def search(self, problem: Problem, run: Run) -> None:
        """Search until the run is told to stop."""
        climb_from_starts(
            problem,
            run,
            self.start,
            Climber,
            lambda climber, order, rng: climber.climb(order, rng, run.halted, self.selection),
        )
