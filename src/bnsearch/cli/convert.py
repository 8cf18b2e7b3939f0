"""`bnsearch convert`: a network or a structure in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bnsearch.cli.completion import complete_network
from bnsearch.cli.console import note


def convert(
    source: Annotated[
        str,
        typer.Argument(metavar="IN", help="A network or structure: a file or a name.", autocompletion=complete_network),
    ],
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", help="A network: .bif, .net, .json; its structure: .csv, .dot, .svg; each also with .gz."
        ),
    ],
) -> None:
    """
    Convert a network or a structure to another format, by extension.

    A network keeps its tables in .bif, .net and .json; .csv (an adjacency matrix), .dot (for Graphviz) and .svg (a
    drawing) hold its structure. A structure alone can be written as .json, .csv, .dot or .svg.

    Examples
    --------
    bnsearch convert alarm.bif.gz alarm.net
    bnsearch convert asia asia.svg
    """
    from bnsearch.cli.graphs import describe_size
    from bnsearch.cli.saving import check_apart
    from bnsearch.networks.files import check_network_target, write_network, write_structure
    from bnsearch.networks.named import load_graph
    from bnsearch.networks.network import BayesianNetwork

    check_apart([source], target)
    check_network_target(target)
    graph = load_graph(source)
    if isinstance(graph, BayesianNetwork):
        write_network(graph, target)
        note(f"wrote {target}: {describe_size(graph.dag)}")
    else:
        write_structure(graph, target)
        note(f"wrote {target}: {describe_size(graph)}, no tables")
