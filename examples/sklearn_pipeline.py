"""Choose the limit on parents by cross-validation, in a scikit-learn pipeline. It needs scikit-learn and pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer

from bnsearch import Iterations, StructureLearner

rng = np.random.default_rng(1)
x = rng.normal(size=(600, 1))
table = pd.DataFrame(np.hstack([x, x + rng.normal(0, 0.5, (600, 2)), rng.normal(size=(600, 2))]), columns=list("abcde"))
train, test = train_test_split(table, random_state=1)

bins = KBinsDiscretizer(4, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
# A number of iterations instead of seconds makes the result reproducible.
learner = StructureLearner(method="hillclimb", stop=Iterations(3), seconds=None, random_state=1, n_jobs=1)
search = GridSearchCV(make_pipeline(bins, learner), {"structurelearner__max_parents": [0, 1, 2]}, cv=3)
search.fit(train)

best = search.best_estimator_.named_steps["structurelearner"]
print("parents at most:", search.best_params_["structurelearner__max_parents"])
print("edges:", best.dag_.edges)
print(f"log-likelihood of a new row: {search.score(test):.3f}")
