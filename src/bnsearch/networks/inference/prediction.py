"""Prediction of one variable for each row of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.memory import format_memory, parse_memory
from bnsearch._tools.wording import shown
from bnsearch.data.new_rows import NewRows
from bnsearch.errors import InputError
from bnsearch.graphs.separation import find_ancestors, find_indices
from bnsearch.networks.family_codes import compute_joint_codes
from bnsearch.networks.inference.contraction import ROWS, Factor, contract
from bnsearch.networks.inference.exact import BYTES_PER_CELL, describe_need
from bnsearch.networks.inference.plans import Plan, make_plan

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.networks.network import BayesianNetwork

MAX_BLOCK_ROWS = 1 << 13
MAX_BLOCK_CELLS = 1 << 22
"""Number of cells of the tables of a block of rows (32 MB)."""


def predict_probabilities(
    network: BayesianNetwork, data: Any, target: str, memory: int | float | str | None = None
) -> NDArray[np.float64]:
    """Return float64[rows, states], the distribution of a variable given the other columns of each row."""
    (variable,) = find_indices(network.names, [target], "target")
    new_rows = NewRows([name for name in network.names if name != target], f"{shown(target)} can be predicted")
    table = _align_columns(network, data, new_rows)
    found = np.empty((table.n_rows, len(network.states[variable])))
    for rows, names in new_rows.list_patterns(list(table.names)):
        observed = _take_rows(table, rows, names)
        predictor = Predictor(network, variable, observed, rows)
        found[rows] = predictor.compute_probabilities(predictor.make_plan(parse_memory(memory)))
    return found


def _align_columns(network: BayesianNetwork, data: Any, new_rows: NewRows) -> Dataset:
    """Return the columns that are variables of the network, without the target, coded with the network's states."""
    from bnsearch.data.conversion import as_rows_of

    states = dict(zip(network.names, network.states, strict=True))
    dataset = as_rows_of(states, data, new_rows=new_rows)
    return dataset.with_states({name: states[name] for name in dataset.names})


def _take_rows(table: Dataset, rows: NDArray[np.int64], names: Sequence[str]) -> Observed:
    """Return some rows of some columns."""
    columns = [table.names.index(name) for name in names]
    return Observed(tuple(names), table.codes[columns][:, rows])


class Observed(NamedTuple):
    """Rows of observed variables: their names, which may be none, and codes[variable, row]."""

    names: tuple[str, ...]
    codes: NDArray[Any]


class Predictor:
    """
    The distribution of one variable given the observed variables of each row of a table.

    The tables of the network are taken at the observed states of all rows of a block. They then have an axis of rows,
    and one contraction predicts all rows of the block. Variables that have no column are summed out.

    Parameters
    ----------
    network : BayesianNetwork
    target : variable to predict, by index
    data : columns of observed variables, with the states of the network; the target is not among them
    rows : numbers of the rows in the user's table, for messages
    """

    def __init__(self, network: BayesianNetwork, target: int, data: Observed, rows: NDArray[np.int64]) -> None:
        self.network, self.target, self.rows = network, target, rows
        self.sizes: tuple[int, ...] = tuple(network.arities.tolist())
        columns = {name: column for column, name in enumerate(data.names)}
        given = {x: columns[name] for x, name in enumerate(network.names) if name in columns}
        self._codes = np.zeros((len(self.sizes), len(rows)), dtype=data.codes.dtype)
        self._codes[list(given)] = data.codes[list(given.values())]
        self._observed = {*given, *(x for x, size in enumerate(self.sizes) if size == 1)}
        needed = find_ancestors(network.dag.parents, [target, *given])
        self._families = [(*network.dag.parents[x], x) for x in sorted(needed)]
        self._tables = [self._group_axes(family) for family in self._families]

    def _group_axes(self, family: tuple[int, ...]) -> NDArray[np.float64]:
        """Return the table of a family with the joint states of its observed variables as the first axis."""
        axes = sorted(range(len(family)), key=lambda axis: family[axis] not in self._observed)
        table = self.network.probabilities(family[-1]).transpose(axes)
        return np.ascontiguousarray(table).reshape(-1, *(self.sizes[x] for x in self._find_hidden(family)))

    def _find_hidden(self, family: tuple[int, ...]) -> tuple[int, ...]:
        """Return the variables of a family that are not observed."""
        return tuple(x for x in family if x not in self._observed)

    def make_plan(self, max_bytes: int) -> Plan:
        """Return the plan for one row; an InputError is raised if its tables need too much memory."""
        scopes = tuple(self._find_hidden(family) for family in self._families)
        kept = () if self.target in self._observed else (self.target,)
        plan = make_plan(scopes, self.sizes, kept, max_bytes // BYTES_PER_CELL)
        if plan.peak_cells * BYTES_PER_CELL > max_bytes:
            target, needed = shown(self.network.names[self.target]), describe_need(plan, plan.peak_cells)
            raise InputError(
                f"predicting {target} needs {needed} for tables, and the limit of memory is "
                f"{format_memory(max_bytes)}: pass more columns, or raise the limit (memory)"
            )
        return plan

    def compute_probabilities(self, plan: Plan) -> NDArray[np.float64]:
        """Return float64[rows, states]; a row of probability zero raises an InputError."""
        found = np.empty((len(self.rows), self.sizes[self.target]))
        step = max(1, min(MAX_BLOCK_ROWS, MAX_BLOCK_CELLS // max(1, plan.peak_cells)))
        for start in range(0, len(found), step):
            block = slice(start, min(start + step, len(found)))
            table = contract(plan, [self._take_rows(i, block) for i in range(len(self._families))]).factor.table
            found[block] = table.reshape(-1, found.shape[1])
        totals = found.sum(axis=1, keepdims=True)
        if not totals.all():
            row = int(self.rows[np.flatnonzero(totals == 0)[0]])
            raise InputError(
                f"row {row + 1} of the table has probability zero in this network: estimate its tables so that "
                "no combination of states is impossible, with result.network(data, ess=1) or learn --table-ess 1"
            )
        return np.asarray(found / totals)

    def _take_rows(self, number: int, block: slice) -> Factor:
        """Return the table of a family at the observed states of a block of rows."""
        family, table = self._families[number], self._tables[number]
        hidden = self._find_hidden(family)
        observed = [x for x in family if x not in hidden]
        if not observed:
            return Factor(hidden, table[0])
        joint = compute_joint_codes(self._codes[:, block], self.sizes, observed)
        return Factor((ROWS, *hidden), table.take(joint, axis=0))
