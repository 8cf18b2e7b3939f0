"""Classification with a learned network as a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from bnsearch.data import Dataset
from bnsearch.data.coding import Column
from bnsearch.errors import InputError
from bnsearch.estimators.base import NetworkEstimator


class NetworkClassifier(ClassifierMixin, NetworkEstimator):  # type: ignore[misc]
    """
    Classify rows with a Bayesian network that is learned over the columns of X and the class.

    The structure maximises the score of all columns together. The class probabilities are exact.

    Parameters
    ----------
    method, seconds, max_parents, knowledge, stop
        As in `bnsearch.learn`. In `knowledge`, the class has the name of y if y is a Series, otherwise "class".
    random_state, n_jobs, criterion, discretize, ess
        As in `StructureLearner`.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    target_name_ : str
        Name of the class in the network.
    dag_, cpdag_, adjacency_matrix_, network_, score_, result_, cuts_, n_features_in_, feature_names_in_
        As in `StructureLearner`; the class is the last variable.

    Notes
    -----
    X has any form that `StructureLearner` accepts. A state that did not occur in `fit` is refused, unless it was
    declared.

    Examples
    --------
    >>> import bnsearch
    >>> table = bnsearch.load_network("asia").sample(500, 1).to_polars()
    >>> X, y = table.drop("either"), table["either"]
    >>> classifier = bnsearch.NetworkClassifier(seconds=10, random_state=1).fit(X, y)
    >>> classifier.classes_.tolist(), classifier.score(X, y)
    (['no', 'yes'], 1.0)
    """

    def fit(self, X: Any, y: Any) -> NetworkClassifier:  # noqa: N803
        """Learn structure and probability tables from the columns of X and the classes y."""
        if y is None:
            raise InputError("fit needs the class of each row: requires y to be passed, but the target y is None")
        data = self._read_training_table(X, min_columns=1)
        labels = column_or_1d(y, warn=True)
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        if len(labels) != data.n_rows:
            raise InputError(f"X has {data.n_rows} rows, and y has {len(labels)} classes: they must agree")
        self.classes_, codes = np.unique(labels, return_inverse=True)
        self.target_name_ = _choose_name(y, data.names)
        states = tuple(str(label) for label in self.classes_)
        columns = [Column(*pair) for pair in zip(data.codes, data.states, strict=True)]
        self._learn(Dataset.from_columns([*data.names, self.target_name_], [*columns, Column(codes, states)]))
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:  # noqa: N803
        """Return float64[rows, classes], the probability of each class of `classes_` given each row of X."""
        data = self._read_table(X)
        return self.network_.predict_proba(data, self.target_name_)

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803
        """Return the most probable class for each row of X."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])


def _choose_name(y: Any, columns: tuple[str, ...]) -> str:
    """Return the name of y, or "class" if it has none; it differs from the names of the columns."""
    name = str(getattr(y, "name", None) or "class")
    while name in columns:
        name += "_"
    return name
