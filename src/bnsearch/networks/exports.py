"""Networks and structures as other libraries hold them."""

from __future__ import annotations

from typing import Any

from bnsearch._tools.extras import needed
from bnsearch.graphs.dag import DAG
from bnsearch.networks.network import BayesianNetwork


def to_pgmpy(graph: DAG | BayesianNetwork) -> Any:
    """Return a structure as pgmpy's DAG, a network as its DiscreteBayesianNetwork."""
    if isinstance(graph, DAG):
        structure = needed("pgmpy.base", "networks").DAG()
        structure.add_nodes_from(graph.names)
        structure.add_edges_from(graph.edges)
        return structure
    model = needed("pgmpy.models", "networks").DiscreteBayesianNetwork()
    model.add_nodes_from(graph.names)
    model.add_edges_from(graph.dag.edges)
    table = needed("pgmpy.factors.discrete", "networks").TabularCPD
    states = dict(zip(graph.names, map(list, graph.states), strict=True))
    for child, parents in enumerate(graph.dag.parents):
        family = [graph.names[v] for v in (child, *parents)]
        probabilities = graph.probabilities(child)
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


def to_pyagrum(graph: DAG | BayesianNetwork) -> Any:
    """
    Return a structure as pyAgrum's DAG, a network as its BayesNet.

    The nodes of a pyAgrum DAG are numbers: variable i becomes node i, as its learners number the columns of a table.
    """
    gum = needed("pyagrum", "pyagrum")
    if isinstance(graph, DAG):
        structure = gum.DAG()
        for node in range(len(graph.names)):
            structure.addNodeWithId(node)
        for child, parents in enumerate(graph.parents):
            for parent in parents:
                structure.addArc(parent, child)
        return structure
    model = gum.BayesNet()
    for name, states in zip(graph.names, graph.states, strict=True):
        model.add(gum.LabelizedVariable(name, name, list(states)))
    for child, parents in enumerate(graph.dag.parents):
        for parent in parents:
            model.addArc(graph.names[parent], graph.names[child])
    for child, name in enumerate(graph.names):
        cells = gum.Tensor()
        for v in (child, *reversed(graph.dag.parents[child])):  # the first one added runs fastest
            cells.add(model.variable(graph.names[v]))
        cells.fillWith(graph.probabilities(child).ravel().tolist())
        model.cpt(name).fillWith(cells)
    return model
