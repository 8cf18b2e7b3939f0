"""Estimation of the tables of a network from data."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError, require
from bnsearch.networks.family_codes import compute_joint_codes

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG

MAX_CELLS = 50_000_000
"""Maximum total number of cells of all tables of a fit (400 MB)."""


def fit_tables(
    dag: DAG, data: Dataset, smoothing: float, ess: float
) -> tuple[tuple[tuple[str, ...], ...], list[NDArray[np.float64]]]:
    """
    Return the states of the variables of a DAG and its estimated conditional probability tables.

    At most one of `smoothing` and `ess` may be positive. If both are zero, the tables are maximum-likelihood
    estimates, and a parent configuration that does not occur gets the uniform distribution.

    Parameters
    ----------
    dag : structure; its variables are matched to the columns by name, and other columns are ignored
    data : table; its declared states become the states of the network, including states that do not occur
    smoothing : pseudo-count added to every cell (1 is Laplace's rule)
    ess : equivalent sample size, divided evenly among the cells of each family (the prior of BDeu)
    """
    require("smoothing", smoothing, at_least=0, below=math.inf)
    require("ess", ess, at_least=0, below=math.inf)
    if smoothing and ess:
        raise InputError("smoothing (per cell) and ess (per family) cannot be combined: set one of them to 0")
    if data.names != dag.names:
        data = data.select(dag.names)
    shapes = _compute_shapes(dag, data)
    arities = data.arities.tolist()
    tables = []
    for child, (parents, shape) in enumerate(zip(dag.parents, shapes, strict=True)):
        cells = math.prod(shape)
        counts = np.bincount(compute_joint_codes(data.codes, arities, [*parents, child]), minlength=cells)
        tables.append(_estimate_table(counts.reshape(shape), smoothing or ess / cells))
    return data.states, tables


def _compute_shapes(dag: DAG, data: Dataset) -> list[tuple[int, ...]]:
    """Return the shape of the table of each variable; raise an InputError if the tables are too large."""
    arities = data.arities.tolist()
    shapes = [(*(arities[p] for p in parents), arities[x]) for x, parents in enumerate(dag.parents)]
    cells = [math.prod(shape) for shape in shapes]
    if sum(cells) > MAX_CELLS:
        widest = max(range(len(cells)), key=cells.__getitem__)
        raise InputError(
            f"the tables of this structure need {sum(cells):,} cells, {cells[widest]:,} of them for "
            f"{dag.names[widest]!r} with its {len(dag.parents[widest])} parents; "
            f"at most {MAX_CELLS:,} are possible: use fewer parents"
        )
    return shapes


def _estimate_table(counts: NDArray[np.int64], pseudo_count: float) -> NDArray[np.float64]:
    """Return the table of one family, whose rows sum to one."""
    table = counts + float(pseudo_count)
    totals = table.sum(axis=-1, keepdims=True)
    return np.where(totals > 0, table / np.where(totals > 0, totals, 1), 1 / counts.shape[-1])
