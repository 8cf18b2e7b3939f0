"""Variables and their probability tables as text."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING

import numpy as np
from rich.cells import cell_len

from bnsearch.cli.console import align_columns, fit_text
from bnsearch.cli.failures import one_line
from bnsearch.networks.network import BayesianNetwork

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG

MAX_ROWS = 40  # number of parent configurations of a table that are shown
MAX_LABEL = 16  # number of columns of a state


def describe_variable(graph: BayesianNetwork | DAG, dag: DAG, x: int, width: int) -> list[str]:
    """Return lines about a variable: its parents and children, and its probabilities if the network has tables."""
    names = [one_line(name) for name in dag.names]
    children = [names[y] for y, parents in enumerate(dag.parents) if x in parents]
    lines = [
        names[x],
        f"  parents: {', '.join(names[p] for p in dag.parents[x]) or 'none'}",
        f"  children: {', '.join(children) or 'none'}",
    ]
    if isinstance(graph, BayesianNetwork):
        lines += ["", *_format_table(graph, x, width - 2)]
    return [*lines, ""]


def _format_table(network: BayesianNetwork, x: int, width: int) -> list[str]:
    """
    Return the lines of a probability table: one row for each configuration of the parents.

    If the states do not fit into the width, blocks of states follow each other. Only the first rows of a long table are
    included.
    """
    parents = network.dag.parents[x]
    states = [[fit_text(one_line(state), MAX_LABEL) for state in network.states[y]] for y in (*parents, x)]
    probabilities = network.probabilities(x).reshape(-1, len(states[-1]))
    configurations = list(islice(product(*states[:-1]), MAX_ROWS))
    numbers = [[_format_probability(p) for p in row] for row in probabilities[: len(configurations)]]
    titles = [fit_text(one_line(network.names[p]), MAX_LABEL) for p in parents]
    lines: list[str] = []
    first = 0
    while first < len(states[-1]):
        last = len(states[-1])
        block = _join_block(titles, configurations, states[-1], numbers, first, last)
        while last > first + 1 and max(map(cell_len, block)) > width:
            last -= 1
            block = _join_block(titles, configurations, states[-1], numbers, first, last)
        lines += [""] * bool(first) + [f"  {line}" for line in block]
        first = last
    if len(probabilities) > MAX_ROWS:
        lines.append(f"  and {len(probabilities) - MAX_ROWS:,} more rows; `bnsearch convert` writes all of them")
    return lines


def _join_block(
    titles: list[str],
    configurations: list[tuple[str, ...]],
    states: list[str],
    numbers: list[list[str]],
    first: int,
    last: int,
) -> list[str]:
    """Return the lines of the states first:last, with the configurations of the parents in the first columns."""
    cells = [states[first:last], *(row[first:last] for row in numbers)]
    if not titles:
        return align_columns(cells)
    left = align_columns([titles, *configurations], right=False)
    return align_columns([[label, *row] for label, row in zip(left, cells, strict=True)])


def _format_probability(probability: np.float64) -> str:
    """Return a probability with four decimals, or with two digits if it is small."""
    return f"{probability:.1e}" if 0 < probability < 5e-5 else f"{probability:.4f}"
