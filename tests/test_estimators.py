"""The scikit-learn face: scikit-learn's own checks, and what they do not look at."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnsearch
from bnsearch._tools.parallel import thread_count
from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.networks import load_network
from bnsearch.runs.stop import Iterations

pytest.importorskip("sklearn")
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer
from sklearn.utils.estimator_checks import parametrize_with_checks

from bnsearch.estimators import StructureLearner
from bnsearch.estimators.inputs import count_threads, draw_seed, frame_of

QUICK = {"method": "hillclimb", "random_state": 0, "n_jobs": 1, "stop": Iterations(2)}
SAME = {"method": "hillclimb", "seed": 0, "threads": 1, "stop": Iterations(2)}  # the arguments of `learn`
ASIA = load_network("asia").sample(400, seed=5)
FRAME = ASIA.to_polars()


@pytest.fixture(scope="module")
def fitted():
    """Return a learner that has seen 400 rows of asia."""
    return StructureLearner(**QUICK).fit(FRAME)


@parametrize_with_checks([StructureLearner(**QUICK), StructureLearner(discretize="quantile:3", **QUICK)])
def test_scikit_learn_s_own_checks(estimator, check):
    """All checks that apply to an estimator of discrete data, none excepted."""
    check(estimator)


def test_attributes(fitted):
    """What is fitted agrees with what `learn` returns and with each other."""
    expected = bnsearch.learn(ASIA, **SAME)
    assert fitted.dag_ == expected.dag == fitted.result_.dag
    assert fitted.score_ == expected.score
    assert fitted.cpdag_ == expected.cpdag
    assert fitted.adjacency_matrix_.tolist() == expected.dag.adjacency.astype(int).tolist()
    assert fitted.feature_names_in_.tolist() == list(ASIA.names)
    assert fitted.n_features_in_ == 8
    assert fitted.network_.equals(expected.network(ASIA, ess=1.0))
    assert fitted.cuts_ == {}


def test_score_is_the_mean_log_likelihood(fitted):
    """Of rows it has not seen, in natural logs; every row is possible."""
    held_out = load_network("asia").sample(200, seed=6).to_polars()
    logs = fitted.score_samples(held_out)
    assert logs.shape == (200,)
    assert np.isfinite(logs).all()
    assert fitted.score(held_out) == pytest.approx(logs.mean())
    assert isinstance(fitted.score(held_out), float)


def test_score_by_hand():
    """
    Two columns that are independent by the score: a is 0 in 3 of 4 rows, b in 2 of 4.

    With ess 1 spread over two states, P(a = 0) = 3.5 / 5 and P(b = 0) = 2.5 / 5.
    """
    learner = StructureLearner(max_parents=0, **QUICK).fit(np.array([[0, 0], [0, 1], [0, 0], [1, 1]]))
    assert learner.score_samples([[0, 0], [1, 0]]) == pytest.approx(np.log([0.7 * 0.5, 0.3 * 0.5]))


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames_agree(fitted, kind):
    """The same table in any library gives the same network and the same scores."""
    frame = {"pandas": FRAME.to_pandas, "polars": FRAME.clone, "arrow": FRAME.to_arrow}[kind]()
    learner = StructureLearner(**QUICK).fit(frame)
    assert learner.dag_ == fitted.dag_
    assert learner.score(frame) == fitted.score(FRAME)


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, object, bool, str])
def test_arrays_agree(fitted, dtype):
    """Arrays of codes, whole floats, objects, truth values and text; columns are x0, x1, ..."""
    learner = StructureLearner(**QUICK).fit(ASIA.codes.T.astype(dtype))
    assert learner.dag_.names == tuple(f"x{i}" for i in range(8))
    assert learner.score_ == pytest.approx(fitted.score_)
    assert not hasattr(learner, "feature_names_in_")


def test_continuous_columns():
    """Refused, unless they are cut; held-out numbers outside of the range seen have a place."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    table = np.column_stack([x, x + 0.1 * rng.normal(size=500), rng.normal(size=500)])
    with pytest.raises(InputError, match="column 'x0' is continuous"):
        StructureLearner(**QUICK).fit(table)
    learner = StructureLearner(discretize="quantile:4", **QUICK).fit(table)
    assert learner.dag_.skeleton == {("x0", "x1")}
    assert {name: len(cuts) for name, cuts in learner.cuts_.items()} == {"x0": 3, "x1": 3, "x2": 3}
    assert np.isfinite(learner.score_samples(table * 100)).all()
    assert learner.score(table) > learner.score(table[:, [1, 2, 0]])


def test_unknown_states_are_refused_and_declared_ones_are_not():
    """State 'c' was not there in training: refused, unless the column declares it."""
    train, test = ["a", "b"] * 10, ["a", "c"]
    frame = pd.DataFrame({"s": train, "t": train})
    other = pd.DataFrame({"s": test, "t": ["a", "b"]})
    with pytest.raises(InputError, match="column 's', row 2: 'c' is not one of its states"):
        StructureLearner(**QUICK).fit(frame).score(other)
    levels = pd.CategoricalDtype(["a", "b", "c"])
    learner = StructureLearner(**QUICK).fit(frame.astype(levels))
    assert np.isfinite(learner.score(other.astype(levels)))


def test_columns_are_checked_by_name(fitted):
    """Another order or other names are scikit-learn's error."""
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.score(FRAME.select(reversed(FRAME.columns)))


def test_unfitted():
    """Nothing can be scored before `fit`."""
    with pytest.raises(NotFittedError):
        StructureLearner().score(FRAME)


def test_settings_reach_the_search():
    """Knowledge, the limit of parents and the criterion are those of `learn`."""
    required = Knowledge(required=[("xray", "smoke")])
    learner = StructureLearner(knowledge=required, max_parents=1, criterion="bdeu", **QUICK).fit(FRAME)
    assert ("xray", "smoke") in learner.dag_.edges
    assert max(map(len, learner.dag_.parents)) == 1
    expected = bnsearch.learn(ASIA, knowledge=required, max_parents=1, score="bdeu", **SAME)
    assert learner.score_ == expected.score


@pytest.mark.parametrize("ess", [0, -1, float("nan")])
def test_smoothing_is_needed(ess):
    """Without smoothing a row could be impossible."""
    with pytest.raises(InputError, match="ess must be above 0"):
        StructureLearner(ess=ess, **QUICK).fit(FRAME)


def test_clone_and_pickle(fitted):
    """A clone has the settings and nothing fitted; a pickle has all."""
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert not hasattr(copy, "dag_")
    again = pickle.loads(pickle.dumps(fitted))
    assert again.dag_ == fitted.dag_
    assert again.score(FRAME) == fitted.score(FRAME)


def test_pipeline():
    """After a discretiser of scikit-learn's, and after a step that keeps frames."""
    table = np.random.default_rng(3).normal(size=(120, 3))
    bins = KBinsDiscretizer(3, encode="ordinal", strategy="uniform")
    pipeline = make_pipeline(bins, StructureLearner(**QUICK)).fit(table)
    assert np.isfinite(pipeline.score(table))
    kept = make_pipeline(FunctionTransformer(), StructureLearner(**QUICK)).fit(FRAME)
    assert kept[-1].dag_.names == ASIA.names


def test_grid_search(fitted):
    """Held-out likelihood chooses between no parents and some; declared levels hold in every fold."""
    search = GridSearchCV(StructureLearner(**QUICK), {"max_parents": [0, 2], "criterion": ["bic", "bdeu"]}, cv=2)
    search.fit(FRAME)
    assert search.best_params_["max_parents"] == 2
    assert len(cross_val_score(fitted, FRAME.to_pandas(), cv=2)) == 2


def test_grid_search_over_proven_networks():
    """By itself the learner searches exactly: each of three limits on two parts, then the best limit on all rows."""
    learner = StructureLearner(random_state=0, n_jobs=1)
    search = GridSearchCV(learner, {"max_parents": [0, 1, 3]}, cv=2).fit(FRAME)
    best = search.best_estimator_
    assert best.result_.optimal
    assert best.score_ == bnsearch.learn(ASIA, max_parents=search.best_params_["max_parents"], seed=0).score
    assert search.best_params_["max_parents"] > 0
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_objects_of_several_kinds():
    """A column that mixes numbers and text is named."""
    with pytest.raises(InputError, match="column 'x1' holds values of several types"):
        frame_of(np.array([[1, 1], [2, "a"]], dtype=object))


def test_public_name():
    """The name is the package's; without scikit-learn it says how to get it, and the rest works."""
    assert bnsearch.StructureLearner is StructureLearner
    code = (
        "import sys; sys.modules['sklearn'] = None; sys.modules['sklearn.base'] = None\n"
        "import bnsearch\nfrom bnsearch import *\nprint(learn.__name__)\n"
        "try:\n    bnsearch.StructureLearner\nexcept bnsearch.InputError as error:\n    print(error)"
    )
    source = str(Path(bnsearch.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": source}, text=True, capture_output=True, check=True
    )
    assert done.stdout.startswith("learn\nthis needs scikit-learn (")
    assert "pip install 'bnsearch[sklearn]'" in done.stdout


def test_masked_values_are_refused():
    """A masked value is a missing value, also for the estimator."""
    X = np.ma.masked_array([[0, 0], [0, 1], [1, 0], [1, 1]], mask=[[0, 0], [0, 1], [0, 0], [0, 0]])
    with pytest.raises(InputError, match=r"column 'x1', row 2: missing value \(masked\)"):
        StructureLearner(**QUICK).fit(X)


def test_random_state_and_n_jobs():
    """The conventions of scikit-learn: a seed or a generator, and negative numbers of jobs."""
    assert draw_seed(None) is None
    assert draw_seed(np.int64(7)) == 7
    state = np.random.RandomState(1)
    assert draw_seed(state) != draw_seed(state)
    assert draw_seed(np.random.RandomState(1)) == draw_seed(np.random.RandomState(1))
    assert count_threads(None) is None
    assert count_threads(3) == 3
    assert count_threads(-1) == thread_count(None)
    assert count_threads(-1000) == 1
    with pytest.raises(InputError, match="n_jobs must not be 0"):
        count_threads(0)
