"""Estimates of the remaining time of an experiment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable
from statistics import median

from bnsearch.experiments.cells import Cell

OVERHEAD = 0.2  # seconds of a cell in addition to its time budget, before any cell has ended


class RemainingTime:
    """Estimates of the time of cells by the times of similar ones."""

    def __init__(self) -> None:
        self._seconds: defaultdict[Hashable, list[float]] = defaultdict(list)

    def add(self, cell: Cell, seconds: float) -> None:
        """Add the time of a finished cell."""
        for group in _list_groups(cell):
            self._seconds[group].append(seconds)

    def estimate(self, cells: Iterable[Cell], workers: int) -> float | None:
        """Return the expected seconds of some cells on a number of workers; None if nothing is known."""
        times = [self._estimate_cell(cell) for cell in cells]
        known = [seconds for seconds in times if seconds is not None]
        return None if len(known) < len(times) else sum(known) / max(1, min(workers, len(known)))

    def _estimate_cell(self, cell: Cell) -> float | None:
        """Return the median of the most similar cells, or the time budget; the first cells also load kernels."""
        *similar, everything = _list_groups(cell)
        for group in similar:
            if self._seconds[group]:
                return median(self._seconds[group])
        if cell.budget.seconds is not None:
            return cell.budget.seconds + OVERHEAD
        return median(self._seconds[everything]) if self._seconds[everything] else None


def _list_groups(cell: Cell) -> list[Hashable]:
    """Return the groups of similar cells that a cell belongs to, the most similar ones first."""
    method, budget = cell.method.label, cell.budget
    return [(cell.source.dataset, cell.score, method, budget), (method, budget), "all cells"]
