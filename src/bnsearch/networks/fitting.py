"""Estimate the tables of a network from data."""

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
"""The most cells, over all tables together, that a fit allocates (400 MB)."""


def fit_tables(
    dag: DAG, data: Dataset, smoothing: float, ess: float
) -> tuple[tuple[tuple[str, ...], ...], list[NDArray[np.float64]]]:
    """
    Estimate the conditional probability tables of a DAG; return the states of its variables and the tables.

    Parameters
    ----------
    dag : the structure; its variables are found in the data by name, other columns are left alone
    data : the table; the network takes over its declared states, observed or not
    smoothing : pseudo-count added to every cell (1 is Laplace's rule)
    ess : equivalent sample size, spread evenly over the cells of each family (the prior of BDeu)

    With neither (at most one may be given) the tables are the maximum-likelihood estimate; a parent
    configuration that the data never shows then gets the uniform distribution.
    """
    require("smoothing", smoothing, at_least=0, below=math.inf)
    require("ess", ess, at_least=0, below=math.inf)
    if smoothing and ess:
        raise InputError("give smoothing (per cell) or ess (per family), not both")
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
    """Return the shape of each variable's table; refuse a structure whose tables cannot be held."""
    arities = data.arities.tolist()
    shapes = [(*(arities[p] for p in parents), arities[x]) for x, parents in enumerate(dag.parents)]
    cells = [math.prod(shape) for shape in shapes]
    if sum(cells) > MAX_CELLS:
        widest = max(range(len(cells)), key=cells.__getitem__)
        raise InputError(
            f"the tables of this structure need {sum(cells):,} cells, {cells[widest]:,} of them for "
            f"{dag.names[widest]!r} with its {len(dag.parents[widest])} parents; "
            f"at most {MAX_CELLS:,} can be fitted: use fewer parents"
        )
    return shapes


def _estimate_table(counts: NDArray[np.int64], pseudo_count: float) -> NDArray[np.float64]:
    """Turn the counts of one family into a table whose rows sum to one."""
    table = counts + float(pseudo_count)
    totals = table.sum(axis=-1, keepdims=True)
    return np.where(totals > 0, table / np.where(totals > 0, totals, 1), 1 / counts.shape[-1])
