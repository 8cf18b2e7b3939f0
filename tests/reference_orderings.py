"""Scores of orderings and of moves by definition, and kernels that return the same from the code under test."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

import numpy as np

from bnsearch.kernels.compile import kernel
from bnsearch.kernels.random_numbers import draw, draw_below
from bnsearch.orderings.index import Index
from bnsearch.orderings.kernels.arrays import CHOICE, DELTA, N_ACTIVE, ORDER, POSITION, REACH, TARGET
from bnsearch.orderings.kernels.insertion import find_best_insertion, price_insertion
from bnsearch.orderings.kernels.state import insert_variable
from bnsearch.orderings.kernels.swap import price_swap
from bnsearch.orderings.state import OrderingState
from bnsearch.parent_sets.table import ParentSets

# The arrays of a state that depend on the ordering alone.
STATE = {
    "order": ORDER, "position": POSITION, "choice": CHOICE, "delta": DELTA, "target": TARGET, "n_active": N_ACTIVE,
    "reach": REACH,
}  # fmt: skip


class Definition:
    """A candidate table whose orderings are scored by reading all parent sets."""

    def __init__(self, table: ParentSets) -> None:
        self.table = table
        self.n = table.n_variables
        self.sets = [frozenset(table.parents(row)) for row in range(table.n_sets)]

    def rows(self, variable: int) -> range:
        """Return the rows of a variable, best first."""
        return range(int(self.table.begin[variable]), int(self.table.begin[variable + 1]))

    def candidates(self, variable: int) -> list[int]:
        """Return the members of a variable's parent sets, in order of first occurrence."""
        return list(dict.fromkeys(u for row in self.rows(variable) for u in self.table.parents(row)))

    def row(self, variable: int, before: Set[int]) -> int:
        """Return a variable's best row whose members are all in `before`; the first one of ties."""
        return next(row for row in self.rows(variable) if self.sets[row] <= before)

    def choice(self, order: Sequence[int]) -> list[int]:
        """Return the best row of each variable with parents among its predecessors."""
        before: set[int] = set()
        rows = {}
        for v in order:
            rows[v] = self.row(v, before)
            before.add(v)
        return [rows[v] for v in range(self.n)]

    def score(self, order: Sequence[int]) -> float:
        """Return an ordering's score."""
        return math.fsum(self.table.scores[self.choice(order)])

    def changes(self, order: Sequence[int], variable: int) -> list[float]:
        """Return the change of the score if a variable is inserted at each position."""
        now = self.score(order)
        return [self.score(insert(order, variable, to)) - now for to in range(self.n)]


class SplitMix:
    """The random number generator of the kernels, by definition (Steele, Lea & Flood 2014)."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.state = int(rng.bit_generator.random_raw())

    def below(self, n: int) -> int:
        """Return the next number from 0 to n - 1."""
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        bits = self.state
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB % 2**64
        return (bits ^ bits >> 31) % n


def insert(order: Sequence[int], variable: int, to: int) -> list[int]:
    """Return an ordering with a variable moved to another position."""
    rest = [v for v in order if v != variable]
    return [*rest[:to], variable, *rest[to:]]


def draw_order(n: int, seed: int) -> list[int]:
    """Return a random ordering."""
    return np.random.default_rng(seed).permutation(n).tolist()


def make_index(table: ParentSets, seed: int) -> Index:
    """Return the index of a table, without caches or with caches of 1, 8 or 1024 lines."""
    return Index(table, cache_size=(0, 1, 8, 1024)[seed % 4])


def make_state(index: Index, order: Sequence[int]) -> OrderingState:
    """Return a new state for an ordering."""
    state = OrderingState(index)
    state.set_order(np.array(order, dtype=np.int32))
    return state


def list_differences(state: OrderingState, other: OrderingState) -> list[str]:
    """Return the names of the arrays in which two states differ."""
    return [name for name, entry in STATE.items() if not np.array_equal(state.arrays[entry], other.arrays[entry])]


@kernel
def run_insertion(index, state, variable, to):
    """Insert a variable; return the change of the score and the two counts of touched variables."""
    return insert_variable(index, state, variable, to)


@kernel
def run_best_insertion(index, state, variable, min_change):
    """Return the best change above `min_change`, and its position."""
    return find_best_insertion(index, state, variable, min_change)


@kernel
def run_pricing(index, state, variable, min_change, changes):
    """Write the score change of the insertion of a variable at each position, zero at its own."""
    for to in range(changes.size):
        own = to == state[POSITION][variable]
        changes[to] = 0.0 if own else price_insertion(index, state, variable, np.int64(to), min_change)


@kernel
def run_swap_pricing(index, state, at):
    """Return the score change of the swap of two adjacent variables."""
    return price_swap(index, state, at)


@kernel
def run_draws(random, below, bits, numbers):
    """Write random 64-bit numbers, then random numbers below given bounds."""
    for i in range(bits.size):
        bits[i] = draw(random)
    for i in range(numbers.size):
        numbers[i] = draw_below(random, below[i])
