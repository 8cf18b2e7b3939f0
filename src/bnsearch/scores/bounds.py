"""
Pruning rules: parent sets that cannot be part of an optimal network.

A family matters only if it beats all families of the same child with fewer parents. There are two rules. Both can be
switched off, and neither changes a table:

"in-degree" Under BIC and AIC the fit is at most 0, and without parents it is at least -N log r for a child of r states.
A parent set with q cells can improve on the empty set only if -c (r - 1) q > -N log r - c (r - 1), with the penalty c
of a parameter, so q < 1 + N log r / (c (r - 1)). Let a be the smallest number of states above one. With q >= a^k and r
>= a this bounds the number k of parents. For a = 2 and c = log(N) / 2 it is just below the log2(2 N / log N) of de
Campos & Ji (2011).

"ceiling" `Bound` is an upper bound on the scores of all supersets of S, computed from S and its counts. If it does not
exceed the best score of the subsets of S, no superset of S is needed.

References
----------
De Campos & Ji (2011). Efficient structure learning of Bayesian networks using constraints. JMLR 12.
Correia, Cussens & de Campos (2020). On pruning for score-based Bayesian network structure learning. AISTATS.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import NamedTuple

from bnsearch.counting.cell_sums import CellFunction
from bnsearch.data import Dataset
from bnsearch.scores.aic import AIC
from bnsearch.scores.bic import BIC
from bnsearch.scores.score import Score

RULES = ("in-degree", "ceiling")


class Bound(NamedTuple):
    """
    Upper bound on local scores with a proper superset of S as parents: slope (r - 1) smallest q - level log(r) K.

    Here r is the number of states of the child, q the number of cells of S, and K the number of cells of the whole
    family (S and the child) that occur in the data.

    Attributes
    ----------
    slope : minus the penalty of one parameter
    level : 1 if every cell that occurs costs log(r), else 0
    smallest : smallest number of states of a further parent; parents with one state never improve a score

    Notes
    -----
    Under BIC and AIC the fit is at most 0, and the penalty follows from q (de Campos & Ji 2011).

    Under BDeu and K2 a parent cell adds the log of the probability of its child states in Polya's urn, which starts
    with a total weight a, a / r of each state. In the i-th row, a state that appears for the first time has probability
    (a / r) / (a + i) <= 1 / r, and no row has more than 1. So a cell with d different states of the child adds at most
    -d log(r), and the family scores at most -K log(r). Further parents split cells and never decrease K. De Campos & Ji
    (2011) count the parent cells that occur. Counting the child's states in them follows the idea of Correia, Cussens &
    de Campos (2020); the derivation is our own. The structure prior of BDeu is a slope.

    For other scores the bound is 0, which none of the scores here exceeds.
    """

    slope: float = 0.0
    level: float = 0.0
    smallest: float = 1.0


def bound_of(data: Dataset, score: Score, rules: Collection[str] = RULES) -> Bound:
    """Return the bound of a score for a dataset; the trivial one if the rule is switched off."""
    if "ceiling" not in rules:
        return Bound()
    joint = score.joint(data.n_rows)
    urn = joint.function in (CellFunction.RISING, CellFunction.RISING_SPREAD)
    if not urn and not isinstance(score, BIC | AIC):
        return Bound()
    return Bound(joint.slope, float(urn), float(_fewest_states(data)))


def max_useful_parents(data: Dataset, score: Score, asked: int | None, rules: Collection[str] = RULES) -> int:
    """Return the size of the largest parent set that can improve a local score, at most `asked`."""
    limit = data.n_variables - 1
    if isinstance(score, BIC | AIC) and "in-degree" in rules:
        cost = -score.joint(data.n_rows).slope
        fewest = _fewest_states(data)
        useful = 0
        while useful < limit and cost * (fewest - 1) * (fewest ** (useful + 1) - 1) < data.n_rows * math.log(fewest):
            useful += 1
        limit = useful
    return limit if asked is None else min(limit, asked)


def _fewest_states(data: Dataset) -> int:
    """Return the smallest number of states above one: variables with one state do not improve a fit."""
    return int(data.arities[data.arities > 1].min(initial=1 << 16))
