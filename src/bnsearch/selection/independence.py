"""Independence selection: sets are scored in the order of BIC*, an estimate that assumes independent parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import products_of_sets
from bnsearch.counting.columns import Layout, usual_layout
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.scores.aic import AIC
from bnsearch.scores.bic import BIC
from bnsearch.scores.score import TOLERANCE, Score, tie_margins
from bnsearch.selection.best_first import BestFirst
from bnsearch.selection.builder import Job
from bnsearch.selection.frontier import FoundSets, Frontier
from bnsearch.selection.search_pool import StartSearch

TABULATED_SIZE = 8  # largest size of sets whose numbers of cells have tabulated terms
POPS = 512  # number of open sets taken from the heap in one kernel call, a few milliseconds


@dataclass(frozen=True, kw_only=True)
class Independence(BestFirst):
    """
    Best-first search of each variable's parent sets by an estimate of their score, BIC*; for BIC and AIC.

    Parameters
    ----------
    seconds
        Total time budget, divided evenly among the variables.
    seconds_per_variable
        Time budget of each variable; two minutes if no limit at all is given.
    evaluations
        Number of families to score for all variables, in equal shares; families of up to one parent are always
        scored. If this is the only limit, the result depends neither on the machine nor on the number of threads.
    max_parents
        Size of the largest parent set; None means the largest size that can improve a local score.
    max_sets
        Maximum number of sets kept for a variable, the best ones; the empty set is kept in addition.
    memory
        Bytes for the sets that are searched; a variable's search ends when its share is used up.
    pruning
        Names of the pruning rules, which do not change the result.

    References
    ----------
    Perez & Maua (2016), section 3.3. Scanagatta, de Campos, Corani & Zaffalon (2015). Learning Bayesian networks with
    thousands of variables.

    Notes
    -----
    The estimate of a set is BIC*(Y, Z) = BIC(Y) + BIC(Z) + inter(Y, Z), for a scored set Y and one more parent Z. The
    penalty in `inter` uses the exact product of arities. Under AIC the factor log(N) / 2 is replaced by 1. If a set is
    made of several pairs (Y, Z), it gets the highest of the estimates; the paper keeps the first one.

    Among candidates of one arity the order of the estimates does not depend on Y. So each scored set has one open entry
    for each arity, that of its best candidate. No set scores more than minus its penalty. If a subset scores as much,
    neither the set nor its supersets are scored.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> selection = bnsearch.Independence(evaluations=500).select(data, bnsearch.BIC())
    >>> selection.kept, selection.complete
    (37, False)
    """

    def check(self, score: Score) -> None:
        """Raise an InputError for scores other than BIC and AIC."""
        if not isinstance(score, BIC | AIC):
            raise InputError(
                f"independence selection estimates scores by BIC*, which needs BIC or AIC, not {score.name}: "
                "choose another selection, or one of these scores"
            )

    def prepare(self, job: Job) -> Callable[[], StartSearch]:
        """Return a function that, called in each thread, returns the function that starts a variable's search."""
        data, max_parents, bounded = job.data, job.max_parents, job.bound.slope < 0
        layout = usual_layout(data)
        products = products_of_sets(layout.columns.arities, TABULATED_SIZE)
        terms = job.score.joint(data.n_rows).terms(data.n_rows, products)

        def for_thread() -> StartSearch:
            from bnsearch.counting.kernels_set import new_scratch

            tools = (layout.arrays, new_scratch(layout.columns, max_parents + 1), terms)
            return lambda child, deadline: IndependenceSearch(
                data, layout, tools, child, job.candidates(child), job.max_parents_of(child), bounded
            )

        return for_thread


class IndependenceSearch:
    """The independence search of one variable; `VariableSearch` describes its attributes."""

    is_exhaustive = True  # of a finished search
    depth = 1  # single parents are scored when the search starts
    ending = "complete"

    def __init__(
        self,
        data: Dataset,
        layout: Layout,
        tools: tuple[Any, ...],
        child: int,
        candidates: NDArray[np.int64],
        max_parents: int,
        bounded: bool,
    ) -> None:
        from bnsearch.counting.kernels_terms import SLOPE
        from bnsearch.selection.kernels_independence import close_singles, score_family, score_singles

        place = layout.place[child]
        columns, scratch, terms = tools
        empty = score_family(columns, scratch, np.array([place]), terms)
        candidates = candidates if max_parents else candidates[:0]
        scores = np.empty(len(candidates), dtype=np.float64)
        score_singles(*tools, place, layout.place[candidates], scores)
        arities = data.arities[candidates]
        order = np.lexsort((-scores, arities))
        self._frontier = frontier = Frontier(candidates[order], arities[order], empty)
        singles = scores[order]
        ends = np.searchsorted(frontier.arities, frontier.arities, side="right").astype(np.int64)
        self._classes = len(np.unique(ends))  # number of different arities
        # Penalty of one cell of the parents; minus the slope is the penalty of one parameter.
        cell_penalty = -terms[SLOPE] * float(data.arities[child] - 1)
        number = len(candidates)
        frontier.reserve(nodes=number, opened=number * self._classes, seen=number)
        close_singles(
            frontier.nodes, frontier.heap, frontier.number, frontier.arities, frontier.random, singles, ends,
            frontier.slots, cell_penalty, bounded, TOLERANCE, max_parents > 1,
        )  # fmt: skip
        self._fixed = (
            *tools, place, layout.place[frontier.candidates], frontier.arities, frontier.random, singles, ends,
            cell_penalty, bounded, TOLERANCE, max_parents,
        )  # fmt: skip

    @property
    def evaluations(self) -> int:
        """Number of families scored so far."""
        from bnsearch.selection.kernels_frontier import NODES

        return int(self._frontier.number[NODES])

    @property
    def finished(self) -> bool:
        """True if no open set is left."""
        from bnsearch.selection.kernels_frontier import OPEN

        return bool(self._frontier.number[OPEN] == 0)

    @property
    def nbytes(self) -> int:
        """Memory of the search in bytes."""
        return self._frontier.nbytes

    def step(self, max_families: int) -> None:
        """Score the open sets with the highest estimates, `max_families` at most."""
        from bnsearch.selection.kernels_independence import search_by_estimates

        frontier = self._frontier
        frontier.reserve(nodes=POPS, opened=POPS * self._classes, seen=POPS)
        arrays = frontier.nodes, frontier.heap, frontier.slots, frontier.number
        search_by_estimates(*self._fixed, *arrays, POPS, max_families)

    def found(self) -> FoundSets:
        """Return the empty set, and all sets that score higher than the sets that they extend."""
        from bnsearch.selection.kernels_frontier import NODES

        used = int(self._frontier.number[NODES])
        parent, added, _, _, scores, below, _ = (array[1:used] for array in self._frontier.nodes)
        better = scores > below + tie_margins(below)
        return self._frontier.sets(parent[better], added[better], scores[better])
