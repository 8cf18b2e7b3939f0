"""Structure learning as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.estimators.base import NetworkEstimator


class StructureLearner(NetworkEstimator):
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

    def fit(self, X: Any, y: object = None) -> StructureLearner:  # noqa: N803
        """Learn structure and probability tables from X; y is ignored."""
        self._learn(self._read_training_table(X, min_columns=2))
        return self

    def score_samples(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return the natural log of the probability of each row of X."""
        from bnsearch.networks import row_log_likelihoods

        data = self._read_table(X)
        return row_log_likelihoods(self.network_, data)

    def score(self, X: Any, y: object = None) -> float:  # noqa: N803
        """Return the mean log-likelihood of the rows of X; higher is better."""
        return float(self.score_samples(X).mean())
