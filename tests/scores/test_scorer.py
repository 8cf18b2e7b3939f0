"""The scorer: its cache, its counters, its forks, and the errors it raises."""

from __future__ import annotations

from itertools import combinations, permutations
from math import prod

import numpy as np
import pytest

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.scores import BIC, K2, QNML, BDeu, LogLikelihood, Scorer
from bnsearch.scores.kernels import KEY, VALUE, WAYS, find_slot
from strategies import REPRESENTATIONS, Table

DATA = Table(100, (("uniform", 2), ("skewed", 3), ("function", 4), ("gaps", 5), ("constant", 1)), seed=61).dataset
SETS = [s for k in range(6) for s in combinations(range(5), k)]


def test_fork_shares_the_data_and_nothing_else():
    """A fork gives the same values, has its own counters, and its own cache of the same size."""
    scorer = Scorer(DATA, BIC(), cache_bytes=5_000)
    expected = scorer.set_values(SETS).tolist()
    scorer.family(0, [1])
    asked, computed = scorer.asked, scorer.computed
    fork = scorer.fork()
    assert (fork.asked, fork.computed) == (0, 0)
    assert fork.data is DATA
    assert fork.score is scorer.score
    assert fork.set_values(SETS).tolist() == expected
    assert fork.computed == len(SETS)
    assert (scorer.asked, scorer.computed) == (asked, computed)
    assert [a.shape for a in fork.cache.arrays] == [a.shape for a in scorer.cache.arrays]
    assert not np.shares_memory(fork.cache.arrays[KEY], scorer.cache.arrays[KEY])
    assert fork.fork().set_values(SETS).tolist() == expected


def test_fork_to_another_score():
    """A fork with another score gives the values of a new scorer with that score."""
    scorer = Scorer(DATA, BIC())
    families = [(c, [p for p in range(5) if p != c][:k]) for c in range(5) for k in range(4)]
    forks = [scorer.fork(score) for score in (K2(), BDeu(ess=2.0), BDeu(ess=9.0), QNML(), BIC())]
    for _ in range(2):
        for own in (scorer, *forks):
            fresh = Scorer(DATA, own.score)
            assert [own.family(*f) for f in families] == [fresh.family(*f) for f in families]
    assert forks[0]._layout is scorer._layout


@pytest.mark.parametrize("cache_bytes", [96, 97, 191, 192, 400])
def test_smallest_caches(cache_bytes):
    """96 bytes hold four values, in one bucket, and scores are right."""
    scorer = Scorer(DATA, BIC(), cache_bytes=cache_bytes)
    assert scorer.cache.arrays[KEY].nbytes + scorer.cache.arrays[VALUE].nbytes <= cache_bytes
    expected = Scorer(DATA, BIC()).set_values(SETS).tolist()
    for _ in range(2):
        assert scorer.set_values(SETS).tolist() == expected
    assert scorer.computed > len(SETS)


def test_slots_of_a_bucket():
    """Keys 8 to 11 fill the second bucket of two in turn; the next one takes the slot its low half names."""
    key = np.zeros((2 * WAYS, 2), dtype=np.uint64)
    high = np.uint64(5)
    for i in range(WAYS):
        assert find_slot(key, high, np.uint64(8 + i)) == (WAYS + i, False)
        key[WAYS + i] = high, 8 + i
    for i in range(WAYS):
        assert find_slot(key, high, np.uint64(8 + i)) == (WAYS + i, True)
    assert find_slot(key, high, np.uint64(14)) == (WAYS + 2, False)
    assert find_slot(key, np.uint64(2), np.uint64(9)) == (0, False)


def test_counters():
    """Set values count as computed, not as asked for; a request with an error does not count; K2 has two values."""
    scorer = Scorer(DATA, BIC())
    scorer.set_values([[0, 1], [1, 0], []])
    assert (scorer.asked, scorer.computed) == (0, 2)
    with pytest.raises(InputError):
        scorer.families([0, 1], [[2], [1]])
    assert (scorer.asked, scorer.computed) == (0, 2)
    other = Scorer(DATA, K2())
    other.family(0, [1])  # {0 1} and the parents {1} of a child with 2 states
    assert (other.asked, other.computed) == (1, 2)
    other.family(2, [1])  # {1 2} and the parents {1} of a child with 4 states: another value
    assert (other.asked, other.computed) == (2, 4)


def test_children_of_many_arities_in_one_batch():
    """K2 groups families by the child's arity, and returns the scores in the given order."""
    families = [(c, [p for p in range(5) if p != c][: c % 3]) for c in (4, 0, 3, 1, 2, 0, 3, 4)]
    scorer = Scorer(DATA, K2())
    together = scorer.families([c for c, _ in families], [p for _, p in families])
    assert together.tolist() == [Scorer(DATA, K2()).family(*f) for f in families]


def test_a_set_has_one_value_however_it_is_written():
    """A number of cells above 2^53 does not depend on the order of its factors, to the last bit."""
    arities = [50_410, 53_406, 55_470, 46_445, 40_054]
    data = Table(20, tuple(("uniform", r) for r in arities), seed=62).dataset
    assert len({prod(map(float, order)) for order in permutations(arities)}) > 1
    values = {Scorer(data, BIC()).set_value(order) for order in permutations(range(5))}
    assert len(values) == 1


@pytest.mark.parametrize("representation", REPRESENTATIONS)
def test_one_row_one_variable(representation):
    """The smallest dataset: one row, one variable, with likelihood 1 and K2 score log 1/3."""
    data = Dataset.from_codes([[2]], arities=[3])
    assert Scorer(data, BIC(), representation=representation).family(0, []) == 0
    assert Scorer(data, K2(), representation=representation).family(0, []) == pytest.approx(-np.log(3))


def test_more_cells_than_numbers_hold():
    """150 variables of 130 states have a likelihood; the penalty of 1e317 cells is an error."""
    codes = np.random.default_rng(63).integers(130, size=(3, 150))
    data = Dataset.from_codes(codes, arities=[130] * 150)
    for score in (BIC(), QNML(), BDeu()):
        with pytest.raises(InputError, match="the family of '0' with 149 parents has too many cells"):
            Scorer(data, score).family(0, range(1, 150))
    assert Scorer(data, LogLikelihood()).family(0, range(1, 150)) == 0
    assert Scorer(data, K2()).family(0, range(1, 150)) == pytest.approx(-3 * np.log(130))


def test_bad_requests_are_refused():
    """Caches that are too small, and numbers that are not variables of the dataset, are errors."""
    scorer = Scorer(DATA, BIC())
    for bad, text in [
        (lambda: Scorer(DATA, BIC(), cache_bytes=95), "cache_bytes must be at least 96, not 95"),
        (lambda: Scorer(DATA, BIC(), cache_bytes=1e8), "cache_bytes must be a whole number"),
        (lambda: scorer.family("0", ["1"]), "by number"),
        (lambda: scorer.family(0, [0.5]), "by number"),
        (lambda: scorer.set_value([5]), "variable 5 is not one of 0..4"),
        (lambda: scorer.set_value([1, 1]), "twice"),
        (lambda: scorer.families([0], []), "1 children but 0 parent sets"),
    ]:
        with pytest.raises(InputError, match=text):
            bad()
