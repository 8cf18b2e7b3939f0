"""The linear program of branch and cut, solved by HiGHS: some parent sets as columns, some cuts as rows."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.components import Component
from bnsearch.exact.cuts import CutPool

TOLERANCE = 1e-9  # feasibility of the solutions; bounds are computed from the multipliers and do not depend on it


class LinearProgram:
    """
    Maximise the score of a fractional choice of parent sets under some cuts.

    There is one column for a parent set, with values from 0 to 1, one equation for each variable (its values sum to 1)
    and one row for each cut. Columns and rows are added when they are needed; the solver continues from the last basis.
    The empty set of each variable is always allowed, so that the program has a solution.

    Parameters
    ----------
    component : variables and parent sets
    pool : the cuts
    halted : function that returns True if the computation should stop; the solver calls it at each iteration

    Attributes
    ----------
    columns : int64[c], the parent sets that are columns
    is_column : bool[sets], whether a parent set is a column
    cuts : int64[k], numbers of the cuts that are rows
    values : float64[c], the solution
    multipliers : float64[k], multipliers of the cuts, not negative
    prices : float64[n], multipliers of the equations
    iterations : number of iterations of the solver so far
    """

    def __init__(self, component: Component, pool: CutPool, halted: Callable[[], bool]) -> None:
        self.component, self.pool = component, pool
        self.columns = np.zeros(0, dtype=np.int64)
        self.is_column = np.zeros(component.n_sets, dtype=bool)
        self.cuts = np.zeros(0, dtype=np.int64)
        self.values = self.multipliers = self.prices = np.zeros(0)
        self.iterations = 0
        self._flipped = np.zeros(0, dtype=bool)
        self._open = np.zeros(0, dtype=bool)  # whether a column may be positive
        self._offset = component.scores[component.begin[:-1]]  # small costs are solved more accurately
        self._is_empty = np.diff(component.first) == 0
        self._highspy = import_solver()
        self._solver = self._make_solver(halted)

    def _make_solver(self, halted: Callable[[], bool]) -> Any:
        """Return a solver with one equation for each variable and no columns."""
        solver = self._highspy.Highs()
        options = {
            "output_flag": False,
            "presolve": "off",
            "solver": "simplex",
            "threads": 1,
            "primal_feasibility_tolerance": TOLERANCE,
            "dual_feasibility_tolerance": TOLERANCE,
        }
        for name, value in options.items():
            solver.setOptionValue(name, value)
        solver.changeObjectiveSense(self._highspy.ObjSense.kMaximize)
        n = self.component.size
        none = np.zeros(0, dtype=np.int32)
        solver.addRows(n, np.ones(n), np.ones(n), 0, np.zeros(n, dtype=np.int32), none, np.zeros(0))

        def interrupt(event: Any) -> None:
            event.interrupt(halted())  # the value must be reset, or the next call of the solver would stop at once

        solver.cbSimplexInterrupt.subscribe(interrupt)
        return solver

    def solve(self, max_iterations: int = 2**31 - 1) -> bool:
        """Solve the program, and return True if the solution is optimal: no interrupt, no limit on iterations."""
        self._solver.setOptionValue("simplex_iteration_limit", max_iterations)
        self._solver.run()
        self.iterations += self._solver.getInfo().simplex_iteration_count
        solution = self._solver.getSolution()
        self.values = np.array(solution.col_value)
        duals = np.array(solution.row_dual)
        n = self.component.size
        self.prices = duals[:n]
        self.multipliers = np.maximum(0.0, np.where(self._flipped, -duals[n:], duals[n:]))
        return bool(self._solver.getModelStatus() == self._highspy.HighsModelStatus.kOptimal)

    @property
    def objective(self) -> float:
        """The score of the solution."""
        return float(self._solver.getObjectiveValue() + self._offset.sum())

    def add_columns(self, rows: NDArray[np.int64]) -> None:
        """Add parent sets as columns, which are allowed."""
        from bnsearch.exact.kernels_cuts import make_lp_columns

        component, n = self.component, len(rows)
        start = np.zeros(n, dtype=np.int32)
        index, value = np.empty(n * (len(self.cuts) + 1), dtype=np.int32), np.empty(n * (len(self.cuts) + 1))
        filled = make_lp_columns(
            self.pool.arrays, self.cuts, self._flipped, component.arrays, component.child, rows, start, index, value
        )
        cost = component.scores[rows] - self._offset[component.child[rows]]
        upper = np.full(n, self._highspy.kHighsInf)
        self._solver.addCols(n, cost, np.zeros(n), upper, filled, start, index[:filled], value[:filled])
        self.columns = np.concatenate((self.columns, rows))
        self._open = np.concatenate((self._open, np.ones(n, dtype=bool)))
        self.is_column[rows] = True

    def add_cuts(self, cuts: NDArray[np.int64]) -> None:
        """Add cuts of the pool as rows."""
        from bnsearch.exact.kernels_cuts import make_lp_rows

        component, n = self.component, len(cuts)
        start, flipped = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=bool)
        index, value = np.empty(n * len(self.columns), dtype=np.int32), np.empty(n * len(self.columns))
        filled = make_lp_rows(
            self.pool.arrays, cuts, component.arrays, component.child, self.columns, start, index, value, flipped
        )
        limit, infinity = self.pool.limits[cuts], self._highspy.kHighsInf
        sizes = self.pool.sizes[cuts]
        lower = np.where(flipped, sizes - limit, -infinity)
        upper = np.where(flipped, infinity, limit)
        self._solver.addRows(n, lower, upper, filled, start, index[:filled], value[:filled])
        self.cuts = np.concatenate((self.cuts, cuts))
        self._flipped = np.concatenate((self._flipped, flipped))

    def allow(self, alive: NDArray[np.bool_]) -> None:
        """Allow the columns whose parent sets are alive, bool[sets], and the empty sets."""
        wanted = alive[self.columns] | self._is_empty[self.columns]
        changed = np.flatnonzero(wanted != self._open).astype(np.int32)
        if len(changed):
            upper = np.where(wanted[changed], self._highspy.kHighsInf, 0.0)
            self._solver.changeColsBounds(len(changed), changed, np.zeros(len(changed)), upper)
            self._open = wanted

    def get_basis(self) -> Any:
        """Return the current basis."""
        return self._solver.getBasis()

    def set_basis(self, basis: Any) -> None:
        """Continue from a basis of the same columns and rows."""
        self._solver.setBasis(basis)

    def drop_slack_cuts(self) -> None:
        """Remove the cuts whose slack is in the basis: they do not bind."""
        statuses = self._solver.getBasis().row_status[self.component.size :]
        is_basic = np.array([status == self._highspy.HighsBasisStatus.kBasic for status in statuses], dtype=bool)
        dropped = (np.flatnonzero(is_basic) + self.component.size).astype(np.int32)
        if len(dropped):
            self._solver.deleteRows(len(dropped), dropped)
            self.cuts, self._flipped = self.cuts[~is_basic], self._flipped[~is_basic]

    def drop_columns(self, alive: NDArray[np.bool_]) -> None:
        """Remove the columns that are neither alive, nor empty sets, nor positive in the solution."""
        dropped = ~(alive[self.columns] | self._is_empty[self.columns] | (self.values > 0))
        indices = np.flatnonzero(dropped).astype(np.int32)
        if len(indices):
            self._solver.deleteCols(len(indices), indices)
            self.is_column[self.columns[dropped]] = False
            self.columns, self._open = self.columns[~dropped], self._open[~dropped]
            self.values = self.values[~dropped]


def has_solver() -> bool:
    """Return True if the fast solver of linear programs, highspy, is installed."""
    return find_spec("highspy") is not None


def import_solver() -> Any:
    """Return highspy or, if it is not installed, a slower module with the names of it that branch and cut uses."""
    return import_module("highspy" if has_solver() else "bnsearch.exact.plain_solver")
