"""Uphill climbs over DAGs that compute the gain of a move only when it would be the next."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.climber import STEPS_PER_CALL, Climber, Rules, members
from bnsearch.parent_sets.bounds import bound_of
from bnsearch.parent_sets.extender import Extender
from bnsearch.scores.score import TOLERANCE
from bnsearch.scores.scorer import Scorer

BATCH = 16  # gains of a family that are computed at a time, at first: about as much work as to group the rows by it

FirstRow = Callable[[int], NDArray[np.float64]]


class LazyClimber(Climber):
    """
    A climber that estimates gains, since a further parent seldom raises what others add to a score.

    Parents that cannot improve a family by a sound bound are not tried.

    Parameters
    ----------
    scorer, extender, rules, memory : as of Climber
    first : returns what each single parent adds to the score of a variable without parents, float64[n], minus infinity
        where it is not allowed
    """

    def __init__(self, scorer: Scorer, extender: Extender, rules: Rules, first: FirstRow, *, memory: int) -> None:
        super().__init__(scorer, extender, rules, memory=memory)
        self.first = first
        self._bound = bound_of(scorer.data, scorer.score)
        self._batch = np.full(scorer.data.n_variables, BATCH)
        self._estimated = np.zeros(scorer.data.n_variables, dtype=np.bool_)  # families with gains never computed

    def climb_lazily(self, most: int = STEPS_PER_CALL) -> Iterator[None]:
        """
        Climb uphill until no move improves, coming back after `most` steps, or sooner where gains were computed.

        A gain that was computed before its family got a further parent is taken as an estimate. It is computed again
        once it would be the best of all, together with the next best of its family. When no move seems to improve the
        graph any more, families are priced in full, those of the lowest scores first, until that is certain.
        """
        from bnsearch.dags.kernels_climb import FINISHED, WANTED, WANTED_PARENT, WANTS_GAIN, WANTS_PRICES, climb

        none = np.zeros(0, dtype=np.uint64)
        while True:
            ended = climb(
                self._graph, self._prices, self._memory, self._rank, self._ranked, none, False,
                self._counters, self._best, self._found, 0, most, TOLERANCE,
            )  # fmt: skip
            child = int(self._counters[WANTED])
            if ended == WANTS_PRICES:
                self._estimate(child)
            elif ended == WANTS_GAIN:
                self._compute(child, int(self._counters[WANTED_PARENT]))
            elif ended == FINISHED and not self._price_next():
                return
            yield

    def _extensions(self, child: int, parents: Sequence[int], own: float) -> NDArray[np.float64]:
        """Return the scores with one more parent, float64[n]."""
        return super()._extensions(child, parents, own) if parents else own + self._first_gains(child)

    def _first_gains(self, child: int) -> NDArray[np.float64]:
        """Return what each single parent adds, where the variable may have parents at all."""
        return self.first(child) if self.rules.limits[child] > 0 else np.full(len(self._rank), -np.inf)

    def _candidates(self, child: int, parents: Sequence[int], own: float) -> NDArray[np.bool_]:
        """Return bool[n], which parents may be added and can improve the family."""
        arities, bound = self.scorer.data.arities, self._bound
        ceiling = self.extender.ceiling(child, parents, bound._replace(slope=0.0))
        cells = math.prod(arities[list(parents)].tolist())
        ceilings = ceiling + bound.slope * (int(arities[child]) - 1.0) * cells * arities
        possible: NDArray[np.bool_] = super()._candidates(child, parents, own) & (ceilings > own)
        return possible

    def _estimate(self, child: int) -> None:
        """Estimate the gains of a family that has changed, and compute the best of them."""
        from bnsearch.dags.kernels_climb import SHRANK, STARTED

        gains, own, _, _, stale, exact = self._prices
        gain, parents = gains[child], members(self._graph[0][child])
        if parents and stale[child] == STARTED:  # nothing is known
            self._price(child)
            return
        free, own[child], without = self._deletions(child, parents)
        if not parents:
            gain[:] = self._first_gains(child)
            exact[child] = True
        else:
            if stale[child] == SHRANK:
                np.maximum(gain, self._first_gains(child), out=gain)
            possible = self._candidates(child, parents, own[child])
            np.minimum(gain, 0.0, out=gain, where=~possible)
            gain[parents] = -np.inf
            gain[free] = without - own[child]
            exact[child] = ~possible
        self._batch[child] = BATCH
        self._estimated[child] = True
        self._compute(child)

    def _compute(self, child: int, wanted: int | None = None) -> None:
        """Compute the best gains of a family that are estimated, and that of one parent if it is wanted."""
        from bnsearch.dags.kernels_climb import ASKED, UP_TO_DATE

        gains, own, top, bound, stale, exact = self._prices
        gain = gains[child]
        candidates = np.flatnonzero((gain > 0.0) & ~exact[child])
        chosen = candidates[np.argsort(-gain[candidates], kind="stable")[: self._batch[child]]]
        if wanted is not None and wanted not in chosen:
            chosen = np.append(chosen, wanted)
        if len(chosen):
            added = self.extender.extend(child, members(self._graph[0][child]), chosen) - own[child]
            added[np.isnan(added)] = -np.inf  # more cells than can be numbered
            gain[chosen], exact[child, chosen] = added, True
            self._batch[child] *= 2
            self.computed += len(chosen)
            self._counters[ASKED] += len(chosen)
        top[child] = bound[child] = gain.max()
        stale[child] = UP_TO_DATE

    def _price_next(self) -> bool:
        """Price the family of the lowest score that has estimated gains; return False if none has."""
        from bnsearch.dags.kernels_climb import STARTED

        _, own, _, _, stale, exact = self._prices
        for child in np.argsort(np.where(self._estimated, own, np.inf))[: self._estimated.sum()].tolist():
            self._estimated[child] = False
            if not exact[child].all():
                self._price(child)
                stale[child] = STARTED  # to be read from memory
                return True
        return False
