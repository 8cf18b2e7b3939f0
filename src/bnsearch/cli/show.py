"""`bnsearch show`: a network as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bnsearch.cli.console import fit_text, get_width, print_text, supports_unicode
from bnsearch.cli.failures import one_line
from bnsearch.cli.options import Net
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG
    from bnsearch.networks.network import BayesianNetwork

MAX_LINES = 100  # a drawing with more lines is replaced by a summary


def show_command(
    net: Net,
    variables: Annotated[
        list[str] | None,
        typer.Option("--variable", metavar="X", help="Show this variable and its probabilities; may be repeated."),
    ] = None,
    tables: Annotated[bool, typer.Option("--tables", help="Show the probabilities of all variables.")] = False,
) -> None:
    """
    Show a network as text, on stdout.

    A small network is drawn: children are below their parents, indented. For a large one, a summary has the numbers of
    variables, edges and parameters, and the variables with the most edges. Lines have the width of the terminal.

    Examples
    --------
    bnsearch show asia
    bnsearch show asia --variable dysp
    bnsearch show learned.bif --tables
    """
    from bnsearch.cli.network_summary import summarise_network
    from bnsearch.cli.probability_text import describe_variable
    from bnsearch.graphs.separation import find_indices
    from bnsearch.graphs.structures import get_dag
    from bnsearch.networks.named import load_graph

    graph = load_graph(net)
    dag = get_dag(graph)
    if tables and variables:
        raise InputError("--tables and --variable cannot be combined: choose one of them")
    if variables is not None:
        chosen = find_indices(dag.names, variables, "--variable")
    else:
        chosen = list(range(len(dag.names))) if tables else []
    width = get_width()
    lines = [] if chosen else draw_small(graph, dag, width) or summarise_network(graph, dag, width)
    for x in chosen:
        lines += describe_variable(graph, dag, x, width)
    for line in lines:
        print_text(fit_text(line, width))


def draw_small(graph: BayesianNetwork | DAG, dag: DAG, width: int) -> list[str]:
    """Return a title and the drawing of a network; an empty list if the drawing would be too long or too wide."""
    from bnsearch.cli.graphs import describe_size
    from bnsearch.drawing.text import ASCII, UNICODE, draw_tree
    from bnsearch.networks.network import BayesianNetwork

    n_lines = sum(max(1, len(parents)) for parents in dag.parents)
    if n_lines > MAX_LINES:
        return []
    strokes = UNICODE if supports_unicode() else ASCII
    names = [one_line(name) for name in dag.names]
    lines = draw_tree(dag, names.__getitem__, strokes)
    if max((len(indentation) for indentation, _ in lines), default=0) > width // 2:
        return []
    parameters = f", {graph.parameters:,} free parameters" if isinstance(graph, BayesianNetwork) else ", no tables"
    return [describe_size(dag) + parameters, "", *(indentation + text for indentation, text in lines)]
