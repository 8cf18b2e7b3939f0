"""The first incumbent of exact search, and the parts of a network that belong to components."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.components import Component
from bnsearch.graphs.dag import DAG
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import NoImprovement, Seconds

PATIENCE = 200  # the search ends after this many steps for each variable without an improvement
MAX_SHARE = 0.25  # maximum share of the remaining time


def search_incumbent(problem: Problem, run: Run) -> None:
    """Search for a good network with RINOBS, until there is no more improvement for a while."""
    limit = NoImprovement(run.progress.stale + PATIENCE * problem.size)
    with run.extra_stop(limit | Seconds(run.seconds + MAX_SHARE * max(0.0, run.seconds_left))):
        RINOBS().search(problem, run)


def find_rows(table: ParentSets, dag: DAG) -> NDArray[np.int64] | None:
    """Return the rows of a network's parent sets; None if one of them is not in the table."""
    rows = np.empty(table.n_variables, dtype=np.int64)
    for v, parents in enumerate(dag.parents):
        start, stop = table.begin[v : v + 2].tolist()
        row = next((row for row in range(start, stop) if table.parents(row) == parents), None)
        if row is None:
            return None
        rows[v] = row
    return rows


def find_choice(component: Component, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """
    Return a component's part of a network: for each variable, the index of its row in the component.

    A row that the component has left out scores less than the last entry, the empty set, which replaces it.
    """
    own = rows[component.variables]
    at = np.searchsorted(component.rows, own)
    return np.where(np.append(component.rows, -1)[at] == own, at, component.begin[1:] - 1)
