"""Candidate tables that a plan selects before the clock of a method starts."""

from __future__ import annotations

from typing import Any

from bnsearch._tools.memory import parse_memory
from bnsearch.budgets.budget import Budget
from bnsearch.data import Dataset
from bnsearch.experiments.cells import Cell
from bnsearch.experiments.sources import Material
from bnsearch.experiments.stop_request import StopOnRequest
from bnsearch.learning.arguments import limit_parents
from bnsearch.parent_sets.relaxed import relaxed
from bnsearch.runs.problem import Problem
from bnsearch.runs.quality import relative_score
from bnsearch.runs.stop import Progress
from bnsearch.selection.report import Selection

_last: dict[tuple[Any, ...], Selection] = {}  # tables can be large: only the last selection is kept


def find_selection(cell: Cell, material: Material, halted: StopOnRequest | None) -> Selection | None:
    """
    Return the candidate table of a cell with the report on its selection; None if its method selects none.

    The last selection is kept: cells that follow each other in a process and differ only in the method, the budget or
    the seed use the same table.
    """
    if material.data is None or cell.score is None or cell.method.selection is None:
        return None
    key = cell.source, cell.score, cell.method.selection, cell.method.max_parents, cell.threads, cell.memory
    selection = _last.get(key)
    if selection is None:
        selection = _select(cell, material.data, halted)
        _last.clear()
        if halted is None or not halted.is_halted():
            _last[key] = selection
    return selection


def _select(cell: Cell, data: Dataset, halted: StopOnRequest | None) -> Selection:
    """Return the selection of a cell."""
    assert cell.method.selection is not None and cell.score is not None
    budget = Budget(
        memory=None if cell.memory is None else parse_memory(cell.memory),
        threads=cell.threads,
        stop_condition=(lambda: None) if halted is None else (lambda: halted.reason(Progress())),
    )
    knowledge = limit_parents(None, cell.method.max_parents, data.names)
    constraints = None if knowledge is None else knowledge.constraints(data.names)
    builder = cell.method.selection.make_selection()
    return builder.select_within(budget, data, cell.score.make_score(), constraints)


def make_problem(cell: Cell, material: Material, selection: Selection | None) -> Problem:
    """Return the problem of a score file, or of data with a selected candidate table."""
    if material.data is None or cell.score is None or selection is None:
        return Problem(table=material.table)
    knowledge = limit_parents(None, cell.method.max_parents, material.data.names)
    return Problem(data=material.data, score=cell.score.make_score(), table=selection.table, knowledge=knowledge)


def describe_selection(selection: Selection) -> dict[str, Any]:
    """Return the size of a candidate table and of its best parent set graph, as JSON values."""
    table = selection.table
    graph = relaxed(table)
    return {
        "scored": selection.scored,
        "kept": selection.kept,
        "stop": selection.stop,
        "seconds": selection.seconds,
        "relaxed_score": float(relative_score(graph.score, table.empty_score)),
        "max_in_degree": graph.max_in_degree,
        "mean_in_degree": graph.mean_in_degree,
    }
