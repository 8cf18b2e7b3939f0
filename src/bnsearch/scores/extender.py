"""Local scores of a family's extensions by one more parent, many at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import products_of_sets
from bnsearch.counting.columns import usual_layout
from bnsearch.data import Dataset
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.scores.bounds import Bound
from bnsearch.scores.score import Score

if TYPE_CHECKING:
    from bnsearch.counting.kernels_terms import Terms

TABULATED_SIZE = 8  # largest size of sets whose numbers of cells have tabulated terms


class Extender:
    """
    Computes the local scores of a child with its parents and each of several candidates; for one thread at a time.

    Attributes
    ----------
    evaluations : number of local scores computed so far
    """

    def __init__(self, data: Dataset, score: Score) -> None:
        self.data, self.score = data, score
        self.layout = usual_layout(data)
        self._products = products_of_sets(self.layout.columns.arities, TABULATED_SIZE)
        self._terms: dict[int, tuple[Terms, Terms]] = {}  # by number of states of the child
        self._make_scratch()

    def _make_scratch(self) -> None:
        from bnsearch.counting.kernels_expand_scratch import new_scratch

        self.scratch = new_scratch(self.layout)
        self.evaluations = 0

    @property
    def columns(self) -> KernelTuple:
        """The fields of Columns, for kernels."""
        return self.layout.arrays

    def terms(self, child: int) -> tuple[Terms, Terms]:
        """Return the terms of a child's families, of the whole set and of the parents."""
        rows, arity = self.data.n_rows, int(self.data.arities[child])
        if arity not in self._terms:
            joint, others = self.score.joint(rows), self.score.parents(rows, arity)
            self._terms[arity] = joint.terms(rows, self._products), others.terms(rows, self._products)
        return self._terms[arity]

    def fork(self) -> Extender:
        """Return an extender of the same data and score for another thread."""
        other = object.__new__(Extender)
        other.data, other.score = self.data, self.score
        other.layout, other._products, other._terms = self.layout, self._products, self._terms
        other._make_scratch()
        return other

    def extend(self, child: int, parents: Sequence[int], candidates: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the local scores of the child with its parents and each candidate."""
        from bnsearch.counting.kernels_expand import score_extensions

        place = self.layout.place
        scores = np.empty(len(candidates), dtype=np.float64)
        score_extensions(
            self.columns,
            place[child],
            place[np.array(parents, dtype=np.int64)],
            place[candidates],
            *self.terms(child),
            self.scratch,
            scores,
        )
        self.evaluations += len(candidates)
        return scores

    def ceiling(self, child: int, parents: Sequence[int], bound: Bound) -> float:
        """Return the upper bound on the scores of a child's families with more parents than these."""
        from bnsearch.counting.kernels_expand import occupied_cells
        from bnsearch.scores.kernels_bounds import ceiling

        place, arities = self.layout.place, self.data.arities
        places = place[np.array(parents, dtype=np.int64)]
        occupied = occupied_cells(self.columns, place[child], places, self.scratch) if bound.level else 0
        cells = float(np.prod(arities[list(parents)], dtype=np.float64))
        return float(ceiling(bound.slope, bound.level, arities[child], cells * bound.smallest, occupied))

    def family(self, child: int, parents: Sequence[int]) -> float:
        """Return the local score of a child with these parents; nan if they have too many cells."""
        if not len(parents):
            return self.empty(child)
        *others, last = sorted(parents)
        return float(self.extend(child, others, np.array([last]))[0])

    def empty(self, child: int) -> float:
        """Return the local score of a child without parents."""
        from bnsearch.counting.kernels_terms import sum_counts

        rows = self.data.n_rows
        counts = np.bincount(self.data.codes[child]).astype(np.int64)
        joint, others = self.terms(child)
        self.evaluations += 1
        whole = sum_counts(counts, len(counts), joint, float(self.data.arities[child]))
        return float(whole - sum_counts(np.array([rows]), 1, others, 1.0))


def stacked_terms(
    score: Score, arities: NDArray[np.int64], rows: int, products: NDArray[np.float64]
) -> tuple[NDArray[np.int64], KernelTuple]:
    """Return the class of each place as a child, and the terms of the parents stacked for all classes."""
    if score.equivalent:
        different, classes = np.ones(1, dtype=np.int64), np.zeros(len(arities), dtype=np.int64)
    else:
        different, classes = np.unique(arities, return_inverse=True)
    terms = [score.parents(rows, arity).terms(rows, products) for arity in different.tolist()]
    functions, parameters, slopes, regrets, _, _, constants, tables = zip(*terms, strict=True)
    entries = min(table.shape[1] for table in tables)
    arrays = np.array(parameters), np.array(slopes), np.stack(constants), np.stack([t[:, :entries] for t in tables])
    return classes.astype(np.int64), KernelTuple(
        (functions[0], arrays[0], arrays[1], regrets[0], rows, products, arrays[2], arrays[3])
    )
