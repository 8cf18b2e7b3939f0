"""Automatic selection: complete tables of small problems, growth for larger ones."""

from __future__ import annotations

import numpy as np
import pytest
from test_sequential import by_definition, random_table

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.scores import BIC, BDeu, Scorer
from bnsearch.scores.extender import Extender
from bnsearch.selection.auto import Auto
from bnsearch.selection.sequential import Sequential
from bnsearch.selection.variable_growth import VariableGrowth
from reference_exact import best_score

# Natural-log BIC optima without an in-degree limit, from an independent dynamic program.
OPTIMA = {
    "nltcs.valid": -13327.016510,
    "nltcs.test": -20033.595540,
    "msnbc.valid": -246168.019192,
}


def test_small_tables_are_exact():
    """With six variables every set is considered."""
    data = random_table(6, 200, 7)
    selection = Auto(seconds=60).select(data, BDeu(ess=1.0))
    assert (selection.stop, selection.depth) == ("complete", 5)
    expected = by_definition(data, BDeu(ess=1.0), 5)
    assert [{p for _, p in selection.table.sets(v)} for v in range(6)] == [set(e) for e in expected]


@pytest.mark.parametrize("name", OPTIMA)
def test_tables_hold_the_known_optimum(shared_data, name):
    """The best network of the exact table scores what an independent program found."""
    data = Dataset.read(shared_data / "debd" / f"{name}.csv.gz", header=False)
    selection = Auto(seconds=300).select(data, BIC())
    assert selection.stop == "complete"
    assert best_score(selection.table) == pytest.approx(OPTIMA[name], abs=1e-5)


def xor_table() -> Dataset:
    """Return ten binary columns of which the last is the parity of the first four, which have all states often."""
    random = np.random.default_rng(4)
    codes = random.integers(0, 2, (2000, 10))
    codes[:, 4] = np.where(random.random(2000) < 0.9, codes[:, 3], codes[:, 4])
    codes[:, 9] = codes[:, :3].sum(axis=1) % 2
    return Dataset.from_codes(codes)


def test_growth_reaches_what_greedy_steps_can():
    """From all pairs of parents, growth finds the triple whose parity is the child, with the right scores."""
    data = xor_table()
    pairs = Sequential(max_parents=2).select(data, BIC()).table
    extender = Extender(data, BIC())
    seeds = np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32)
    scorer = Scorer(data, BIC())
    scores = np.array([scorer.family(9, s) for s in seeds.tolist()])
    best_first = np.argsort(-scores)
    growth = VariableGrowth(extender, 9, np.arange(9), 5, seeds[best_first], scores[best_first])
    while growth.grow(extender, 10):
        pass
    scores, sizes, members = growth.found()
    sets = [tuple(sorted(own.tolist())) for own in np.split(members, np.cumsum(sizes)[:-1])]
    found = dict(zip(sets, scores.tolist(), strict=True))
    assert (0, 1, 2) in found
    assert found == pytest.approx({s: scorer.family(9, s) for s in found}, rel=1e-9)
    assert all(v > scorer.family(9, pairs.parents(int(pairs.begin[10]) - 1)) for v in found.values())


def test_growth_does_not_depend_on_slices():
    """Many small budgets give the same sets as one large budget."""
    data = xor_table()
    extender = Extender(data, BIC())
    results = []
    for budget in (7, 10**6):
        empty_set = np.empty((1, 0), dtype=np.int32)
        growth = VariableGrowth(extender, 9, np.arange(9), 4, empty_set, np.array([extender.empty(9)]))
        while growth.grow(extender, budget):
            pass
        results.append(growth.found())
    assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))


@pytest.mark.parametrize("wrong", [{"growth": -0.1}, {"growth": 1.5}], ids=str)
def test_wrong_share_of_growth(wrong):
    """The message names the parameter."""
    with pytest.raises(InputError, match=next(iter(wrong))):
        Auto(**wrong)
