"""Interventions: networks in which variables are set to a state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch.graphs.dag import DAG
from bnsearch.networks.inference.evidence import find_states

if TYPE_CHECKING:
    from bnsearch.networks.network import BayesianNetwork


def set_variables(network: BayesianNetwork, do: Mapping[str, object] | None) -> tuple[DAG, list[NDArray[np.float64]]]:
    """Return the structure without the edges into the variables of `do`, and tables in which these have their state."""
    fixed = find_states(network, do, "do")
    parents = [() if x in fixed else family for x, family in enumerate(network.dag.parents)]
    tables = list(network.tables)
    for x, state in fixed.items():
        tables[x] = np.zeros(len(network.states[x]))
        tables[x][state] = 1.0
    return DAG(network.names, parents), tables
