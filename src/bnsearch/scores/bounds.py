"""
Sound bounds: parent sets that can never pay.

A family matters only if it beats all families of the same child with fewer parents. Two rules, each of which can be
switched off and changes no table:

"in-degree"
    Under BIC and AIC the fit is at most 0, and without parents it is at least -N log r for a child of r states. A
    parent set of q cells pays only if -c (r - 1) q > -N log r - c (r - 1), where c is what a parameter costs, so
    q < 1 + N log r / (c (r - 1)). With q >= a^k and r >= a, a the fewest states of any variable that has more than
    one, this bounds the number k of parents; for a = 2 and c = log(N) / 2 it is just below the log2(2 N / log N) of
    de Campos & Ji (2011).

"ceiling"
    No superset of S scores more than a number that S and the counts of S give (`Bound`), so that, once this is not
    above the best score over the subsets of S, no superset of S matters.

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
    What no family with more parents than S exceeds: slope (r - 1) smallest q - level log(r) K.

    Here r is the number of states of the child, q the number of cells of S, and K the number of cells of the whole
    family (S and the child) that occur in the data.

    Attributes
    ----------
    slope : what one parameter adds to the score, 0 or less
    level : 1 if every cell that occurs costs log(r), else 0
    smallest : the fewest states that a further parent can have; those with one state never pay

    Notes
    -----
    Under BIC and AIC the fit is at most 0 and the penalty is known (de Campos & Ji 2011).

    Under BDeu and K2 a parent cell adds the log of the probability of its child states in Polya's urn, which begins
    with weight a / r of each state, a in all. Row after row, a state that appears for the first time has probability
    (a / r) / (a + i) <= 1 / r, and no row has more than 1, so a cell with d different states of the child adds at most
    -d log(r), and the family scores at most -K log(r). Further parents split cells and never make K smaller. De Campos
    & Ji (2011) count the parent cells that occur; that the states in them may be counted is in the spirit of Correia,
    Cussens & de Campos (2020), derived here anew. The structure prior of BDeu is a slope.

    For other scores the bound is 0, which no log-score here exceeds.
    """

    slope: float = 0.0
    level: float = 0.0
    smallest: float = 1.0


def bound_of(data: Dataset, score: Score, rules: Collection[str] = RULES) -> Bound:
    """Return the bound of a score on a table; the trivial one where the rule is switched off."""
    if "ceiling" not in rules:
        return Bound()
    joint = score.joint(data.n_rows)
    urn = joint.function in (CellFunction.RISING, CellFunction.RISING_SPREAD)
    if not urn and not isinstance(score, BIC | AIC):
        return Bound()
    return Bound(joint.slope, float(urn), float(_fewest_states(data)))


def max_useful_parents(data: Dataset, score: Score, asked: int | None, rules: Collection[str] = RULES) -> int:
    """Return the largest parent set worth considering: what was asked for, and no more than can ever pay."""
    most = data.n_variables - 1
    if isinstance(score, BIC | AIC) and "in-degree" in rules:
        cost = -score.joint(data.n_rows).slope
        fewest = _fewest_states(data)
        pays = 0
        while pays < most and cost * (fewest - 1) * (fewest ** (pays + 1) - 1) < data.n_rows * math.log(fewest):
            pays += 1
        most = pays
    return most if asked is None else min(most, asked)


def _fewest_states(data: Dataset) -> int:
    """Return the fewest states of a variable that has more than one; of more than one, a fit may be improved."""
    return int(data.arities[data.arities > 1].min(initial=1 << 16))
