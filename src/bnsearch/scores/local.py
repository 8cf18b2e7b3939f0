"""Scores that are Python functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import CellSum
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.scores.score import Score
from bnsearch.scores.scorer import Scorer

SIGNATURE = "local(child, parents, counts) or local(child, parents)"


@dataclass(frozen=True)
class LocalScore:
    """
    Base class of the scores that are Python functions of a family: higher is better.

    A subclass defines `local(child, parents, counts)` or `local(child, parents)`. It gets the name of the child, the
    names of its parents in the order of the columns, and the joint counts: an array with one axis for each parent and a
    last axis for the child. It returns a finite number.

    Notes
    -----
    A Python function is called for one family after another. This takes about a thousand times as long as the scores of
    the library, so only small parent sets of a few dozen variables are scored in a minute.

    Examples
    --------
    >>> import bnsearch
    >>> class Sparse(bnsearch.LocalScore):
    ...     name = "sparse"
    ...     def local(self, child, parents, counts):
    ...         return -float(len(parents))
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> bnsearch.learn(data, score=Sparse(), seconds=10).dag.edges
    []
    """

    name: ClassVar[str] = "local"
    equivalent: ClassVar[bool] = False

    def local(self, *family: Any) -> float:
        """Return the local score of a family."""
        raise NotImplementedError

    def joint(self, rows: int) -> CellSum:
        """Raise an error: kernels cannot compute this score."""
        raise InputError(
            f"the score {self.name} is a Python function, which compiled kernels cannot compute: use a method that "
            "searches over a candidate table, such as auto or rinobs, and the selection `local`"
        )

    def parents(self, rows: int, arity: int) -> CellSum:
        """Raise an error: kernels cannot compute this score."""
        return self.joint(rows)


def make_local_score_class(name: str, function: Callable[..., float]) -> type[LocalScore]:
    """Return the class of a score that is a Python function."""
    count_arguments(function)
    document = inspect.getdoc(function) or "A score that is a Python function."
    return type(name, (LocalScore,), {"name": name, "local": staticmethod(function), "__doc__": document})


def as_score(score: object) -> Score:
    """Return a score given as a score, as a function, or as an object with a method `local`; or raise an InputError."""
    if isinstance(score, type):
        raise InputError(f"score must be a name, a function or a score such as BDeu(ess=5), not {score!r}")
    if isinstance(score, LocalScore):
        count_arguments(score.local)
        return score
    if isinstance(score, Score):
        return score
    function = getattr(score, "local", score)
    if not callable(function):
        raise InputError(f"score must be a name, a function or a score such as BDeu(ess=5), not {score!r}")
    name = getattr(score, "name", getattr(function, "__name__", "local"))
    return make_local_score_class(str(name), function)()


def count_arguments(function: Callable[..., float]) -> int:
    """Return the number of arguments of a local score, 2 or 3; any other number raises an InputError."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions written in C have no signature
        return 2
    for number in (3, 2):
        try:
            signature.bind(*range(number))
        except TypeError:
            continue
        return number
    raise InputError(
        f"a score must be a function {SIGNATURE}, not {getattr(function, '__name__', function)}{signature}"
    )


class LocalScorer(Scorer):
    """Local scores of a Python function, each computed once; for one thread."""

    def __init__(self, data: Dataset, score: LocalScore) -> None:
        self.data, self.score, self.asked = data, score, 0
        self._function = score.local
        self._takes_counts = count_arguments(score.local) == 3
        self._known: dict[tuple[int, tuple[int, ...]], float] = {}

    @property
    def computed(self) -> int:
        """Number of local scores that were computed."""
        return len(self._known)

    def families(self, children: Sequence[int], parent_sets: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Return the local scores of many families."""
        if len(children) != len(parent_sets):
            raise InputError(f"{len(children)} children but {len(parent_sets)} parent sets")
        self.asked += len(children)
        return np.array([self._get(int(c), tuple(sorted(s))) for c, s in zip(children, parent_sets, strict=True)])

    def fork(self, score: Score | None = None, *, cache_bytes: int | None = None) -> Scorer:
        """Return a scorer of the same data with its own cache."""
        return make_scorer(self.data, score or self.score)

    def _get(self, child: int, parents: tuple[int, ...]) -> float:
        key = child, parents
        if key not in self._known:
            self._known[key] = self._compute(child, parents)
        return self._known[key]

    def _compute(self, child: int, parents: tuple[int, ...]) -> float:
        names = self.data.names
        family: list[Any] = [names[child], tuple(names[p] for p in parents)]
        value = self._function(*family, self._count(child, parents)) if self._takes_counts else self._function(*family)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if not math.isfinite(number):
            raise InputError(
                f"the score {self.score.name} of {names[child]!r} with the parents {list(family[1])} must be a finite "
                f"number, not {value!r}"
            )
        return number

    def _count(self, child: int, parents: tuple[int, ...]) -> NDArray[np.int64]:
        from bnsearch.counting.counter import Counter

        if not hasattr(self, "_counter"):
            self._counter = Counter(self.data)
        return self._counter.counts([*parents, child]).dense()


def make_scorer(data: Dataset, score: Score) -> Scorer:
    """Return the scorer of a score: compiled kernels, or the calls of a Python function."""
    return LocalScorer(data, score) if isinstance(score, LocalScore) else Scorer(data, score)
