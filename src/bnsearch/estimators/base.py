"""Parameters and common steps of the scikit-learn estimators."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from bnsearch.data import Dataset
from bnsearch.data.arrays import check_mask
from bnsearch.data.frames import find_cut_points
from bnsearch.errors import InputError
from bnsearch.estimators.inputs import count_threads, draw_seed, frame_of

if TYPE_CHECKING:
    from bnsearch.data.discretize import Discretize
    from bnsearch.graphs.pdag import PDAG
    from bnsearch.knowledge import Knowledge
    from bnsearch.runs.method import Method
    from bnsearch.runs.stop import Stop
    from bnsearch.scores.score import Score


class NetworkEstimator(BaseEstimator):  # type: ignore[misc]
    """Parameters and common steps of the estimators, which learn a network."""

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

    def _learn(self, data: Dataset) -> None:
        """Learn structure and probability tables, and set the attributes of the fitted estimator."""
        from bnsearch.graphs import cpdag
        from bnsearch.learning.learn import learn

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

    def _read_training_table(self, X: Any, min_columns: int) -> Dataset:  # noqa: N803
        """Return the table of the columns of X, and store their names and cut points."""
        if not self.ess > 0:
            raise InputError(f"ess must be above 0, not {self.ess!r}")
        frame = self._frame(X, min_columns)
        self.cuts_ = find_cut_points(frame, self.discretize)
        return self._dataset(frame)

    def _read_table(self, X: Any) -> Dataset:  # noqa: N803
        """Return the table of the columns of X, which must be those of `fit`."""
        check_is_fitted(self)
        return self._dataset(self._frame(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def _frame(self, X: Any, min_columns: int | None = None) -> Any:  # noqa: N803
        """Return X as a validated data frame; with `min_columns`, store the names of its columns."""
        import narwhals.stable.v2 as nw

        if nw.dependencies.is_into_dataframe(X):
            return validate_data(self, X, reset=min_columns is not None, skip_check_array=True)
        if isinstance(X, np.ma.MaskedArray):
            check_mask(X, [f"x{i}" for i in range(X.shape[1])] if X.ndim == 2 else None)
        reset = min_columns is not None
        return frame_of(validate_data(self, X, reset=reset, dtype=None, ensure_min_features=min_columns or 1))

    def _dataset(self, frame: Any) -> Dataset:
        return Dataset.from_frame(frame, discretize=self.cuts_ or None)
