"""Local scores of families and values of sets, computed on request and cached."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import CellSum, products_of_sets
from bnsearch.counting.columns import usual_layout
from bnsearch.data import Dataset
from bnsearch.errors import InputError, require
from bnsearch.graphs.dag import DAG
from bnsearch.scores.score import Score
from bnsearch.scores.set_cache import SetCache

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
    cache
        The cache of set values.

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
        self.cache = SetCache(self.data.n_variables, slots, random)
        self._scratch = new_scratch(self._layout.columns, self.data.n_variables)
        self._salts: dict[CellSum, NDArray[np.uint64]] = {}
        self._random = random

    @property
    def computed(self) -> int:
        """Number of set values that were computed because they were not in the cache."""
        return self.cache.n_computed

    @property
    def capacity(self) -> int:
        """Maximum number of cached set values."""
        return self.cache.max_slots

    def family(self, child: int, parents: Iterable[int]) -> float:
        """Return the local score of a child with these parents."""
        return float(self.families([child], [list(parents)])[0])

    def families(self, children: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the local scores of many families."""
        if len(children) != len(parent_sets):
            raise InputError(f"{len(children)} children but {len(parent_sets)} parent sets")
        begin, members = self._layout.places_of_sets([[c, *s] for c, s in zip(children, parent_sets, strict=True)])
        self.asked += len(children)
        out = np.empty(len(children), dtype=np.float64)
        if self.score.equivalent or not len(children):
            # `parents` of an equivalent score does not depend on the arity.
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
        if not np.isfinite(out).all():
            i = int(np.flatnonzero(~np.isfinite(out))[0])
            family = f"the family of {self.data.names[children[i]]!r} with {len(parent_sets[i]):,} parents"
            raise InputError(f"{family} has too many cells to be scored: use fewer parents (max_parents)")
        return out

    def _score(
        self, begin: NDArray[np.int64], members: NDArray[np.int64], parents: CellSum, out: NDArray[np.float64]
    ) -> None:
        from bnsearch.scores.kernels import score_families

        self.cache.make_room(2 * len(out))
        joint = self.score.joint(self.data.n_rows)
        score_families(
            self._layout.arrays,
            self._scratch,
            self.cache.arrays,
            begin,
            members,
            self._terms(joint),
            self._terms(parents),
            np.stack([self._salt(joint), self._salt(parents)]),
            out,
        )

    def set_value(self, variables: Iterable[int]) -> float:
        """Return the set value V of a set (its cell sum), for a score with s(x | S) = V(S + x) - V(S)."""
        return float(self.set_values([list(variables)])[0])

    def set_values(self, sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the set values of many sets."""
        if not self.score.equivalent:
            raise InputError(f"the {self.score.name} score is not a function of sets: score families instead")
        values = self.values_at(*self._layout.places_of_sets(sets))
        if not np.isfinite(values).all():
            raise InputError("a set of variables has too many cells to be valued: use fewer parents (max_parents)")
        return values

    def values_at(self, begin: NDArray[np.int64], members: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of the sets members[begin[i]:begin[i + 1]]; variables are given by place (`places`)."""
        from bnsearch.scores.kernels import value_sets

        self.cache.make_room(len(begin) - 1)
        columns, scratch, cache, terms, salt = self.kernel_arguments()
        out = np.empty(len(begin) - 1, dtype=np.float64)
        value_sets(columns, scratch, cache, begin, members, terms, salt, out)
        return out

    def kernel_arguments(self) -> tuple[Any, ...]:
        """
        Return the columns, scratch, cache, terms and salt with which a kernel values sets (see `set_value`).

        The cache is `cache.arrays`, which changes when the cache grows.
        """
        joint = self.score.joint(self.data.n_rows)
        return self._layout.arrays, self._scratch, self.cache.arrays, self._terms(joint), self._salt(joint)

    @property
    def places(self) -> NDArray[np.int64]:
        """The place of each variable, its number for kernels."""
        return self._layout.place

    def remember(self, sets: Sequence[Sequence[int]], values: NDArray[np.float64]) -> None:
        """Write given set values into the cache."""
        self.remember_at(*self._layout.places_of_sets(sets), values)

    def remember_at(self, begin: NDArray[np.int64], members: NDArray[np.int64], values: NDArray[np.float64]) -> None:
        """Do the same as `remember`, with sets given as in `values_at`."""
        from bnsearch.scores.kernels import remember_sets

        self.cache.make_room(written=len(values))
        remember_sets(self.cache.arrays, begin, members, self._salt(self.score.joint(self.data.n_rows)), values)

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

    def _terms(self, cell_sum: CellSum) -> Terms:
        return cell_sum.terms(self.data.n_rows, self._products)

    def _salt(self, cell_sum: CellSum) -> NDArray[np.uint64]:
        if cell_sum not in self._salts:
            self._salts[cell_sum] = self._random.integers(1, 2**64, 2, dtype=np.uint64)
        return self._salts[cell_sum]
