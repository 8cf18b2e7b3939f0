"""Cells on workers: at most one for each worker, and what happens if a worker is lost."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import Any

from bnsearch.distributed.workers import Workers
from bnsearch.experiments.cell_run import describe_error
from bnsearch.experiments.cells import CELL_FORMAT, Cell

Record = dict[str, Any]
LOST = "the worker process ended unexpectedly, perhaps because of its memory"


class CellQueue:
    """
    Cells that wait for a worker or run on one.

    If an executor breaks, all of its running cells are lost, and it is not known which one is the cause. They run again
    one at a time. A cell whose worker is lost while it runs alone is recorded as failed.

    Parameters
    ----------
    workers : the workers
    perform : function that runs a cell and returns its record; None if the run was interrupted
    cells : the cells
    """

    def __init__(self, workers: Workers, perform: Callable[[Cell], Record | None], cells: Iterable[Cell]) -> None:
        self._workers, self._perform = workers, perform
        self._waiting, self._suspects = deque(cells), deque[Cell]()
        self._running: dict[Future[Any], Cell] = {}

    def __len__(self) -> int:
        return len(self._waiting) + len(self._suspects) + len(self._running)

    @property
    def remaining(self) -> list[Cell]:
        """The cells without a record."""
        return [*self._running.values(), *self._suspects, *self._waiting]

    def take(self, seconds: float) -> list[tuple[Cell, Record]]:
        """Submit cells to idle workers; return the cells that are done after at most some seconds."""
        self._submit()
        done, _ = wait(list(self._running), seconds, return_when=FIRST_COMPLETED)
        finished: list[tuple[Cell, Record]] = []
        lost: list[Cell] = []
        was_alone = len(self._running) == 1
        for future in done:
            cell = self._running.pop(future)
            try:
                record = future.result()
            except (BrokenExecutor, CancelledError):
                lost.append(cell)
            except Exception as error:  # the cell or its record cannot be sent, or Dask has lost its worker
                finished.append((cell, make_failure(cell, describe_error(error))))
            else:
                if record is None:  # a signal has stopped the run on its worker
                    self._suspects.append(cell)
                else:
                    finished.append((cell, record))
        return finished + (self._handle_losses(lost, was_alone) if lost else [])

    def cancel(self) -> None:
        """Cancel the cells that do not run yet."""
        for future in self._running:
            future.cancel()

    def _submit(self) -> None:
        """Submit one cell for each idle worker; cells that were lost run alone."""
        while self._suspects and not self._running:
            self._start(self._suspects.popleft())
        while self._waiting and not self._suspects and len(self._running) < self._workers.number:
            self._start(self._waiting.popleft())

    def _start(self, cell: Cell) -> None:
        try:
            future = self._workers.submit(self._perform, cell)
        except RuntimeError:  # the executor is broken or closed
            self._workers.replace_executor()
            future = self._workers.submit(self._perform, cell)
        self._running[future] = cell

    def _handle_losses(self, lost: list[Cell], was_alone: bool) -> list[tuple[Cell, Record]]:
        """Replace a broken executor; return a failure if the cause is known, otherwise run the cells again."""
        lost += self._running.values()
        self._running.clear()
        self._workers.replace_executor()
        if was_alone:
            return [(cell, make_failure(cell, LOST)) for cell in lost]
        self._suspects.extend(lost)
        return []


def make_failure(cell: Cell, error: str) -> Record:
    """Return the record of a cell that has failed outside of its run."""
    return {"format": CELL_FORMAT, "cell": cell.describe(), "settings": cell.identify(), "error": error}
