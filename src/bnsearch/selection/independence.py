"""Independence selection: the set that would score best, were its parts independent, is scored first."""

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
from bnsearch.selection.frontier_layout import NODES, OPEN
from bnsearch.selection.variable_searches import Begin

TABULATED_SIZE = 8
POPS = 512  # open sets that one call of the kernel takes: some milliseconds, for which a thread does not wait


@dataclass(frozen=True, kw_only=True)
class Independence(BestFirst):
    """
    Best-first search of each variable's parent sets by an estimate of their score, BIC*; for BIC and AIC.

    Parameters
    ----------
    seconds : total time, shared evenly by the variables
    seconds_per_variable : time for each variable; two minutes where no limit at all is given
    evaluations : families scored in all, no fewer than those of up to one parent; each variable has an equal share, and
        if this is the only limit the result depends on nothing else
    max_parents : the largest parent set; None means as large as can ever pay (a sound bound of the score)
    max_sets : the most sets kept of a variable, the best ones; the empty set comes on top
    memory : the most bytes for the sets that are searched; a variable's search ends when its part is used up
    pruning : sound bounds to use

    References
    ----------
    Perez & Maua (2016), section 3.3. Scanagatta, de Campos, Corani & Zaffalon (2015). Learning Bayesian networks with
    thousands of variables.

    Notes
    -----
    BIC*(Y, Z) = BIC(Y) + BIC(Z) + inter(Y, Z) for a scored set Y and one more parent Z; the penalty in `inter` has the
    exact product of arities, and AIC's slope in place of log(N) / 2 under AIC. A set that can be made in several ways
    is taken at the highest of its estimates, where the paper keeps the first. Among candidates of one arity the order
    of the estimates does not depend on Y, so one open entry for each scored set and arity is enough. A set whose
    penalty alone costs more than a subset's score is never scored, nor are its supersets.
    """

    def check(self, score: Score) -> None:
        """Refuse a score that BIC* does not estimate."""
        if not isinstance(score, BIC | AIC):
            raise InputError(
                f"independence selection estimates scores by BIC*, which needs BIC or AIC, not {score.name}: "
                "choose another selection, or one of these scores"
            )

    def prepare(self, job: Job) -> Callable[[], Begin]:
        """Return what makes, for each thread, the function that begins the search of a variable."""
        data, most, bounded = job.data, job.most, job.bound.slope < 0
        layout = usual_layout(data)
        products = products_of_sets(layout.columns.arities, TABULATED_SIZE)
        terms = job.score.joint(data.n_rows).terms(data.n_rows, products)

        def for_thread() -> Begin:
            from bnsearch.counting.kernels_set import new_scratch

            tools = (tuple(layout.columns), new_scratch(layout.columns, most + 1), terms)
            return lambda child, until: IndependenceSearch(
                data, layout, tools, child, job.candidates(child), job.most_of(child), bounded
            )

        return for_thread


class IndependenceSearch:
    """The independence search of one variable."""

    exhaustive = True  # once finished
    depth = 1  # single parents are scored at once
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
        self._classes = len(np.unique(ends))
        price = -terms[SLOPE] * float(data.arities[child] - 1)  # minus the slope is the penalty of one parameter
        more = len(candidates)
        frontier.reserve(nodes=more, opened=more * self._classes, seen=more)
        close_singles(
            frontier.nodes, frontier.heap, frontier.number, frontier.arities, frontier.random, singles, ends,
            frontier.slots, price, bounded, TOLERANCE, max_parents > 1,
        )  # fmt: skip
        self._fixed = (
            *tools, place, layout.place[frontier.candidates], frontier.arities, frontier.random, singles, ends,
            price, bounded, TOLERANCE, max_parents,
        )  # fmt: skip

    @property
    def evaluations(self) -> int:
        """Families scored so far."""
        return int(self._frontier.number[NODES])

    @property
    def finished(self) -> bool:
        """Whether no open set is left."""
        return bool(self._frontier.number[OPEN] == 0)

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        return self._frontier.nbytes

    def step(self, most: int) -> None:
        """Score the most promising open sets."""
        from bnsearch.selection.kernels_independence import search_by_estimates

        frontier = self._frontier
        frontier.reserve(nodes=POPS, opened=POPS * self._classes, seen=POPS)
        search_by_estimates(*self._fixed, frontier.nodes, frontier.heap, frontier.slots, frontier.number, POPS, most)

    def found(self) -> FoundSets:
        """Return the empty set and all sets that beat what they were made of."""
        used = int(self._frontier.number[NODES])
        parent, added, _, _, scores, below, _ = (array[1:used] for array in self._frontier.nodes)
        better = scores > below + tie_margins(below)
        return self._frontier.sets(parent[better], added[better], scores[better])
