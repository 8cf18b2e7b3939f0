"""Tiling: large networks made of joined copies of a small one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import require
from bnsearch.graphs.dag import DAG
from bnsearch.networks.inference.exact import compute_joint_probabilities
from bnsearch.networks.network import BayesianNetwork
from bnsearch.networks.random_network import draw_table
from bnsearch.networks.sampling import make_generator

MAX_LINKS = 3
"""Number of parents of a copy in earlier copies."""

MARGINAL_TOLERANCE = 1e-12
"""Error of a marginal probability below which the fitting of a table ends."""

MAX_ROUNDS = 10_000
"""Number of rounds of fitting; about twelve are usual."""


def tile(network: BayesianNetwork, copies: int, links: int, seed: int | np.random.Generator) -> BayesianNetwork:
    """
    Return a network of joined copies of a network; edges lead from earlier copies to later ones.

    Parameters
    ----------
    network : network to copy; the variables of copy i are named name_i, i = 1, 2, ...
    copies : number of copies
    links : number of edges between copies, at most three for each copy except the first
    seed : whole number or generator; the same seed produces the same network

    Notes
    -----
    The links of a copy lead from random variables of earlier copies to one random variable without parents. This
    variable gets a random table, fitted so that its marginal distribution does not change (iterative proportional
    fitting to the exact distribution of its new parents). Each copy therefore has the joint distribution of the
    network.

    Child3 and Child5 of Dai et al. (2020), Table 8, have 79 and 126 edges, 4 and 1 more than three and five copies of
    child. `tile(child, 3, 4, seed)` and `tile(child, 5, 1, seed)` have as many.

    References
    ----------
    Tsamardinos, Statnikov, Brown & Aliferis (2006). Generating realistic large Bayesian networks by tiling. FLAIRS,
    592-597. The rules for drawing links and tables are ours.
    """
    n = len(network.names)
    most = min(MAX_LINKS, n)
    require("copies", copies, at_least=1, whole=True)
    require("links", links, at_least=0, at_most=most * (copies - 1), whole=True)
    rng = make_generator(seed)
    slots = np.repeat(np.arange(1, copies), most)
    linked = np.bincount(rng.choice(slots, links, replace=False) if links else [], minlength=copies)
    grown = _copy_network(network, 0)
    for number in range(1, copies):
        grown = _join_networks(grown, _copy_network(network, number), int(linked[number]), rng)
    return grown


def _copy_network(network: BayesianNetwork, number: int) -> BayesianNetwork:
    names = [f"{name}_{number + 1}" for name in network.names]
    return BayesianNetwork(DAG(names, network.dag.parents), network.states, network.tables)


def _join_networks(
    earlier: BayesianNetwork, later: BayesianNetwork, links: int, rng: np.random.Generator
) -> BayesianNetwork:
    """Return the union of two networks with `links` edges from the first to a root of the second."""
    shift = len(earlier.names)
    parents = [*earlier.dag.parents, *([shift + p for p in family] for family in later.dag.parents)]
    tables = [*earlier.tables, *later.tables]
    if links:
        roots = [x for x, family in enumerate(later.dag.parents) if not family]
        root = int(rng.choice(roots))
        causes = sorted(rng.choice(shift, links, replace=False).tolist())
        parents[shift + root] = causes
        tables[shift + root] = draw_fitted_table(
            compute_joint_probabilities(earlier, causes), later.probabilities(root), rng
        )
    dag = DAG([*earlier.names, *later.names], parents)
    return BayesianNetwork(dag, [*earlier.states, *later.states], tables)


def draw_fitted_table(
    parents: NDArray[np.float64], marginal: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """
    Return a random table of a variable with a given marginal distribution.

    Parameters
    ----------
    parents : joint distribution of the parents, one axis for each
    marginal : marginal distribution of the variable
    """
    table = draw_table(list(parents.shape), len(marginal), rng)
    parents, marginal = parents / parents.sum(), marginal / marginal.sum()
    joint = table * parents[..., np.newaxis]
    over_parents = tuple(range(parents.ndim))
    for _ in range(MAX_ROUNDS):
        joint *= _divide_safely(marginal, joint.sum(axis=over_parents))
        joint *= _divide_safely(parents, joint.sum(axis=-1))[..., np.newaxis]
        if np.abs(joint.sum(axis=over_parents) - marginal).max() <= MARGINAL_TOLERANCE:
            break
    possible = parents[..., np.newaxis] > 0
    rows = np.where(possible, joint, table)
    return np.asarray(rows / rows.sum(axis=-1, keepdims=True))


def _divide_safely(wanted: NDArray[np.float64], there: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.divide(wanted, there, out=np.zeros_like(there), where=there > 0)
