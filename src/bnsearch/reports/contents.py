"""The contents of a report: the network, its layout, its probabilities and its edges, as JSON values."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bnsearch.drawing.layout import BOX_HEIGHT, Layout, compute_layout, shorten_label
from bnsearch.errors import InputError
from bnsearch.graphs.completion import cpdag
from bnsearch.networks.network import BayesianNetwork, fit
from bnsearch.reports.edges import describe_directions, list_edges

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG
    from bnsearch.graphs.pdag import PDAG
    from bnsearch.scores.score import Score

SCHEMA_VERSION = 1
MAX_DRAWN_VARIABLES = 2000  # the layout of larger graphs takes too long; their page shows neighbourhoods only
MAX_DRAWN_EDGES = 4000
MAX_TABLE_CHARACTERS = 6_000_000  # of all probability tables together, so that pages stay below 10 MB
DIGITS = 12  # significant digits of probabilities
SAMPLED_ROWS = 10_000  # rows from which distributions are estimated if there are no data


def build_contents(
    graph: BayesianNetwork | DAG,
    data: Dataset | None,
    score: Score | None,
    *,
    title: str,
    expected_score: float | None = None,
    mpdag: PDAG | None = None,
) -> dict[str, Any]:
    """
    Return the contents of the report of a network.

    Parameters
    ----------
    graph : network, or structure; the tables of a structure are estimated from the data
    data : table with the variables of the graph, in the same order; None if there is none
    score : score of the edges; None if it is not known
    title : title of the page
    expected_score : score of the network in a run; if the data give another one, the losses are left out
    mpdag : the equivalence class under the background knowledge of a run; None means no knowledge
    """
    notes: list[str] = []
    network = _add_tables(graph, data, notes)
    dag = graph.dag if isinstance(graph, BayesianNetwork) else graph
    losses = None if data is None or score is None else _find_losses(dag, data, score, expected_score, notes)
    return {
        "schema_version": SCHEMA_VERSION,
        "title": title,
        "rows": None if data is None else data.n_rows,
        "variables": _describe_variables(dag, network, data, notes),
        "distributions": "data" if data is not None else "sample",
        "edges": _describe_edges(dag, cpdag(dag) if mpdag is None else mpdag, losses),
        "score": None if score is None or losses is None else type(score).__name__,
        "layout": _describe_layout(dag),
        "notes": notes,
    }


def _add_tables(graph: BayesianNetwork | DAG, data: Dataset | None, notes: list[str]) -> BayesianNetwork | None:
    """Return the network of a graph; None if its tables cannot be estimated."""
    if isinstance(graph, BayesianNetwork):
        return graph
    if data is None:
        return None
    try:
        return fit(graph, data)
    except InputError as error:  # too many cells
        notes.append(f"The page has no probabilities: {error}.")
        return None


def _describe_variables(
    dag: DAG, network: BayesianNetwork | None, data: Dataset | None, notes: list[str]
) -> list[dict[str, Any]]:
    """Return names, parents, states, distributions and tables; tables that are too large are left out."""
    found: list[dict[str, Any]] = [
        {"name": name, "label": shorten_label(name), "parents": parents}
        for name, parents in zip(dag.names, dag.parents, strict=True)
    ]
    states = network.states if network is not None else None if data is None else data.states
    rows = data if data is not None or network is None else network.sample(SAMPLED_ROWS, 0)
    for x, entry in enumerate(found):
        if states is not None and rows is not None:
            counts = np.bincount(rows.codes[x], minlength=len(states[x]))
            entry |= {"states": states[x], "distribution": _round_numbers(counts / rows.n_rows)}
    if network is not None:
        _add_table_texts(found, network, notes)
    return found


def _add_table_texts(entries: list[dict[str, Any]], network: BayesianNetwork, notes: list[str]) -> None:
    """Add the probability tables to the entries of the variables, the smallest tables first."""
    left = MAX_TABLE_CHARACTERS
    for x in sorted(range(len(entries)), key=lambda x: network.tables[x].size):
        size = network.tables[x].size
        numbers = _round_numbers(network.probabilities(x).ravel()) if size <= left else None
        left -= size if numbers is None else len(json.dumps(numbers))
        if numbers is None or left < 0:
            notes.append("The largest probability tables are left out, because the page would be too large.")
            return
        entries[x]["table"] = numbers


def _round_numbers(numbers: Any) -> list[float]:
    """Return numbers with DIGITS significant digits, as integers if possible, because these are shorter."""
    rounded = (float(f"{number:.{DIGITS}g}") for number in numbers.tolist())
    return [int(number) if number.is_integer() else number for number in rounded]


def _find_losses(
    dag: DAG, data: Dataset, score: Score, expected_score: float | None, notes: list[str]
) -> list[float] | None:
    """Return the loss of score without each edge; None if it is not known, with a note that says why."""
    from bnsearch.scores.edge_losses import compute_edge_losses, make_network_scorer

    try:
        scorer = make_network_scorer(dag, data, score, expected_score)
        return compute_edge_losses(scorer, dag.parents, list_edges(dag))
    except InputError as error:  # too many cells, or other data than those of the run
        notes.append(f"The loss of score of the edges is not known: {error}.")
        return None


def _describe_edges(dag: DAG, mpdag: PDAG, losses: list[float] | None) -> list[list[Any]]:
    """Return parent, child, what compels the direction, and the loss of score without the edge, None if not known."""
    edges = list_edges(dag)
    known: Sequence[float | None] = [None] * len(edges) if losses is None else losses
    facts = zip(edges, describe_directions(dag, mpdag), known, strict=True)
    return [[*edge, compelled, loss] for edge, compelled, loss in facts]


def _describe_layout(dag: DAG) -> dict[str, Any] | None:
    """Return the positions of boxes and edges, rounded; None if the graph is too large."""
    edges = list_edges(dag)
    if len(dag.names) > MAX_DRAWN_VARIABLES or len(edges) > MAX_DRAWN_EDGES:
        return None
    plan: Layout = compute_layout(dag)
    points = {(route.parent, route.child): route.points for route in plan.routes}
    return {
        "width": round(plan.width, 1),
        "height": round(plan.height, 1),
        "box_height": BOX_HEIGHT,
        "boxes": [[round(box.x, 1), round(box.y, 1), round(box.width, 1)] for box in plan.boxes],
        "routes": [[round(number, 1) for point in points[edge] for number in point] for edge in edges],
    }
