"""The legal parent sets of one variable: all of them size after size while that is affordable, then the best grown."""

from __future__ import annotations

import time
from math import comb, inf
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError
from bnsearch.scores.bounds import Bound
from bnsearch.scores.extender import Extender
from bnsearch.scores.score import improves, tie_margins
from bnsearch.selection.frontier import FoundSets
from bnsearch.selection.variable_growth import Growth

MAX_SETS = 1 << 18  # of one size that are enumerated
FAMILIES_PER_STEP = 4000  # between two looks at the clock
LOWEST = -1e300  # stands for minus infinity, which a tolerance cannot be added to
BYTES_PER_SET = 17  # of a size, beside four for each member
SECONDS_PER_MEMBER, PREPARATION = 1e-8, 0.1  # what room for a set takes, the most part of the time that is left
WORTH = 0.5  # of the time and of the evaluations that are left, the most that one more size may take


class Level(NamedTuple):
    """
    All sets of one size that are made of the candidates and the required parents, in colexicographic order.

    Attributes
    ----------
    places : int32[sets, size], ascending places among the candidates
    scores : float64[sets], minus infinity where a set was not scored
    below : float64[sets], the best score of all legal proper subsets
    open : bool[sets], whether a superset may matter
    """

    places: NDArray[np.int32]
    scores: NDArray[np.float64]
    below: NDArray[np.float64]
    open: NDArray[np.bool_]

    @property
    def best(self) -> NDArray[np.float64]:
        """The best score of each set and its legal subsets."""
        return np.maximum(self.scores, self.below)

    @property
    def kept(self) -> NDArray[np.int64]:
        """The sets that no legal subset matches or beats."""
        return np.flatnonzero(_improves(self.scores, self.below))


class Lattice:
    """
    The sets that hold a variable's required parents and any of its candidates.

    A set is worth keeping if no subset *that holds the required parents* matches or beats it. Sizes are enumerated one
    after the other, while the next one has at most `MAX_SETS` sets and fits into half of the time and of the
    evaluations that are left. From then on the best sets found are grown (see `Growth`), and the variable's candidates
    are no longer known to be complete. With `room`, all sizes that fit are enumerated, and nothing is grown.

    Parameters
    ----------
    extender : the data and the score
    child : the variable
    required : its required parents
    candidates : int64[m], its further possible parents, ascending
    most : the largest set, no smaller than the required parents are many
    bound : what no superset can exceed
    until : when the search should be over, on the clock of time.perf_counter
    room : the bytes that sizes to be enumerated may take: then nothing is grown, and the search ends where the next
        size does not fit; None means growth

    Attributes
    ----------
    evaluations : families scored so far
    finished : whether nothing is left to try
    ending : why it ended: "complete", "memory", or "seconds" where the next size is too large to be begun
    exhaustive : whether no set that could matter was passed over; once finished
    """

    def __init__(
        self,
        extender: Extender,
        child: int,
        required: NDArray[np.int64],
        candidates: NDArray[np.int64],
        most: int,
        bound: Bound,
        until: float = inf,
        room: float | None = None,
    ) -> None:
        self._extender, self._child, self._bound, self._until = extender, child, bound, until
        self._required, self._candidates = required, candidates
        self._most, self._deepest = most, min(most - len(required), len(candidates))
        self.evaluations = 1 + (len(required) > 0)  # the row of the empty set is there in any case
        self.finished = self.exhaustive = False
        self.ending = "complete"
        self._room, self._begun = room, False  # whether the last size is not complete
        score = np.array([extender.family(child, required.tolist())])
        if np.isnan(score[0]):
            name = extender.data.names[child]
            raise InputError(f"the required parents of {name!r} have too many cells to be scored: require fewer")
        self._levels = [Level(np.empty((1, 0), np.int32), score, np.full(1, -inf), np.ones(1, dtype=bool))]
        self._growth: Growth | None = None
        self._began, self._scored = time.perf_counter(), 0
        self._go_on(inf)

    @property
    def depth(self) -> int:
        """The number of parents up to which every legal set that could matter was scored."""
        return len(self._required) + len(self._levels) - 1 - self._begun

    @property
    def nbytes(self) -> int:
        """Memory that it takes."""
        grown = 0 if self._growth is None else self._growth.nbytes
        return grown + sum(array.nbytes for level in self._levels for array in level)

    def step(self, most: int) -> None:
        """Score some more families, for a few milliseconds; about `most` of them at most."""
        budget = min(FAMILIES_PER_STEP, most)
        if self._growth is not None:
            before = self._growth.scored
            self._growth.grow(self._extender, budget)
            self.evaluations += self._growth.scored - before
            self.finished = not self._growth.growing
            return
        scored = 0
        while scored < budget and self._at < len(self._turns):
            scored += self._extend(int(self._turns[self._at]))
            self._at += 1
        self.evaluations += scored
        self._scored += scored
        if self._at == len(self._turns):
            self._close()
            self._begun = False
            self._go_on(most - scored)

    def _go_on(self, most: float) -> None:
        """After a whole size, begin the next one, or growth, or end here; at most so many families may be scored."""
        level = self._levels[-1]
        size = level.places.shape[1]
        if size == self._deepest or not level.open.any():
            self.finished = self.exhaustive = True
            return
        m = len(self._candidates)
        last = level.places[:, -1] if size else np.full(1, -1)
        turns = np.flatnonzero(level.open & (last < m - 1))
        families = int((m - 1 - last[turns]).sum())
        sets = comb(m, size + 1)
        if self._room is not None:
            if (lack := self._lack(sets, size + 1, self._room)) is not None:
                self.finished, self.ending = True, lack
                return
        elif sets > MAX_SETS or (size and not self._affords(families, most)):
            self._growth = self._seeded(level)
            return
        self._turns, self._at, self._begun = turns, 0, True
        self._levels.append(self._next_level(level, size + 1))

    def _lack(self, sets: int, size: int, room: float) -> str | None:
        """Return what there is not enough of to begin with the sets of a size, if anything."""
        if self.nbytes + sets * (4 * size + BYTES_PER_SET) > room:
            return "memory"
        left = self._until - time.perf_counter()
        return "seconds" if sets * size * SECONDS_PER_MEMBER > PREPARATION * left else None

    def _affords(self, families: int, most: float) -> bool:
        left = self._until - time.perf_counter()
        pace = (time.perf_counter() - self._began) / max(1, self._scored)
        return families <= WORTH * most and families * pace <= WORTH * left

    def _next_level(self, level: Level, size: int) -> Level:
        """Return the sets of one size more, none of them scored: each smaller set with a candidate above its last."""
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
        """Score a set of the last complete size with each candidate above its last; return how many families."""
        level, after = self._levels[-2:]
        places = level.places[row]
        size, first = len(places), int(places[-1]) + 1 if len(places) else 0
        parents = np.sort(np.concatenate([self._required, self._candidates[places]])).tolist()
        if self._bound.level and not self._can_pay(parents, row):
            level.open[row] = False
            return 0
        values = self._extender.extend(self._child, parents, self._candidates[first:])
        values[np.isnan(values)] = -inf  # more cells than can be numbered
        above = [row + comb(last, size + 1) for last in range(first, len(self._candidates))]
        after.scores[above] = values
        return len(values)

    def _can_pay(self, parents: list[int], row: int) -> bool:
        level = self._levels[-2]
        best = float(max(level.scores[row], level.below[row]))
        return improves(self._extender.ceiling(self._child, parents, self._bound), best)

    def _close(self) -> None:
        """Close the sets of a whole size that have a closed subset, or too many cells for any superset to pay."""
        before, level = self._levels[-2:]
        arities = self._extender.data.arities
        for dropped in range(level.places.shape[1]):
            level.open[:] &= before.open[_ranks_without(level.places, dropped, len(self._candidates))]
        cells = np.prod(arities[self._candidates][level.places], axis=1, dtype=np.float64)
        cells *= np.prod(arities[self._required], dtype=np.float64) * self._bound.smallest
        ceiling = self._bound.slope * (arities[self._child] - 1) * cells
        level.open[:] &= _improves(ceiling, level.best)

    def _seeded(self, level: Level) -> Growth:
        """Return the growth of the sets of the last size that are kept, best first."""
        rows = level.kept[np.argsort(-level.scores[level.kept], kind="stable")]
        seeds = self._sets(level, rows).astype(np.int32)
        return Growth(self._extender, self._child, self._candidates, self._most, seeds, level.scores[rows], self._bound)

    def _sets(self, level: Level, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        chosen = self._candidates[level.places[rows]]
        required = np.broadcast_to(self._required, (len(rows), len(self._required)))
        return np.concatenate([required, chosen], axis=1)

    def found(self) -> FoundSets:
        """Return the sets worth keeping; without required parents the empty set is among them."""
        parts = [self._kept_of(level) for level in self._levels]
        if self._growth is not None:
            parts.append(self._growth.found())
        return FoundSets(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    def _kept_of(self, level: Level) -> FoundSets:
        """Return the sets of one size that are worth keeping."""
        sets = self._sets(level, level.kept)
        sizes = np.full(len(sets), sets.shape[1], dtype=np.int64)
        return FoundSets(level.scores[level.kept], sizes, sets.reshape(-1).astype(np.int32))


def _improves(new: NDArray[np.float64], old: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Do as `improves`, for many scores at once."""
    known = np.maximum(old, LOWEST)
    better: NDArray[np.bool_] = new > known + tie_margins(known)
    return better


def _ranks_without(places: NDArray[np.int32], dropped: int, m: int) -> NDArray[np.int64]:
    """Return where sets of ascending places below m stand, one member less, in colexicographic order."""
    ranks = np.zeros(len(places), dtype=np.int64)
    for i, column in enumerate(np.delete(places, dropped, axis=1).T):
        ranks += np.array([comb(place, i + 1) for place in range(m)], dtype=np.int64)[column]
    return ranks
