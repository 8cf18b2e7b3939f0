"""Structure learning as a scikit-learn estimator."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.parallel import thread_count
from bnsearch.data import Dataset
from bnsearch.data.arrays import check_mask
from bnsearch.data.frames import find_cut_points
from bnsearch.errors import InputError

try:
    from sklearn.base import BaseEstimator
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise InputError(f"this needs scikit-learn ({error}): pip install 'bnsearch[sklearn]'") from None

if TYPE_CHECKING:
    import polars as pl

    from bnsearch.data.discretize import Discretize
    from bnsearch.graphs.pdag import PDAG
    from bnsearch.knowledge import Knowledge
    from bnsearch.runs.method import Method
    from bnsearch.runs.stop import Stop
    from bnsearch.scores.score import Score


class StructureLearner(BaseEstimator):  # type: ignore[misc]
    """
    Learn the structure and the tables of a Bayesian network.

    Parameters
    ----------
    method, seconds, max_parents, knowledge, stop
        As in `bnsearch.learn`.
    random_state : int or RandomState, optional
        Seed of the random numbers, a whole number or a NumPy RandomState; None draws one. It is the parameter
        `seed` of `bnsearch.learn`.
    n_jobs : int, optional
        Number of threads, the parameter `threads` of `bnsearch.learn`; None and -1 mean all cores, -2 all but one.
    criterion : str or Score or callable, default "bic"
        Score to maximise, the parameter `score` of `bnsearch.learn`; here `score` is a method.
    discretize : str or mapping, optional
        Discretization of columns of numbers, as in `Dataset.from_frame`; None refuses continuous columns.
    ess : float, default 1.0
        Equivalent sample size for the probability tables; above 0, so that no combination of known states has
        probability zero.

    Attributes
    ----------
    dag_, cpdag_
        Structure, and its equivalence class.
    adjacency_matrix_ : int[n, n]
        [i, j] is 1 if i is a parent of j.
    network_
        Network with probability tables.
    score_
        Score of the structure.
    result_
        Result of `bnsearch.learn`.
    cuts_
        Cut points of the discretized columns by name.
    n_features_in_
        Number of columns.
    feature_names_in_
        Names of the columns, if X has names.

    Notes
    -----
    X is a pandas or polars DataFrame, an Arrow Table, or an array, whose columns are named x0, x1, ... As in
    `Dataset.from_frame`, declared levels are states even if they do not occur.

    `score` and `score_samples` use the cut points of `fit`. A state that did not occur in `fit` has no probability, and
    is refused. Declare the levels of columns with rare states (a pandas Categorical, a polars Enum), so that every fold
    of a cross-validation knows them. Discretized numbers are never refused, because the outer intervals are open.

    Examples
    --------
    >>> import bnsearch
    >>> table = bnsearch.load_network("asia").sample(200, 1).to_polars()
    >>> learner = bnsearch.StructureLearner(seconds=10, random_state=1).fit(table)
    >>> learner.result_.optimal
    True
    >>> round(learner.score(table), 2)
    -2.08
    """

    def __init__(
        self,
        *,
        method: str | Method = "auto",
        criterion: str | Score | Callable[..., float] = "bic",
        seconds: float | None = 60.0,
        random_state: int | np.random.RandomState | None = None,
        max_parents: int | None = None,
        knowledge: Knowledge | str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        discretize: Discretize | None = None,
        stop: Stop | None = None,
        ess: float = 1.0,
    ) -> None:
        self.method = method
        self.criterion = criterion
        self.seconds = seconds
        self.random_state = random_state
        self.max_parents = max_parents
        self.knowledge = knowledge
        self.n_jobs = n_jobs
        self.discretize = discretize
        self.stop = stop
        self.ess = ess

    def fit(self, X: Any, y: object = None) -> StructureLearner:  # noqa: N803
        """Learn structure and probability tables from X; y is ignored."""
        from bnsearch.graphs import cpdag
        from bnsearch.learning.learn import learn

        if not self.ess > 0:
            raise InputError(f"ess must be above 0, not {self.ess!r}")
        frame = self._frame(X, first=True)
        self.cuts_ = find_cut_points(frame, self.discretize)
        data = self._dataset(frame)
        self.result_ = learn(
            data,
            method=self.method,
            score=self.criterion,
            seconds=self.seconds,
            seed=draw_seed(self.random_state),
            max_parents=self.max_parents,
            knowledge=self.knowledge,
            threads=count_threads(self.n_jobs),
            stop=self.stop,
        )
        self.dag_ = self.result_.dag
        self.cpdag_: PDAG = cpdag(self.dag_)
        self.adjacency_matrix_: NDArray[np.int64] = self.dag_.adjacency.astype(np.int64)
        self.score_ = self.result_.score
        self.network_ = self.result_.network(data, ess=self.ess)
        return self

    def score_samples(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the natural log of the probability of each row of X."""
        from bnsearch.networks import row_log_likelihoods

        check_is_fitted(self)
        return row_log_likelihoods(self.network_, self._dataset(self._frame(X, first=False)))

    def score(self, X: Any, y: object = None) -> float:  # noqa: N803
        """Return the mean log-likelihood of the rows of X; higher is better."""
        return float(self.score_samples(X).mean())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _frame(self, X: Any, *, first: bool) -> Any:  # noqa: N803
        """Return X as a data frame after scikit-learn's validation; `first` stores the names of its columns."""
        import narwhals.stable.v2 as nw

        if nw.dependencies.is_into_dataframe(X):
            return validate_data(self, X, reset=first, skip_check_array=True)
        check_mask(X, [f"x{i}" for i in range(np.shape(X)[1])] if np.ndim(X) == 2 else None)
        return frame_of(validate_data(self, X, reset=first, dtype=None, ensure_min_features=2 if first else 1))

    def _dataset(self, frame: Any) -> Dataset:
        return Dataset.from_frame(frame, discretize=self.cuts_ or None)


def draw_seed(random_state: int | np.integer[Any] | np.random.RandomState | None) -> int | None:
    """Return the seed of scikit-learn's parameter `random_state`."""
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return None if random_state is None else int(random_state)


def count_threads(n_jobs: int | None) -> int | None:
    """Return the number of threads of scikit-learn's parameter `n_jobs`; None means all cores."""
    if n_jobs is None or n_jobs > 0:
        return n_jobs
    if n_jobs == 0:
        raise InputError("n_jobs must not be 0: None and -1 mean all cores")
    return max(1, thread_count(None) + 1 + n_jobs)


def frame_of(array: NDArray[Any]) -> pl.DataFrame:
    """Return a frame with the columns x0, x1, ... of an array; objects become numbers, booleans or text."""
    import polars as pl

    return pl.DataFrame([_series(f"x{i}", column) for i, column in enumerate(array.T)])


def _series(name: str, column: NDArray[Any]) -> pl.Series:
    import polars as pl
    from polars.exceptions import PolarsError

    if column.dtype.kind not in "OUS":
        return pl.Series(name, np.ascontiguousarray(column))
    try:
        return pl.Series(name, column.tolist(), strict=True)
    except (TypeError, PolarsError):
        raise InputError(
            f"column {name!r} holds values of several types: convert all of them to numbers or to text"
        ) from None
