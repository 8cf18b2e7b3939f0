"""Loading and description of graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bnsearch._tools.wording import shown
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG
    from bnsearch.networks.network import BayesianNetwork


def load_dag(net: str) -> DAG:
    """Return the structure of a network given by name or file."""
    from bnsearch.networks.named import load_graph
    from bnsearch.networks.network import BayesianNetwork

    graph = load_graph(net)
    return graph.dag if isinstance(graph, BayesianNetwork) else graph


def load_fitted_network(net: str, action: str) -> BayesianNetwork:
    """Return a network with tables, given by name or file; `action` says what needs the tables, such as "sampled"."""
    from bnsearch.networks.named import load_graph
    from bnsearch.networks.network import BayesianNetwork

    network = load_graph(net)
    if not isinstance(network, BayesianNetwork):
        raise InputError(f"{net} holds a structure without tables: only a network with tables can be {action}")
    return network


def parse_states(network: BayesianNetwork, texts: Sequence[str] | None, option: str) -> dict[str, str]:
    """
    Return the states that an option gives as X=STATE, by name.

    A name may contain an equals sign: the first part that is a variable of the network is the name.
    """
    found: dict[str, str] = {}
    for text in texts or ():
        positions = [i for i, character in enumerate(text) if character == "="]
        if not positions:
            raise InputError(f"{option} takes a variable and its state, such as x=yes, not {shown(text)}")
        split = next((i for i in positions if text[:i] in network.names), positions[0])
        name, state = text[:split], text[split + 1 :]
        if name in found:
            raise InputError(f"{option} gives the variable {shown(name)} twice")
        found[name] = state
    return found


def describe_size(dag: DAG) -> str:
    """Return the size of a graph, such as "8 variables, 8 edges"."""
    counts = {"variable": len(dag.names), "edge": sum(map(len, dag.parents))}
    return ", ".join(f"{count:,} {word}{'' if count == 1 else 's'}" for word, count in counts.items())
