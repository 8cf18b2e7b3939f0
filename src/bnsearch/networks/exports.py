"""Conversion of networks to the classes of other libraries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bnsearch._tools.extras import import_optional

if TYPE_CHECKING:
    from bnsearch.networks.network import BayesianNetwork


def to_pgmpy(network: BayesianNetwork) -> Any:
    """Return a network as a DiscreteBayesianNetwork of pgmpy."""
    model = import_optional("pgmpy.models", "networks").DiscreteBayesianNetwork()
    model.add_nodes_from(network.names)
    model.add_edges_from(network.dag.edges)
    table = import_optional("pgmpy.factors.discrete", "networks").TabularCPD
    states = dict(zip(network.names, map(list, network.states), strict=True))
    for child, parents in enumerate(network.dag.parents):
        family = [network.names[v] for v in (child, *parents)]
        probabilities = network.probabilities(child)
        evidence = {"evidence": family[1:], "evidence_card": probabilities.shape[:-1]} if parents else {}
        model.add_cpds(
            table(
                family[0],
                probabilities.shape[-1],
                probabilities.reshape(-1, probabilities.shape[-1]).T,
                state_names={name: states[name] for name in family},
                **evidence,
            )
        )
    return model


def to_pyagrum(network: BayesianNetwork) -> Any:
    """Return a network as a BayesNet of pyAgrum."""
    gum = import_optional("pyagrum", "pyagrum")
    model = gum.BayesNet()
    for name, states in zip(network.names, network.states, strict=True):
        model.add(gum.LabelizedVariable(name, name, list(states)))
    for child, parents in enumerate(network.dag.parents):
        for parent in parents:
            model.addArc(network.names[parent], network.names[child])
    for child, name in enumerate(network.names):
        cells = gum.Tensor()
        for v in (child, *reversed(network.dag.parents[child])):  # the variable added first varies fastest
            cells.add(model.variable(network.names[v]))
        cells.fillWith(network.probabilities(child).ravel().tolist())
        model.cpt(name).fillWith(cells)
    return model
