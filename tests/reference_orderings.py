"""What an ordering scores and what a move changes it by, from the definitions; kernels to ask the same of the code."""

from __future__ import annotations

import math
from collections.abc import Sequence, Set

import numpy as np

from bnsearch.kernels.compile import kernel
from bnsearch.kernels.random_numbers import draw, draw_below
from bnsearch.orderings.climber import State
from bnsearch.orderings.index import Index
from bnsearch.orderings.kernels.insertion import price_insertion, price_position
from bnsearch.orderings.kernels.state import move
from bnsearch.orderings.kernels.swap import price_swap
from bnsearch.parent_sets.table import ParentSets

STATE = {"order": 0, "position": 1, "choice": 2, "delta": 3, "target": 4, "n_active": 6, "reach": 7}  # to agree in


class Definition:
    """A table whose orderings are scored by going through all sets."""

    def __init__(self, table: ParentSets) -> None:
        self.table = table
        self.n = table.n_variables
        self.sets = [frozenset(table.parents(row)) for row in range(table.n_sets)]

    def rows(self, variable: int) -> range:
        """Return a variable's rows, best first."""
        return range(int(self.table.begin[variable]), int(self.table.begin[variable + 1]))

    def candidates(self, variable: int) -> list[int]:
        """Return the members of a variable's sets, in the order in which they first occur."""
        return list(dict.fromkeys(u for row in self.rows(variable) for u in self.table.parents(row)))

    def row(self, variable: int, before: Set[int]) -> int:
        """Return a variable's best row without any member outside `before`, the first of equals."""
        return next(row for row in self.rows(variable) if self.sets[row] <= before)

    def choice(self, order: Sequence[int]) -> list[int]:
        """Return each variable's row, its parents among those that stand before it."""
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
        """Return what the score changes by if a variable is inserted at each position."""
        now = self.score(order)
        return [self.score(inserted(order, variable, to)) - now for to in range(self.n)]


def inserted(order: Sequence[int], variable: int, to: int) -> list[int]:
    """Return an ordering from which a variable was taken out and put back at a position."""
    rest = [v for v in order if v != variable]
    return [*rest[:to], variable, *rest[to:]]


def random_order(n: int, seed: int) -> list[int]:
    """Return an ordering."""
    return np.random.default_rng(seed).permutation(n).tolist()


def index_of(table: ParentSets, seed: int) -> Index:
    """Return the index of a table whose searches remember nothing, one thing, a few, or all they find."""
    return Index(table, memory=(0, 1, 8, 1024)[seed % 4])


def settled(state: State, order: Sequence[int]) -> State:
    """Return another state of the same table, set up for an ordering."""
    fresh = State(state.index)
    fresh.settle(np.array(order, dtype=np.int32))
    return fresh


def differences(state: State, other: State) -> list[str]:
    """Return the names of the arrays in which two states differ."""
    return [name for name, place in STATE.items() if not np.array_equal(state.arrays[place], other.arrays[place])]


@kernel
def ask_move(index, state, variable, to, touched):
    """Insert a variable; return the change of the score and how many variables were touched."""
    return move(index, state, variable, to, touched)


@kernel
def ask_insertion(index, state, variable, least, places, deltas):
    """Return the best change above `least`, and the position."""
    return price_insertion(index, state, variable, least, places, deltas)


@kernel
def ask_positions(index, state, variable, least, changes):
    """Write what the insertion of a variable at each position changes the score by, zero at its own."""
    for to in range(changes.size):
        own = to == state[1][variable]
        changes[to] = 0.0 if own else price_position(index, state, variable, np.int64(to), least)


@kernel
def ask_swap(index, state, at):
    """Return what the swap of two neighbours changes the score by."""
    return price_swap(index, state, at)


@kernel
def ask_draws(random, below, words, numbers):
    """Write random words, then random numbers below others."""
    for i in range(words.size):
        words[i] = draw(random)
    for i in range(numbers.size):
        numbers[i] = draw_below(random, below[i])
