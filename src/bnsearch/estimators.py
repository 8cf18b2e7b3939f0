"""Structure learning as a scikit-learn estimator."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.data import Dataset
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
    method, seconds, seed, max_parents, knowledge, threads, stop : as of `bnsearch.learn`
    criterion : what to maximise, the `score` of `bnsearch.learn`; here `score` is a method
    discretize : cuts columns of numbers into intervals, as in `Dataset.from_frame`; None refuses continuous columns
    ess : equivalent sample size that the tables are estimated with; above 0, or rows of cells that `fit` has not seen
        would be impossible

    Attributes
    ----------
    dag_, cpdag_ : the structure, and its equivalence class
    adjacency_matrix_ : int[n, n]; [i, j] is 1 where i is a parent of j
    network_ : the network with its tables
    score_ : the score of the structure
    result_ : what `bnsearch.learn` returned
    cuts_ : where columns were cut, by name
    n_features_in_ : the number of columns
    feature_names_in_ : their names, where X has some

    Notes
    -----
    X is a pandas or polars DataFrame, an Arrow Table, or an array, whose columns are named x0, x1, ... As in
    `Dataset.from_frame`, declared levels are states whether they occur or not.

    `score` and `score_samples` cut numbers as `fit` did. A state that `fit` did not meet has no probability, and is
    refused: declare the levels of a column with rare states (a pandas Categorical, a polars Enum), so that each part of
    a cross-validation knows them all. Numbers that are cut never meet this: the outer intervals are open.

    Examples
    --------
    >>> learner = StructureLearner(seconds=5, seed=1).fit(train)  # doctest: +SKIP
    >>> learner.dag_.edges, learner.score(test)  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        method: str | Method = "auto",
        criterion: str | Score = "bic",
        seconds: float | None = 60.0,
        seed: int | None = None,
        max_parents: int | None = None,
        knowledge: Knowledge | str | os.PathLike[str] | None = None,
        threads: int | None = None,
        discretize: Discretize | None = None,
        stop: Stop | None = None,
        ess: float = 1.0,
    ) -> None:
        self.method = method
        self.criterion = criterion
        self.seconds = seconds
        self.seed = seed
        self.max_parents = max_parents
        self.knowledge = knowledge
        self.threads = threads
        self.discretize = discretize
        self.stop = stop
        self.ess = ess

    def fit(self, X: Any, y: object = None) -> StructureLearner:  # noqa: N803
        """Learn structure and tables from the rows of X; y is there for pipelines and is not looked at."""
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
            seed=self.seed,
            max_parents=self.max_parents,
            knowledge=self.knowledge,
            threads=self.threads,
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
        """Return the mean log-likelihood of a row of X: the higher, the better the network explains unseen rows."""
        return float(self.score_samples(X).mean())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _frame(self, X: Any, *, first: bool) -> Any:  # noqa: N803
        """Return X as a data frame, after scikit-learn's checks; at the first sight of it, its columns are noted."""
        import narwhals.stable.v2 as nw

        if nw.dependencies.is_into_dataframe(X):
            return validate_data(self, X, reset=first, skip_check_array=True)
        return frame_of(validate_data(self, X, reset=first, dtype=None, ensure_min_features=2 if first else 1))

    def _dataset(self, frame: Any) -> Dataset:
        return Dataset.from_frame(frame, discretize=self.cuts_ or None)


def frame_of(array: NDArray[Any]) -> pl.DataFrame:
    """Return a frame with the columns of an array, x0, x1, ...; objects become numbers, truth values or text."""
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
        raise InputError(f"column {name!r} holds values of several kinds: make them all numbers or all text") from None
