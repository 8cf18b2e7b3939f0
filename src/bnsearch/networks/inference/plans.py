"""Contraction plans: the sequence of products and sums by which inference combines tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import prod
from typing import NamedTuple

from bnsearch.networks.inference.orders import iterate_elimination_order

Scope = tuple[int, ...]  # the variables of a table, one for each axis


class Step(NamedTuple):
    """
    One operation of a plan: multiply two tables and sum over some variables, or sum over variables of one table.

    left, right : numbers of the operands; `right` is None if there is one operand
    scope : variables of the result
    dropped : variables that are summed; each of them occurs in all operands
    """

    left: int
    right: int | None
    scope: Scope
    dropped: Scope


@dataclass(frozen=True)
class Plan:
    """
    A sequence of steps that combines tables into one.

    Tables are numbered: first the given ones, then the result of each step. The result of the last step is the result
    of the plan.

    Parameters
    ----------
    inputs : variables of the given tables
    steps : the operations
    total_cells : number of cells of the results of all steps together
    peak_cells : largest number of cells that must exist at the same time, if operands are discarded after their use
    product_cells : number of cells of the largest product before the sum
    is_complete : False if planning ended because a limit of cells was exceeded. Then the last steps are missing, and
        the numbers of cells are lower bounds
    """

    inputs: tuple[Scope, ...]
    steps: tuple[Step, ...]
    total_cells: int
    peak_cells: int
    product_cells: int
    is_complete: bool = True

    @property
    def scope(self) -> Scope:
        """The variables of the result."""
        return self.steps[-1].scope if self.steps else self.inputs[0]


@lru_cache(maxsize=64)
def make_plan(inputs: tuple[Scope, ...], sizes: tuple[int, ...], kept: Scope, max_cells: int | None = None) -> Plan:
    """
    Return a plan that multiplies tables and sums over all variables that are not kept.

    Planning ends as soon as the steps so far need more than `max_cells` cells at the same time: the last variables of
    a dense network take most of the time of planning, and the plan cannot be executed.

    Parameters
    ----------
    inputs : variables of each table; at least one table
    sizes : number of states of each variable
    kept : variables of the result
    max_cells : limit of `peak_cells`; None for no limit
    """
    planner = _Planner(inputs, sizes, kept)
    for number in range(len(inputs)):
        planner.sum_private_variables(number)
    for x in iterate_elimination_order(inputs, sizes, kept):
        planner.multiply_tables(planner.holders[x])
        if max_cells is not None and planner.peak_cells > max_cells:
            return planner.make_plan(is_complete=False)
    planner.multiply_tables(planner.scopes)
    return planner.make_plan(is_complete=True)


class _Planner:
    """The tables that exist after the steps so far: `scopes` by number, and for each variable its `holders`."""

    def __init__(self, inputs: Sequence[Scope], sizes: Sequence[int], kept: Collection[int]) -> None:
        self.sizes, self.kept = sizes, frozenset(kept)
        self.scopes: dict[int, frozenset[int]] = {}
        self.cells: dict[int, int] = {}
        self.holders: dict[int, set[int]] = {}
        self.steps: list[Step] = []
        self.total_cells = self.peak_cells = self.product_cells = 0
        self._live_cells = 0
        self._inputs = inputs
        for number, scope in enumerate(inputs):
            self._add_table(number, frozenset(scope))

    def make_plan(self, *, is_complete: bool) -> Plan:
        """Return the plan of the steps so far."""
        cells = self.total_cells, self.peak_cells, self.product_cells
        return Plan(tuple(self._inputs), tuple(self.steps), *cells, is_complete)

    def sum_private_variables(self, number: int) -> None:
        """Sum over the variables that occur in no other table."""
        scope = self.scopes[number]
        if any(len(self.holders[x]) == 1 and x not in self.kept for x in scope):
            self._append_step(number, None, scope)

    def multiply_tables(self, numbers: Iterable[int]) -> None:
        """Multiply some tables, the two smallest first, until one is left."""
        heap = [(self.cells[number], number) for number in numbers]
        heapify(heap)
        while len(heap) > 1:
            left, right = heappop(heap)[1], heappop(heap)[1]
            number = self._append_step(left, right, self.scopes[left] | self.scopes[right])
            heappush(heap, (self.cells[number], number))

    def _append_step(self, left: int, right: int | None, union: frozenset[int]) -> int:
        """Append a step, update the tables that exist, and return the number of the result."""
        operands = {left} if right is None else {left, right}
        scope = frozenset(x for x in union if x in self.kept or self.holders[x] - operands)
        self.product_cells = max(self.product_cells, self._count_cells(union))
        number = len(self._inputs) + len(self.steps)
        self.steps.append(Step(left, right, tuple(sorted(scope)), tuple(sorted(union - scope))))
        self._add_table(number, scope)
        self.total_cells += self.cells[number]
        self._live_cells += self.cells[number]
        self.peak_cells = max(self.peak_cells, self._live_cells)
        for operand in operands:
            self._remove_table(operand)
        return number

    def _add_table(self, number: int, scope: frozenset[int]) -> None:
        self.scopes[number] = scope
        self.cells[number] = self._count_cells(scope)
        for x in scope:
            self.holders.setdefault(x, set()).add(number)

    def _remove_table(self, number: int) -> None:
        for x in self.scopes.pop(number):
            self.holders[x].discard(number)
        cells = self.cells.pop(number)
        if number >= len(self._inputs):
            self._live_cells -= cells

    def _count_cells(self, scope: Collection[int]) -> int:
        return prod(self.sizes[x] for x in scope)
