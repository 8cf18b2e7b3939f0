"""Tests of conditional independence on a table, many at a time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from bnsearch.counting.cell_sums import CellFunction, CellSum
from bnsearch.counting.columns import usual_layout
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.independence.decisions import Decision

TESTS_PER_CALL = 4096  # maximum number of tests in one kernel call, which bounds its time
Condition = Sequence[int]


class PairTester:
    """
    Tests pairs of variables of one table for independence; each thread needs its own (`fork`).

    A test counts one joint table and takes differences of sums of n log n over its margins. It costs as much as the
    local score of one family.

    Parameters
    ----------
    data : the table
    decision : the rule for dependence

    Attributes
    ----------
    tests : number of tests so far
    """

    def __init__(self, data: Dataset, decision: Decision) -> None:
        self.data, self.decision = data, decision
        self._layout = usual_layout(data)
        self._terms = CellSum(CellFunction.XLOGX).terms(data.n_rows, np.ones(1))
        self._make_scratch()

    def _make_scratch(self) -> None:
        from bnsearch.counting.kernels_set import new_scratch

        self.tests = 0
        self._scratch = new_scratch(self._layout.columns, self.data.n_variables)
        # A table of two binary variables has four cells for its one degree of freedom; larger tables have fewer.
        self._table = np.empty(int(4 * self.data.n_rows / self.decision.rows_per_degree) + 4, dtype=np.int64)

    def fork(self) -> PairTester:
        """Return a tester of the same data for another thread."""
        other = object.__new__(PairTester)
        other.data, other.decision = self.data, self.decision
        other._layout, other._terms = self._layout, self._terms
        other._make_scratch()
        return other

    def max_condition_cells(self, x: int, y: int) -> float:
        """Return the maximum number of cells of a pair's condition; with more, there are too few rows for a test."""
        degrees = float(self.data.arities[x] - 1) * float(self.data.arities[y] - 1)
        return self.data.n_rows / (self.decision.rows_per_degree * degrees) if degrees else np.inf

    def strengths(
        self, pairs: Sequence[tuple[int, int]], conditions: Sequence[Condition] | None = None
    ) -> NDArray[np.float64]:
        """
        Return the strength of the dependence of each pair, given the variables of its condition (none by default).

        Above zero the two are dependent. NaN means no evidence: there are too few rows, or the test has no degrees of
        freedom and the decision requires some (see `GTest`).
        """
        given = [()] * len(pairs) if conditions is None else conditions
        parts = [
            self._test_batch(pairs[i : i + TESTS_PER_CALL], given[i : i + TESTS_PER_CALL])
            for i in range(0, len(pairs), TESTS_PER_CALL)
        ]
        return np.concatenate([*parts, np.empty(0)])

    def _test_batch(self, pairs: Sequence[tuple[int, int]], given: Sequence[Condition]) -> NDArray[np.float64]:
        from bnsearch.independence.kernels import measure_pairs

        place = self._layout.place
        asked = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        begin = np.zeros(len(pairs) + 1, dtype=np.int64)
        np.cumsum([len(s) for s in given], out=begin[1:])
        members = np.fromiter(chain.from_iterable(given), dtype=np.int64, count=int(begin[-1]))
        self._check(asked, np.repeat(np.arange(len(pairs)), np.diff(begin)), members)
        dependence = np.empty(len(pairs))
        degrees = np.empty(len(pairs), dtype=np.int64)
        measure_pairs(
            self._layout.arrays, self._scratch, self._terms, self._table, float(self.decision.rows_per_degree),
            place[asked], begin, place[members], dependence, degrees,
        )  # fmt: skip
        self.tests += len(pairs)
        return self.decision.strength(dependence, degrees, self.data.n_rows)

    def _check(self, pairs: NDArray[np.int64], owner: NDArray[np.int64], members: NDArray[np.int64]) -> None:
        """Refuse unknown variables, and tests of a variable against itself or given itself."""
        n = self.data.n_variables
        for variables in (pairs, members):
            if variables.size and not (variables.min() >= 0 and variables.max() < n):
                raise InputError(f"tests take variables by their index, 0..{n - 1}")
        if (pairs[:, 0] == pairs[:, 1]).any() or (pairs[owner] == members[:, np.newaxis]).any():
            raise InputError("a test takes two different variables, neither of which is in its condition")
