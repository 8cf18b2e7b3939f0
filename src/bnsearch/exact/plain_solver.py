"""
A solver of linear programs for installations without highspy, which solves each program from scratch.

`PlainSolver` has those methods of `highspy.Highs` that branch and cut uses, with the same arguments. It calls
`scipy.optimize.linprog`, which is slower, because it has no initial basis. This suffices for certificates of about 20
variables.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

TOLERANCE = 1e-9
Numbers = NDArray[np.float64]
Indices = NDArray[np.int32]


class PlainSolver:
    """A linear program that grows, and its solution. Rows have a lower or an upper bound, or are equations."""

    def __init__(self) -> None:
        self._cost, self._column_lower, self._column_upper = np.zeros(0), np.zeros(0), np.zeros(0)
        self._row_lower, self._row_upper = np.zeros(0), np.zeros(0)
        self._matrix = np.zeros((0, 0))
        self._sign = 1.0  # -1 to maximise
        self._values, self._duals = np.zeros(0), np.zeros(0)
        self._objective, self._iterations, self._is_optimal = 0.0, 0, False
        self.cbSimplexInterrupt = SimpleNamespace(subscribe=self._subscribe)
        self._interrupt: Callable[[Any], None] | None = None

    def setOptionValue(self, name: str, value: Any) -> None:  # noqa: N802
        """Ignore an option: each program is solved completely, with the tolerances of this module."""

    def changeObjectiveSense(self, sense: float) -> None:  # noqa: N802
        """Minimise or maximise."""
        self._sign = sense

    def _subscribe(self, interrupt: Callable[[Any], None]) -> None:
        self._interrupt = interrupt

    def addRows(  # noqa: N802
        self, n: int, lower: Numbers, upper: Numbers, filled: int, start: Indices, index: Indices, value: Numbers
    ) -> None:
        """Add rows, given by the places of their coefficients in `index` and `value`."""
        self._matrix = np.vstack((self._matrix, _expand(n, self._matrix.shape[1], filled, start, index, value)))
        self._row_lower = np.concatenate((self._row_lower, lower))
        self._row_upper = np.concatenate((self._row_upper, upper))

    def addCols(  # noqa: N802
        self,
        n: int,
        cost: Numbers,
        lower: Numbers,
        upper: Numbers,
        filled: int,
        start: Indices,
        index: Indices,
        value: Numbers,
    ) -> None:
        """Add columns in the same form."""
        self._matrix = np.hstack((self._matrix, _expand(n, self._matrix.shape[0], filled, start, index, value).T))
        self._cost = np.concatenate((self._cost, cost))
        self._column_lower = np.concatenate((self._column_lower, lower))
        self._column_upper = np.concatenate((self._column_upper, upper))

    def changeColsBounds(self, n: int, columns: Indices, lower: Numbers, upper: Numbers) -> None:  # noqa: N802
        """Change the bounds of columns."""
        self._column_lower[columns], self._column_upper[columns] = lower, upper

    def deleteRows(self, n: int, rows: Indices) -> None:  # noqa: N802
        """Remove rows."""
        self._matrix = np.delete(self._matrix, rows, axis=0)
        self._row_lower, self._row_upper = np.delete(self._row_lower, rows), np.delete(self._row_upper, rows)
        self._duals = np.delete(self._duals, rows)

    def deleteCols(self, n: int, columns: Indices) -> None:  # noqa: N802
        """Remove columns."""
        self._matrix = np.delete(self._matrix, columns, axis=1)
        self._cost = np.delete(self._cost, columns)
        self._column_lower = np.delete(self._column_lower, columns)
        self._column_upper = np.delete(self._column_upper, columns)

    def run(self) -> None:
        """Solve the program; the last solution is kept if a stop was requested."""
        from scipy.optimize import linprog

        event = SimpleNamespace(is_halted=False)
        event.interrupt = lambda halted: setattr(event, "is_halted", halted)
        if self._interrupt is not None:
            self._interrupt(event)
        self._is_optimal = False
        self._values, self._duals = np.zeros(len(self._cost)), np.zeros(len(self._row_lower))
        if event.is_halted:
            return
        is_equal = self._row_lower == self._row_upper
        above, below = ~is_equal & np.isfinite(self._row_upper), ~is_equal & np.isfinite(self._row_lower)
        found = linprog(
            self._sign * self._cost,
            A_ub=np.vstack((self._matrix[above], -self._matrix[below])),
            b_ub=np.concatenate((self._row_upper[above], -self._row_lower[below])),
            A_eq=self._matrix[is_equal],
            b_eq=self._row_lower[is_equal],
            bounds=np.stack((self._column_lower, self._column_upper), axis=1),
            method="highs-ds",
            options={"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE},
        )
        if found.status != 0:
            return
        n_above = np.count_nonzero(above)
        self._values, self._iterations, self._is_optimal = found.x, int(found.nit), True
        self._objective = self._sign * float(found.fun)
        self._duals[is_equal] = self._sign * found.eqlin.marginals
        self._duals[above] = self._sign * found.ineqlin.marginals[:n_above]
        self._duals[below] = -self._sign * found.ineqlin.marginals[n_above:]

    def getInfo(self) -> Any:  # noqa: N802
        """Return the number of iterations of the last run."""
        return SimpleNamespace(simplex_iteration_count=self._iterations)

    def getSolution(self) -> Any:  # noqa: N802
        """Return the values of the columns, and the multipliers of the rows."""
        return SimpleNamespace(col_value=self._values, row_dual=self._duals)

    def getObjectiveValue(self) -> float:  # noqa: N802
        """Return the value of the solution."""
        return self._objective

    def getModelStatus(self) -> bool:  # noqa: N802
        """Return True if the solution is optimal."""
        return self._is_optimal

    def getBasis(self) -> Any:  # noqa: N802
        """Return for each row whether it does not bind: its multiplier is zero."""
        return SimpleNamespace(row_status=(self._duals == 0).tolist())

    def setBasis(self, basis: Any) -> None:  # noqa: N802
        """Ignore a basis: each program is solved from scratch."""


def _expand(n: int, size: int, filled: int, start: Indices, index: Indices, value: Numbers) -> Numbers:
    """Return the dense rows of a sparse matrix."""
    rows = np.zeros((n, size))
    rows[np.repeat(np.arange(n), np.diff(np.append(start, filled))), index] = value
    return rows


# The names of highspy that branch and cut uses.
Highs, kHighsInf = PlainSolver, np.inf  # noqa: N816
ObjSense = SimpleNamespace(kMinimize=1.0, kMaximize=-1.0)
HighsModelStatus, HighsBasisStatus = SimpleNamespace(kOptimal=True), SimpleNamespace(kBasic=True)
