"""All families up to a size: the best family of each child, compared with all of them one by one."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.scores import AIC, BIC, FNML, K2, QNML, AllSets, BDeu, LogLikelihood, Scorer, improves
from strategies import Table, examples, tables

SCORES = [BIC(), AIC(), BDeu(ess=5.0), QNML(), K2(), FNML()]
by_score = pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)


def families_of(child, variables, max_size):
    """Yield the parent sets of a child with fewer than max_size parents, smaller ones first."""
    others = [v for v in variables if v != child]
    for size in range(min(max_size, len(variables))):
        yield from combinations(others, size)


def check(data, score, max_size, variables=None, **options):
    """Check that the best families are those found by scoring every family."""
    sets = AllSets(data, score, max_size, variables=variables, **options)
    best = sets.best_families()
    scorer = Scorer(data, score)
    assert tuple(best) == tuple(sets.sweep.order.tolist())
    for child, found in best.items():
        scores = {p: scorer.family(child, p) for p in families_of(child, sets.variables, max_size)}
        assert found.score == pytest.approx(max(scores.values()), rel=1e-9, abs=1e-9)
        assert found.score == pytest.approx(scores[found.parents], rel=1e-9, abs=1e-9)
        fewer = [s for parents, s in scores.items() if len(parents) < len(found.parents)]
        assert all(improves(found.score, s) for s in fewer)


@by_score
@given(table=tables(max_variables=6, max_rows=150))
@examples(15)
def test_best_families(score, table):
    """The best family of each child is as good as the best of all, and no smaller one is as good."""
    check(table.dataset, score, 4, threads=1)


@by_score
def test_best_families_of_some_variables(score):
    """Other variables are neither children nor parents; any number of threads."""
    data = Table(90, (("uniform", 2), ("copy", 2), ("skewed", 3), ("function", 3), ("uniform", 30)), seed=71).dataset
    for threads in (1, 3):
        check(data, score, 3, variables=[4, 0, 3, 2], threads=threads)


@pytest.mark.parametrize("score", [*SCORES, LogLikelihood()], ids=lambda score: score.name)
def test_ties_go_to_the_smaller_family(score):
    """A constant variable is not a best parent and has no parents."""
    columns = (("skewed", 3), ("uniform", 2), ("function", 3), ("uniform", 1), ("uniform", 2), ("copy", 2))
    for seed in range(4):
        data = Table(150 + seed, columns, seed=seed).dataset
        best = AllSets(data, score, 4).best_families()
        assert best[3].parents == ()
        assert all(3 not in family.parents for family in best.values())


def test_a_copy_is_the_best_parent():
    """Of two equal columns each is the other's best and only parent: log-likelihood 0 from one parent on."""
    codes = np.random.default_rng(72).integers(3, size=(200, 4))
    codes[:, 3] = codes[:, 1]
    best = AllSets(Dataset.from_codes(codes), BIC(), 3).best_families()
    assert (best[1].parents, best[3].parents) == ((3,), (1,))
    assert best[1].score == pytest.approx(-np.log(200) / 2 * 2 * 3)


@by_score
def test_few_variables(score):
    """No variables have no families, and one variable has one, for every maximum size."""
    data = Table(40, (("uniform", 3), ("skewed", 2)), seed=73).dataset
    nothing = AllSets(data, score, 3, variables=[])
    assert (nothing.best_families(), nothing.variables, nothing.families) == ({}, (), 0)
    one = AllSets(data, score, 3, variables=[1])
    expected = Scorer(data, score).family(1, [])
    assert one.best_families() == {1: (pytest.approx(expected), ())}
    assert (one.family(1, []), one.max_size, one.families) == (pytest.approx(expected), 1, 1)


def test_number_of_families():
    """Seven variables: 7 families alone, 7 * 6 of two, 7 * 15 of three."""
    sets = AllSets(Table(10, (("uniform", 2),) * 7, seed=74).dataset, BIC(), 3)
    assert sets.families == 7 + 7 * 6 + 7 * comb(6, 2)


def test_families_outside_are_refused():
    """A variable that is not covered, does not exist, or is given twice is an error."""
    sets = AllSets(Table(10, (("uniform", 2),) * 4, seed=75).dataset, BIC(), 3, variables=[0, 1, 3])
    for child, parents, text in [
        (0, [2], "not one of the counted variables"),
        (0, [4], "not one of 0..3"),
        (0, [0], "twice"),
        (0, [1, 3, 2], "not one of the counted"),
    ]:
        with pytest.raises(InputError, match=text):
            sets.family(child, parents)
