"""Summaries of large networks."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from statistics import fmean
from typing import TYPE_CHECKING

from bnsearch.cli.console import align_columns
from bnsearch.cli.failures import one_line
from bnsearch.cli.graphs import describe_size
from bnsearch.networks.network import BayesianNetwork

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG

N_TOP = 10  # number of variables with the most edges that are listed


def summarise_network(graph: BayesianNetwork | DAG, dag: DAG, width: int) -> list[str]:
    """Return lines about the size of a network, its parents, its states, and the variables with the most edges."""
    n_parents = [len(parents) for parents in dag.parents]
    n_children = [0] * len(n_parents)
    for parents in dag.parents:
        for parent in parents:
            n_children[parent] += 1
    alone = sum(a == b == 0 for a, b in zip(n_parents, n_children, strict=True))
    facts = [
        ("without parents", f"{n_parents.count(0):,}"),
        ("without children", f"{n_children.count(0):,}"),
        ("without edges", f"{alone:,}"),
        ("parents of a variable", _describe_range(n_parents)),
        ("children of a variable", _describe_range(n_children)),
    ]
    if isinstance(graph, BayesianNetwork):
        arities = graph.arities.tolist()
        largest = max(prod(arities[p] for p in (x, *parents)) for x, parents in enumerate(dag.parents))
        facts += [
            ("states of a variable", _describe_range(arities)),
            ("free parameters", f"{graph.parameters:,}"),
            ("cells of the largest table", f"{largest:,}"),
        ]
    order = sorted(range(len(n_parents)), key=lambda x: -(n_parents[x] + n_children[x]))[:N_TOP]
    top = [("most edges", "parents", "children")]
    top += [(one_line(dag.names[x]), f"{n_parents[x]:,}", f"{n_children[x]:,}") for x in order]
    return [
        f"{describe_size(dag)}; too large for a drawing in {width} columns",
        "",
        *align_columns(facts),
        "",
        *align_columns(top),
        "",
        "`bnsearch convert` draws it as .svg, and `bnsearch report` makes a page",
    ]


def _describe_range(numbers: Sequence[int]) -> str:
    return f"{min(numbers):,} to {max(numbers):,}, mean {fmean(numbers):.2f}"
