"""Greedy selection: the open set with the highest local score is extended first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import require
from bnsearch.scores.bounds import Bound
from bnsearch.scores.extender import Extender
from bnsearch.scores.score import improves, tie_margin
from bnsearch.selection.best_first import BestFirst
from bnsearch.selection.builder import Job
from bnsearch.selection.frontier import FoundSets, Frontier
from bnsearch.selection.search_pool import StartSearch


@dataclass(frozen=True, kw_only=True)
class Greedy(BestFirst):
    """
    Best-first search of each variable's parent sets by their local score.

    Parameters
    ----------
    seconds
        Total time budget, divided evenly among the variables.
    seconds_per_variable
        Time budget of each variable; two minutes if no limit at all is given.
    evaluations
        Number of families to score for all variables. A variable whose equal share is used up extends no further
        set. If this is the only limit, the result depends neither on the machine nor on the number of threads.
    max_parents
        Size of the largest parent set; None means the largest size that can improve a local score.
    max_sets
        Maximum number of sets kept for a variable, the best ones; the empty set is kept in addition.
    memory
        Bytes for the sets that are searched; a variable's search ends when its share is used up.
    pruning
        Names of the pruning rules, which do not change the result.
    max_open : int, default 100000
        Number of open sets to keep for a variable. Once it has more than twice as many, only the best ones stay
        open, and from then on no worse set is opened.

    References
    ----------
    Perez & Maua (2016), section 3.2.

    Notes
    -----
    A step extends the best open set by every other variable. All extensions are scored together and opened. An
    extension is kept in the table if it scores higher than the set that it extends, and higher than the sets on the way
    from the empty set to that one. A set is not extended if, by the bound of the score, no superset can beat it.

    Sets that are still open at the end are kept, too, because they have been scored; the paper's Algorithm 1 returns
    only the closed ones. Without a time budget the search ends when no set is open, and is then exhaustive. The
    searches of the paper's Tables I, II and IV stop earlier, by a rule that the text does not describe: for the 16
    variables of Nltcs they have 13,600 sets, and the exhaustive searches 365,100, both with two minutes for each
    variable.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> selection = bnsearch.Greedy(evaluations=500).select(data, bnsearch.BIC())
    >>> selection.kept, selection.complete
    (37, False)
    """

    max_open: int = 100_000

    def __post_init__(self) -> None:
        super().__post_init__()
        require("max_open", self.max_open, at_least=1)

    def prepare(self, job: Job) -> Callable[[], StartSearch]:
        """Return a function that, called in each thread, returns the function that starts a variable's search."""
        extender = Extender(job.data, job.score)

        def for_thread() -> StartSearch:
            own = extender.fork()
            return lambda child, deadline: GreedySearch(
                own, child, job.candidates(child), job.max_parents_of(child), job.bound, self.max_open
            )

        return for_thread


class GreedySearch:
    """The greedy search of one variable; `VariableSearch` describes its attributes."""

    depth = 1  # single parents are scored when the search starts
    ending = "complete"

    def __init__(
        self,
        extender: Extender,
        child: int,
        candidates: NDArray[np.int64],
        max_parents: int,
        bound: Bound,
        max_open: int,
    ) -> None:
        self._extender, self._child, self._bound = extender, child, bound
        self._max_parents, self._max_open = max_parents, max_open
        self._frontier = Frontier(candidates, extender.data.arities[candidates], extender.empty(child))
        self._kept: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]] = []
        self._least = -np.inf  # sets with a lower score are not opened
        self._extend(0)

    @property
    def evaluations(self) -> int:
        """Number of families scored so far."""
        from bnsearch.selection.kernels_frontier import SEEN

        return 1 + int(self._frontier.number[SEEN])

    @property
    def finished(self) -> bool:
        """True if no open set is left."""
        from bnsearch.selection.kernels_frontier import OPEN

        return bool(self._frontier.number[OPEN] == 0)

    @property
    def is_exhaustive(self) -> bool:
        """True if no set was left unopened because of its score."""
        return self._least == -np.inf

    @property
    def nbytes(self) -> int:
        """Memory of the search in bytes."""
        return self._frontier.nbytes

    def step(self, max_families: int) -> None:
        """Extend the best open set; its extensions are scored together, so `max_families` is not used."""
        from bnsearch.selection.kernels_frontier import close_best

        frontier = self._frontier
        frontier.reserve(nodes=1, opened=0, seen=0)
        node = close_best(frontier.nodes, frontier.heap, frontier.number, frontier.arities, frontier.random)
        self._extend(node)

    def _extend(self, node: int) -> None:
        """Score all extensions of a node's set that were not scored before; open them, and keep the better ones."""
        from bnsearch.selection.kernels_frontier import NODE_BELOW, NODE_SCORE, OPEN, push_extensions, take_unseen

        frontier, extender = self._frontier, self._extender
        parents = frontier.members(node)
        # The highest score of the set and of its subsets on the way from the empty set.
        best = float(max(frontier.nodes[NODE_SCORE][node], frontier.nodes[NODE_BELOW][node]))
        if len(parents) == self._max_parents:
            return
        if not improves(extender.ceiling(self._child, parents, self._bound), best):
            return
        number = len(frontier.candidates)
        frontier.reserve(nodes=0, opened=number, seen=number)
        unseen = np.empty(number, dtype=np.int64)
        found = take_unseen(frontier.nodes, node, frontier.random, frontier.slots, frontier.number, unseen)
        unseen = unseen[:found]
        scores = extender.extend(self._child, parents, frontier.candidates[unseen])
        better = np.flatnonzero(scores > best + tie_margin(best))
        self._kept.append((np.full(len(better), node, np.int32), unseen[better].astype(np.int32), scores[better]))
        if len(parents) + 1 < self._max_parents:
            good = scores >= self._least
            push_extensions(frontier.heap, frontier.number, node, unseen[good], scores[good])
            if frontier.number[OPEN] > 2 * self._max_open:
                self._least = frontier.keep_best_open(self._max_open)

    def found(self) -> FoundSets:
        """Return the empty set, and all sets that score higher than the sets that they extend."""
        if not self._kept:
            nothing = np.empty(0, dtype=np.int32)
            return self._frontier.sets(nothing, nothing, np.empty(0))
        node, added, scores = (np.concatenate(parts) for parts in zip(*self._kept, strict=True))
        return self._frontier.sets(node, added, scores)
