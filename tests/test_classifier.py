"""The classifier: scikit-learn's own checks, and agreement with queries of the network."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import bnsearch
from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.networks import load_network
from bnsearch.runs.stop import Iterations

pytest.importorskip("sklearn")
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from bnsearch.estimators import NetworkClassifier

QUICK = {"method": "hillclimb", "random_state": 0, "n_jobs": 1, "stop": Iterations(50)}
FRAME = load_network("asia").sample(400, seed=5).to_polars()
X, Y = FRAME.drop("either"), FRAME["either"]


@pytest.fixture(scope="module")
def fitted():
    """Return a classifier of `either`."""
    return NetworkClassifier(**QUICK).fit(X, Y)


@parametrize_with_checks([NetworkClassifier(discretize="quantile:4", **QUICK)])
def test_scikit_learn_s_own_checks(estimator, check):
    """All checks that apply to a classifier, none excepted."""
    check(estimator)


def test_probabilities_are_those_of_queries(fitted):
    """Each row is the distribution of the class given the other variables; the class is the last variable."""
    found = fitted.predict_proba(X[:5])
    for row, values in enumerate(X[:5].iter_rows(named=True)):
        assert_allclose(found[row], fitted.network_.query("either", values).probabilities, atol=1e-9)
    assert fitted.network_.names == (*X.columns, "either")
    assert fitted.classes_.tolist() == ["no", "yes"]
    assert fitted.target_name_ == "either"
    assert fitted.predict(X).tolist() == [fitted.classes_[best] for best in fitted.predict_proba(X).argmax(axis=1)]


def test_score_is_the_accuracy(fitted):
    """Either is a function of tub and lung, so held-out rows are classified without errors."""
    held_out = load_network("asia").sample(300, seed=6).to_polars()
    assert fitted.score(held_out.drop("either"), held_out["either"]) > 0.98
    assert len(cross_val_score(NetworkClassifier(**QUICK), X.to_pandas(), Y.to_pandas(), cv=2)) == 2


@pytest.mark.parametrize("classes", [[0, 1], [-1.0, 1.0], [False, True], ["a", "b"]])
def test_classes_keep_their_type(classes):
    """Predictions have the type of y."""
    y = np.array(classes)[(np.array(Y) == "yes").astype(int)]
    found = NetworkClassifier(**QUICK).fit(X, y)
    assert found.classes_.tolist() == classes
    assert found.predict(X).dtype == y.dtype
    assert found.target_name_ == "class"


def test_names_of_the_class():
    """A name that a column has already gets an underscore; knowledge can refer to the class by its name."""
    frame = pd.DataFrame({"class": [0, 1] * 10, "b": [0, 0, 1, 1] * 5})
    assert NetworkClassifier(**QUICK).fit(frame, [0, 1] * 10).target_name_ == "class_"
    naive = Knowledge(required=[("either", name) for name in X.columns], max_parents=1)
    assert len(NetworkClassifier(knowledge=naive, **QUICK).fit(X, Y).dag_.edges) == 7


def test_pickle(fitted):
    """A loaded classifier predicts the same."""
    again = pickle.loads(pickle.dumps(fitted))
    assert np.array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_wrong_input(fitted):
    """The messages say what is wrong; an unknown state is named with its row."""
    with pytest.raises(NotFittedError):
        NetworkClassifier().predict(X)
    with pytest.raises(InputError, match="fit needs the class of each row"):
        NetworkClassifier(**QUICK).fit(X, None)
    with pytest.raises(ValueError, match="X has 400 rows, and y has 399 classes: they must agree"):
        NetworkClassifier(**QUICK).fit(X, Y[:399])
    with pytest.raises(InputError, match="column 'smoke', row 1: 'never' is not one of its states 'yes', 'no'"):
        fitted.predict(X.to_pandas().astype(str).assign(smoke="never"))
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        NetworkClassifier(**QUICK).fit(X, np.linspace(0, 1, 400))


def test_public_name():
    """The name is the package's."""
    assert bnsearch.NetworkClassifier is NetworkClassifier
