"""Local scores of families and values of sets, computed on request and cached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import CellSum, products_of_sets
from bnsearch.counting.columns import Layout, usual_layout
from bnsearch.data import Dataset
from bnsearch.errors import InputError, require
from bnsearch.graphs.dag import DAG
from bnsearch.kernels.tuples import KernelTuple
from bnsearch.scores.score import Score

if TYPE_CHECKING:
    from bnsearch.counting.kernels_terms import Terms

TABULATED_SIZE = 5  # largest size of sets whose numbers of cells have tabulated terms
BYTES_PER_SLOT = 24  # memory of a slot of the cache
SLOTS_PER_SET = 16  # maximum number of cache slots per possible set: few collisions, little memory for few variables


class Scorer:
    """
    Local scores of a dataset's families, computed on request and kept in a cache of bounded size.

    A scorer is for one thread and one score. `fork` makes another one, which shares the data but not the cache.

    Parameters
    ----------
    data : Dataset
        The dataset.
    score : Score
        The score.
    cache_bytes : int, optional
        Size of the cache of set values.
    representation : str, default "auto"
        "auto" counts each set in the cheapest way; "bitmap", "dense" and "sparse" force one way.

    Attributes
    ----------
    asked
        Number of requested local scores so far.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> scorer = bnsearch.Scorer(data, bnsearch.BIC())
    >>> round(scorer.family(1, [0]), 3)
    -11.574
    """

    def __init__(
        self,
        data: Dataset,
        score: Score,
        *,
        cache_bytes: int = 1 << 27,
        representation: str = "auto",
    ) -> None:
        require("cache_bytes", cache_bytes, at_least=4 * BYTES_PER_SLOT, whole=True)
        self.data = data
        self.score = score
        self.asked = 0
        self._layout = usual_layout(data, representation)
        self._products = products_of_sets(self._layout.columns.arities, TABULATED_SIZE)
        self._start(cache_bytes)

    def _start(self, cache_bytes: int) -> None:
        from bnsearch.counting.kernels_set import new_scratch

        random = np.random.default_rng(0x5E7)
        slots = 1 << ((cache_bytes // BYTES_PER_SLOT).bit_length() - 1)
        slots = min(slots, SLOTS_PER_SET << min(self.data.n_variables, 60))
        self._cache = KernelTuple(
            (
                random.integers(1, 2**64, (self.data.n_variables, 2), dtype=np.uint64),
                np.zeros((slots, 2), dtype=np.uint64),
                np.empty(slots, dtype=np.float64),
                np.zeros(1, dtype=np.int64),
            )
        )
        self._scratch = new_scratch(self._layout.columns, self.data.n_variables)
        self._salts: dict[CellSum, NDArray[np.uint64]] = {}
        self._random = random

    @property
    def computed(self) -> int:
        """Number of set values that were computed because they were not in the cache."""
        from bnsearch.scores.kernels import COMPUTED

        return int(self._cache[COMPUTED][0])

    @property
    def capacity(self) -> int:
        """Maximum number of cached set values."""
        from bnsearch.scores.kernels import VALUE

        return len(self._cache[VALUE])

    def family(self, child: int, parents: Iterable[int]) -> float:
        """Return the local score of a child with these parents."""
        return float(self.families([child], [list(parents)])[0])

    def families(self, children: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the local scores of many families."""
        if len(children) != len(parent_sets):
            raise InputError(f"{len(children)} children but {len(parent_sets)} parent sets")
        begin, members = self._members([[c, *s] for c, s in zip(children, parent_sets, strict=True)])
        self.asked += len(children)
        out = np.empty(len(children), dtype=np.float64)
        if self.score.equivalent or not len(children):
            self._score(begin, members, self.score.parents(self.data.n_rows, 1), out)
        else:
            arities = self.data.arities[np.asarray(children)]
            for arity in np.unique(arities).tolist():
                chosen = np.flatnonzero(arities == arity)
                part = np.empty(len(chosen), dtype=np.float64)
                lengths = np.diff(begin)[chosen]
                pieces = [members[begin[i] : begin[i + 1]] for i in chosen.tolist()]
                bounds = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
                self._score(bounds, np.concatenate(pieces), self.score.parents(self.data.n_rows, arity), part)
                out[chosen] = part
        return self._finite(out)

    def _score(
        self, begin: NDArray[np.int64], members: NDArray[np.int64], parents: CellSum, out: NDArray[np.float64]
    ) -> None:
        from bnsearch.scores.kernels import score_families

        joint = self.score.joint(self.data.n_rows)
        score_families(
            self._layout.arrays,
            self._scratch,
            self._cache,
            begin,
            members,
            self._terms(joint),
            self._terms(parents),
            np.stack([self._salt(joint), self._salt(parents)]),
            out,
        )

    def set_value(self, variables: Iterable[int]) -> float:
        """Return G of a set, for a score with s(x | S) = G(S + x) - G(S)."""
        return float(self.set_values([list(variables)])[0])

    def set_values(self, sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return G of many sets."""
        if not self.score.equivalent:
            raise InputError(f"the {self.score.name} score is not a function of sets: score families instead")
        return self._finite(self.values_at(*self._members(sets)))

    def values_at(self, begin: NDArray[np.int64], members: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return G of the sets members[begin[i]:begin[i + 1]], in which variables are given by place (`places`)."""
        from bnsearch.scores.kernels import value_sets

        columns, scratch, cache, terms, salt = self.kernel_arguments()
        out = np.empty(len(begin) - 1, dtype=np.float64)
        value_sets(columns, scratch, cache, begin, members, terms, salt, out)
        return out

    def kernel_arguments(self) -> tuple[Any, ...]:
        """Return the columns, scratch, cache, terms and salt with which a kernel values sets (see `set_value`)."""
        joint = self.score.joint(self.data.n_rows)
        return self._layout.arrays, self._scratch, self._cache, self._terms(joint), self._salt(joint)

    @property
    def places(self) -> NDArray[np.int64]:
        """The place of each variable, its number for kernels."""
        return self._layout.place

    def remember(self, sets: Sequence[Sequence[int]], values: NDArray[np.float64]) -> None:
        """Write given values G of some sets into the cache."""
        self.remember_at(*self._members(sets), values)

    def remember_at(self, begin: NDArray[np.int64], members: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Do the same as `remember`, with sets given as in `values_at`."""
        from bnsearch.scores.kernels import remember_sets

        remember_sets(self._cache, begin, members, self._salt(self.score.joint(self.data.n_rows)), values)

    def network(self, dag: DAG) -> float:
        """Return the score of a network over the dataset's variables, matched by name."""
        parents = dag.reordered(self.data.names).parents
        return float(self.families(range(len(parents)), parents).sum())

    def fork(self, score: Score | None = None, *, cache_bytes: int | None = None) -> Scorer:
        """Return a scorer of the same data with its own cache, for another thread or another score."""
        other = object.__new__(Scorer)
        other.data, other.score, other.asked = self.data, score or self.score, 0
        other._layout, other._products = self._layout, self._products
        other._start(cache_bytes or self.capacity * BYTES_PER_SLOT)
        return other

    def _members(self, sets: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        places, begin = find_places(self._layout, sets)
        return begin, places

    def _terms(self, cell_sum: CellSum) -> Terms:
        return cell_sum.terms(self.data.n_rows, self._products)

    def _salt(self, cell_sum: CellSum) -> NDArray[np.uint64]:
        if cell_sum not in self._salts:
            self._salts[cell_sum] = self._random.integers(1, 2**64, 2, dtype=np.uint64)
        return self._salts[cell_sum]

    def _finite(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        if not np.all(np.isfinite(values)):
            raise InputError("a family has too many cells to be scored: give it fewer parents")
        return values


def find_places(layout: Layout, sets: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """
    Return the places of the members of many sets, one set after the other, and the index of each set's first member.

    An InputError is raised as by `Layout.places`.
    """
    begin = np.zeros(len(sets) + 1, dtype=np.int64)
    np.cumsum([len(members) for members in sets], out=begin[1:])
    asked = np.array([variable for members in sets for variable in members])
    n = len(layout.place)
    if not len(asked):
        return np.empty(0, dtype=np.int64), begin
    if asked.dtype.kind in "iu" and asked.min() >= 0 and asked.max() < n:
        keys = np.sort(np.repeat(np.arange(len(sets)) * n, np.diff(begin)) + asked)
        places = layout.place[asked]
        if places.min() >= 0 and (keys[1:] != keys[:-1]).all():
            return places, begin
    return np.concatenate([layout.places(members) for members in sets]), begin  # one of the calls raises an error
