"""Log-likelihood of a table under a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnsearch.networks.family_codes import compute_joint_codes

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.networks.network import BayesianNetwork


def log_likelihood(network: BayesianNetwork, data: Dataset) -> float:
    """Return the natural logarithm of the probability of all rows; -inf if a row has probability zero."""
    return float(row_log_likelihoods(network, data).sum())


def row_log_likelihoods(network: BayesianNetwork, data: Dataset) -> NDArray[np.float64]:
    """
    Return the natural logarithm of the probability of each row, -inf for probability zero.

    Columns are matched by name and states by label. The table may have another order of columns and states, fewer
    states, and further columns, which are ignored. A label that is not a state of the network raises an InputError.
    """
    data = _align_data(data, network)
    arities = network.arities.tolist()
    total = np.zeros(data.n_rows)
    for child, parents in enumerate(network.dag.parents):
        with np.errstate(divide="ignore"):
            logs = np.log(network.probabilities(child))
        total += logs.take(compute_joint_codes(data.codes, arities, [*parents, child]))
    return total


def _align_data(data: Dataset, network: BayesianNetwork) -> Dataset:
    """Return the data with the variables and states of the network."""
    if data.names != network.names:
        data = data.select(network.names)
    pairs = zip(network.names, network.states, data.states, strict=True)
    other = {name: declared for name, declared, own in pairs if declared != own}
    return data.with_states(other) if other else data
