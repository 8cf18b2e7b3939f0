"""Crossover operators: worked by hand, and their properties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.orderings.crossover import (
    CROSSOVERS,
    cycle_crossover,
    invert_ordering,
    order_crossover,
    rank_crossover,
)


class Scripted:
    """A generator with scripted draws."""

    def __init__(self, *, permutation=(), integers=(), random=()):
        self._permutation = np.array(permutation)
        self._integers = iter(integers)
        self._random = np.array(random)

    def permutation(self, n):
        """Return the scripted permutation."""
        assert len(self._permutation) == n
        return self._permutation

    def integers(self, high):
        """Return the next scripted number."""
        number = next(self._integers)
        assert number < high
        return number

    def random(self, n):
        """Return the scripted numbers."""
        assert len(self._random) == n
        return self._random


def make_ordering(*variables: int) -> np.ndarray:
    """Return an ordering."""
    return np.array(variables, dtype=np.int32)


@st.composite
def pairs(draw: st.DrawFn):
    """Draw two orderings of the same variables, and a seed."""
    first = draw(st.permutations(range(draw(st.integers(1, 12)))))
    return make_ordering(*first), make_ordering(*draw(st.permutations(first))), draw(st.integers(0, 2**32 - 1))


@pytest.mark.parametrize("name", CROSSOVERS)
@given(case=pairs())
def test_offspring_are_orderings(name, case):
    """A child has each variable once, parents are unchanged, and equal parents have an equal child."""
    first, second, seed = case
    copies = first.copy(), second.copy()
    child = CROSSOVERS[name](first, second, np.random.default_rng(seed))
    assert child.dtype == np.int32
    assert sorted(child.tolist()) == list(range(len(first)))
    assert (first.tolist(), second.tolist()) == tuple(copy.tolist() for copy in copies)
    assert CROSSOVERS[name](first, first, np.random.default_rng(seed)).tolist() == first.tolist()


@given(pairs())
def test_cycle_crossover_takes_every_position_from_a_parent(case):
    """Each position has the variable of one of the parents."""
    first, second, seed = case
    child = cycle_crossover(first, second, np.random.default_rng(seed))
    assert ((child == first) | (child == second)).all()


def test_cycle_crossover_by_hand():
    """
    Parents 0 1 2 3 4 and 1 0 4 2 3 have the cycles of positions {0, 1} and {2, 3, 4}.

    Position 3 is drawn first, with the second parent: 2 at position 3. The first parent has 3 there, which the second
    has at position 4: 3 at position 4. The first has 4 there, which the second has at position 2: 4 at position 2. Then
    position 1 is drawn, with the first parent.
    """
    rng = Scripted(permutation=[3, 1, 0, 2, 4], integers=[1, 0])
    child = cycle_crossover(make_ordering(0, 1, 2, 3, 4), make_ordering(1, 0, 4, 2, 3), rng)
    assert child.tolist() == [0, 1, 4, 2, 3]


def test_rank_crossover_by_hand():
    """
    Parents 0 1 2 3 and 2 0 3 1: sums of positions 0 + 1, 1 + 3, 2 + 0, 3 + 2 for variables 0 to 3.

    Hence 0 (1), 2 (2), 1 (4), 3 (5). Parents 0 1 2 and 2 1 0 tie throughout: the random numbers decide.
    """
    rng = Scripted(random=[0.9, 0.1, 0.2, 0.3])
    assert rank_crossover(make_ordering(0, 1, 2, 3), make_ordering(2, 0, 3, 1), rng).tolist() == [0, 2, 1, 3]
    rng = Scripted(random=[0.9, 0.1, 0.2])
    assert rank_crossover(make_ordering(0, 1, 2), make_ordering(2, 1, 0), rng).tolist() == [1, 2, 0]


@given(pairs())
def test_rank_crossover_sorts_by_mean_position(case):
    """The sums of the two positions ascend along the child."""
    first, second, seed = case
    child = rank_crossover(first, second, np.random.default_rng(seed))
    sums = (invert_ordering(first) + invert_ordering(second))[child]
    assert (np.diff(sums) >= 0).all()


def test_order_crossover_by_hand():
    """
    Parent 3 1 4 0 2 keeps positions 2 and 0, half of five rounded down: 3 _ 4 _ _.

    The others, 1, 0 and 2, are ordered as 2, 0, 1 in the other parent 2 3 0 4 1, and fill the gaps in that order.
    """
    rng = Scripted(permutation=[2, 0, 1, 3, 4])
    assert order_crossover(make_ordering(3, 1, 4, 0, 2), make_ordering(2, 3, 0, 4, 1), rng).tolist() == [3, 2, 4, 0, 1]
