"""The search of one variable's legal parent sets: enumeration of small sizes, then growth of the best sets."""

from __future__ import annotations

from collections.abc import Callable
from math import comb, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError
from bnsearch.scores.bounds import Bound
from bnsearch.scores.extender import Extender
from bnsearch.scores.score import improves, tie_margins
from bnsearch.selection.frontier import FoundSets
from bnsearch.selection.variable_growth import VariableGrowth

MAX_SETS = 1 << 18  # largest number of sets of a size that is enumerated
FAMILIES_PER_STEP = 4000  # number of families that a step scores before the clock is read
LOWEST = -1e300  # replaces minus infinity, to which no tolerance can be added
BYTES_PER_SET = 17  # memory of an enumerated set, in addition to four bytes for each member
SECONDS_PER_MEMBER = 1e-8  # time for preparing the arrays of a size, for each member of each set
MAX_PREPARATION_SHARE = 0.1  # maximum share of the remaining time for preparing the arrays of a size
MAX_SIZE_SHARE = 0.5  # share of the remaining time and evaluations that the enumeration of one more size may take


class Level(NamedTuple):
    """
    All sets of the required parents and a number of candidates, in colexicographic order.

    Attributes
    ----------
    places : int32[sets, size], indices of the candidates, ascending
    scores : float64[sets], local scores; minus infinity for sets that were not scored
    below : float64[sets], the best score of all legal proper subsets
    open : bool[sets], True for sets of which a superset can be optimal
    """

    places: NDArray[np.int32]
    scores: NDArray[np.float64]
    below: NDArray[np.float64]
    open: NDArray[np.bool_]

    @property
    def best(self) -> NDArray[np.float64]:
        """The best score among each set and its legal subsets."""
        return np.maximum(self.scores, self.below)

    @property
    def kept(self) -> NDArray[np.int64]:
        """The sets that no legal subset matches or beats."""
        return np.flatnonzero(_improves(self.scores, self.below))


class LatticeSearch:
    """
    The search over the sets that contain a variable's required parents and any of its candidates.

    A set is kept if no subset *with the required parents* matches or beats it. Sizes are enumerated one after the
    other, while the next one has at most `MAX_SETS` sets and fits into half of the remaining time and evaluations. Then
    the best sets are grown (see `VariableGrowth`), and the search is no longer exhaustive. With `enumeration_bytes`,
    all sizes that fit into this memory are enumerated, and nothing is grown.

    Parameters
    ----------
    extender : the data and the score
    child : the variable
    required : its required parents
    candidates : int64[m], its other allowed parents, ascending
    max_parents : size of the largest set, no smaller than the number of required parents
    bound : upper bound on the scores of supersets
    clock : function that returns the current time in seconds
    deadline : end of the search, on that clock
    enumeration_bytes : memory for the enumerated sizes. The search ends at a size that does not fit, and nothing is
        grown. None means that sets are grown

    Attributes
    ----------
    evaluations : number of families scored so far
    finished : True if no set is left to score
    ending : the reason for the end: "complete", "memory", or "seconds" if the next size is too large to be started
    is_exhaustive : True if a finished search has skipped no set that can be optimal
    """

    def __init__(
        self,
        extender: Extender,
        child: int,
        required: NDArray[np.int64],
        candidates: NDArray[np.int64],
        max_parents: int,
        bound: Bound,
        clock: Callable[[], float],
        deadline: float = inf,
        enumeration_bytes: float | None = None,
    ) -> None:
        self._extender, self._child, self._bound = extender, child, bound
        self._clock, self._deadline = clock, deadline
        self._required, self._candidates = required, candidates
        self._max_parents, self._max_depth = max_parents, min(max_parents - len(required), len(candidates))
        self.evaluations = 1 + (len(required) > 0)  # the empty set, which is always in the table, counts
        self.finished = self.is_exhaustive = False
        self.ending = "complete"
        self._enumeration_bytes = enumeration_bytes
        self._is_incomplete = False  # True while the last size is being enumerated
        score = np.array([extender.family(child, required.tolist())])
        if np.isnan(score[0]):
            name = extender.data.names[child]
            raise InputError(f"the required parents of {name!r} have too many cells to be scored: require fewer")
        self._levels = [Level(np.empty((1, 0), np.int32), score, np.full(1, -inf), np.ones(1, dtype=bool))]
        self._growth: VariableGrowth | None = None
        self._started, self._scored = self._clock(), 0
        self._start_next_size(inf)

    @property
    def depth(self) -> int:
        """The size up to which all legal sets that can be optimal were scored."""
        return len(self._required) + len(self._levels) - 1 - self._is_incomplete

    @property
    def nbytes(self) -> int:
        """Memory of the search in bytes."""
        grown = 0 if self._growth is None else self._growth.nbytes
        return grown + sum(array.nbytes for level in self._levels for array in level)

    def step(self, max_families: int) -> None:
        """Score more families for a few milliseconds, about `max_families` at most."""
        budget = min(FAMILIES_PER_STEP, max_families)
        if self._growth is not None:
            before = self._growth.scored
            self._growth.grow(self._extender, budget)
            self.evaluations += self._growth.scored - before
            self.finished = self._growth.finished
            return
        scored = 0
        while scored < budget and self._at < len(self._to_extend):
            scored += self._extend(int(self._to_extend[self._at]))
            self._at += 1
        self.evaluations += scored
        self._scored += scored
        if self._at == len(self._to_extend):
            self._close()
            self._is_incomplete = False
            self._start_next_size(max_families - scored)

    def _start_next_size(self, max_families: float) -> None:
        """After a complete size, start the next one or growth, or finish; `max_families` may still be scored."""
        level = self._levels[-1]
        size = level.places.shape[1]
        if size == self._max_depth or not level.open.any():
            self.finished = self.is_exhaustive = True
            return
        m = len(self._candidates)
        last = level.places[:, -1] if size else np.full(1, -1)
        to_extend = np.flatnonzero(level.open & (last < m - 1))
        families = int((m - 1 - last[to_extend]).sum())
        sets = comb(m, size + 1)
        if self._enumeration_bytes is not None:
            if (missing := self._missing_budget(sets, size + 1, self._enumeration_bytes)) is not None:
                self.finished, self.ending = True, missing
                return
        elif sets > MAX_SETS or (size and not self._can_afford(families, max_families)):
            self._growth = self._seeded(level)
            return
        self._to_extend, self._at, self._is_incomplete = to_extend, 0, True
        self._levels.append(self._next_level(level, size + 1))

    def _missing_budget(self, sets: int, size: int, max_bytes: float) -> str | None:
        """Return the budget, "memory" or "seconds", that does not suffice to start a size; None if both suffice."""
        if self.nbytes + sets * (4 * size + BYTES_PER_SET) > max_bytes:
            return "memory"
        left = self._deadline - self._clock()
        return "seconds" if sets * size * SECONDS_PER_MEMBER > MAX_PREPARATION_SHARE * left else None

    def _can_afford(self, families: int, max_families: float) -> bool:
        """Return True if scoring some families takes at most half of the remaining time and evaluations."""
        left = self._deadline - self._clock()
        pace = (self._clock() - self._started) / max(1, self._scored)
        return families <= MAX_SIZE_SHARE * max_families and families * pace <= MAX_SIZE_SHARE * left

    def _next_level(self, level: Level, size: int) -> Level:
        """Return the sets of the next size, not scored: each smaller set with a candidate above its last one."""
        m = len(self._candidates)
        total = comb(m, size)
        places = np.empty((total, size), dtype=np.int32)
        for last in range(size - 1, m):
            own = slice(comb(last, size), comb(last + 1, size))
            places[own, :-1] = level.places[: comb(last, size - 1)]
            places[own, -1] = last
        below, best = np.full(total, -inf), level.best
        for dropped in range(size):
            np.maximum(below, best[_ranks_without(places, dropped, m)], out=below)
        return Level(places, np.full(total, -inf), below, np.ones(total, dtype=bool))

    def _extend(self, row: int) -> int:
        """Score the extensions of a set by each candidate above its last one; return the number of families."""
        level, after = self._levels[-2:]
        places = level.places[row]
        size, first = len(places), int(places[-1]) + 1 if len(places) else 0
        parents = np.sort(np.concatenate([self._required, self._candidates[places]])).tolist()
        if self._bound.level and not self._can_be_beaten(parents, row):
            level.open[row] = False
            return 0
        values = self._extender.extend(self._child, parents, self._candidates[first:])
        values[np.isnan(values)] = -inf  # not a number: more cells than can be numbered
        above = [row + comb(last, size + 1) for last in range(first, len(self._candidates))]
        after.scores[above] = values
        return len(values)

    def _can_be_beaten(self, parents: list[int], row: int) -> bool:
        """Return True if, by the bound of the score, a superset may beat a set and its subsets."""
        level = self._levels[-2]
        best = float(max(level.scores[row], level.below[row]))
        return improves(self._extender.ceiling(self._child, parents, self._bound), best)

    def _close(self) -> None:
        """Close the sets of a complete size that have a closed subset, or that by the bound no superset can beat."""
        before, level = self._levels[-2:]
        arities = self._extender.data.arities
        for dropped in range(level.places.shape[1]):
            level.open[:] &= before.open[_ranks_without(level.places, dropped, len(self._candidates))]
        cells = np.prod(arities[self._candidates][level.places], axis=1, dtype=np.float64)
        cells *= np.prod(arities[self._required], dtype=np.float64) * self._bound.smallest
        ceiling = self._bound.slope * (arities[self._child] - 1) * cells
        level.open[:] &= _improves(ceiling, level.best)

    def _seeded(self, level: Level) -> VariableGrowth:
        """Return the growth of the kept sets of the last size, best first."""
        rows = level.kept[np.argsort(-level.scores[level.kept], kind="stable")]
        seeds = self._sets(level, rows).astype(np.int32)
        scores = level.scores[rows]
        return VariableGrowth(
            self._extender, self._child, self._candidates, self._max_parents, seeds, scores, self._bound
        )

    def _sets(self, level: Level, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return int64[rows, members], the required parents and the candidates of some sets."""
        chosen = self._candidates[level.places[rows]]
        required = np.broadcast_to(self._required, (len(rows), len(self._required)))
        return np.concatenate([required, chosen], axis=1)

    def found(self) -> FoundSets:
        """Return the sets to keep; without required parents they include the empty set."""
        parts = [self._kept_of(level) for level in self._levels]
        if self._growth is not None:
            parts.append(self._growth.found())
        return FoundSets(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _kept_of(self, level: Level) -> FoundSets:
        """Return the sets of one size to keep."""
        sets = self._sets(level, level.kept)
        sizes = np.full(len(sets), sets.shape[1], dtype=np.int64)
        return FoundSets(level.scores[level.kept], sizes, sets.reshape(-1).astype(np.int32))


def _improves(new: NDArray[np.float64], old: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return `improves` of many scores at once."""
    known = np.maximum(old, LOWEST)
    better: NDArray[np.bool_] = new > known + tie_margins(known)
    return better


def _ranks_without(places: NDArray[np.int32], dropped: int, m: int) -> NDArray[np.int64]:
    """Return the colexicographic ranks of sets of ascending places below m, each without one member."""
    ranks = np.zeros(len(places), dtype=np.int64)
    for i, column in enumerate(np.delete(places, dropped, axis=1).T):
        ranks += np.array([comb(place, i + 1) for place in range(m)], dtype=np.int64)[column]
    return ranks
