"""The scores of all families up to a size, from one value for each set."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import parallel_map
from bnsearch.counting.sweep import Sweep, SweepOptions
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.scores.score import Score, improves


class BestFamily(NamedTuple):
    """A child's best family."""

    score: float
    parents: tuple[int, ...]


class AllSets:
    """
    The local scores of all families of up to `max_size` variables, parents and child together.

    Parameters
    ----------
    data : Dataset
        The dataset.
    score : Score
        The score.
    max_size : int
        Largest number of variables in a family.
    options
        `variables`, `representation`, `memory` and `threads`, as in `Sweep`.

    Attributes
    ----------
    joint
        For each size from 0 on, the values of all sets as whole families, by rank (see Sweep).
    parents
        For each size from 0 on, float64[classes, sets], the values of all sets as parents; one class for a
        score-equivalent score (the same numbers as `joint`), otherwise one for each arity of the child.
    class_of
        Class of a child at each place.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> families = bnsearch.AllSets(data, bnsearch.BIC(), 2)
    >>> len(families.joint)  # sizes 0, 1 and 2
    3
    """

    def __init__(self, data: Dataset, score: Score, max_size: int, **options: Unpack[SweepOptions]) -> None:
        self.sweep = Sweep(data, max_size, **options)
        self.score = score
        rows = data.n_rows
        arities, class_of = np.unique(self.sweep.layout.columns.arities, return_inverse=True)
        self.class_of = np.zeros(len(class_of), dtype=np.int64) if score.equivalent else class_of.astype(np.int64)
        self.joint: list[NDArray[np.float64]] = []
        self.parents: list[NDArray[np.float64]] = []
        for size in range(self.max_size + 1):
            self.joint.append(self.sweep.values(size, score.joint(rows)))
            if size == self.max_size:
                break
            if score.equivalent:
                self.parents.append(self.joint[-1][np.newaxis])
            else:
                each = [self.sweep.values(size, score.parents(rows, r)) for r in arities.tolist()]
                self.parents.append(np.array(each).reshape(len(arities), self.sweep.count_sets(size)))

    @property
    def variables(self) -> tuple[int, ...]:
        """The variables covered, ascending."""
        return tuple(sorted(self.sweep.order.tolist()))

    @property
    def max_size(self) -> int:
        """The largest number of variables in a family."""
        return self.sweep.max_size

    def family(self, child: int, parents: Iterable[int]) -> float:
        """Return the local score of a child with these parents."""
        places = self.sweep.layout.places([child, *parents]).tolist()
        if len(places) > self.max_size:
            raise InputError(f"the family has {len(places)} variables; the largest scored ones have {self.max_size}")
        whole = self.joint[len(places)][self.sweep.rank(sorted(places))]
        rest = self.parents[len(places) - 1][self.class_of[places[0]], self.sweep.rank(sorted(places[1:]))]
        return float(whole - rest)

    @property
    def families(self) -> int:
        """The number of families."""
        return sum(size * self.sweep.count_sets(size) for size in range(1, self.max_size + 1))

    def best_families(self) -> dict[int, BestFamily]:
        """Return the best family of each variable, of equally good ones the smallest; every family is scored."""
        from bnsearch.scores.kernels_families import best_of_size

        order = self.sweep.order
        n = len(order)
        singles = self.joint[1] - self.parents[0][self.class_of, 0]
        best = {place: (float(singles[place]), 1, place) for place in range(n)}
        for size in range(2, self.max_size + 1):

            def run(top: int, size: int = size) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
                scores = np.full(n, -np.inf)
                ranks = np.zeros(n, dtype=np.int64)
                best_of_size(
                    size, top, self.sweep.binomial, self.joint[size], self.parents[size - 1], self.class_of,
                    scores, ranks,
                )  # fmt: skip
                return scores, ranks

            tops = parallel_map(run, range(size - 1, n), self.sweep.threads)
            scores, ranks = (np.stack(each) for each in zip(*tops, strict=True))
            for place, top in enumerate(scores.argmax(axis=0).tolist()):
                if improves(scores[top, place], best[place][0]):
                    best[place] = (float(scores[top, place]), size, int(ranks[top, place]))
        return {
            int(order[place]): BestFamily(score, self._others(place, size, rank))
            for place, (score, size, rank) in best.items()
        }

    def _others(self, place: int, size: int, rank: int) -> tuple[int, ...]:
        """Return the set of a rank without one of its places, as variables."""
        found = []
        for k in range(size, 0, -1):
            p = int(np.searchsorted(self.sweep.binomial[:, k], rank, side="right")) - 1
            rank -= int(self.sweep.binomial[p, k])
            found.append(p)
        return tuple(sorted(int(self.sweep.order[p]) for p in found if p != place))
