"""`bnsearch score`: scores of a network on a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from bnsearch._tools.registry import parameters_of
from bnsearch._tools.wording import listed
from bnsearch.cli.completion import complete_score
from bnsearch.cli.console import print_json, show, table
from bnsearch.cli.options import Data, Discretize, Ess, Json, Net, NoHeader, Prior, collect_score_parameters
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG
    from bnsearch.networks.network import BayesianNetwork
    from bnsearch.scores import Score


def score(
    data: Data,
    net: Net,
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--score",
            metavar="S",
            help="Only this score; repeatable. `bnsearch scores` lists them.",
            autocompletion=complete_score,
        ),
    ] = None,
    ess: Ess = None,
    prior: Prior = False,
    no_header: NoHeader = False,
    discretize: Discretize = None,
    as_json: Json = False,
) -> None:
    """
    Score a network on a table.

    Scores are log-scores: higher is better. Columns and variables are matched by name and must be the same. A
    variable has the states that the network declares, whether they occur in the table or not; for a structure
    without states, those that occur. If these states are intervals, such as <=18, numbers are divided into them.

    Examples
    --------
    bnsearch score asia.csv asia
    bnsearch score asia.csv learned.bif --score bic --score bdeu --ess 10 --json
    """
    from bnsearch.data.conversion import as_rows_of
    from bnsearch.data.reading import get_table_format
    from bnsearch.networks.named import load_graph
    from bnsearch.networks.network import BayesianNetwork
    from bnsearch.scores import make_scorer

    scores = _make_scores(names, collect_score_parameters(ess, prior))
    get_table_format(data)  # the arguments may have been exchanged
    graph = load_graph(net)
    states = dict(zip(graph.names, graph.states, strict=True)) if isinstance(graph, BayesianNetwork) else {}
    dag, dataset = _match_states(as_rows_of(states, data, discretize, header=not no_header), graph, data)
    values = {chosen.name: make_scorer(dataset, chosen).network(dag) for chosen in scores}
    if as_json:
        print_json({"scores": values})
    else:
        _show(values, dag, dataset)


def _make_scores(names: Sequence[str] | None, options: Mapping[str, float | bool]) -> list[Score]:
    """Return the scores with some names, or all; an option applies to every score with such a parameter."""
    from bnsearch.scores import SCORES, make_score

    keys = [make_score(name).name for name in names or SCORES.built_in]
    takes = {name: parameters_of(SCORES[name]) for name in {*SCORES.built_in, *keys}}
    for option in options:
        if not any(option in takes[key] for key in keys):
            takers = ", ".join(name for name in SCORES.built_in if option in takes[name])
            raise InputError(f"none of the selected scores has the parameter --{option}; it belongs to {takers}")
    return [make_score(key, **{o: value for o, value in options.items() if o in takes[key]}) for key in keys]


def _match_states(dataset: Dataset, graph: BayesianNetwork | DAG, data: str) -> tuple[DAG, Dataset]:
    """Return the structure, and the table coded with the states of the network."""
    from bnsearch.networks.network import BayesianNetwork

    _require_same_names(graph.names, dataset.names, data)
    if not isinstance(graph, BayesianNetwork):
        return graph, dataset
    try:
        return graph.dag, dataset.with_states(dict(zip(graph.names, graph.states, strict=True)))
    except InputError as error:
        raise InputError(f"{data}: {error}") from None


def _require_same_names(variables: Sequence[str], columns: Sequence[str], data: str) -> None:
    if absent := sorted(set(variables) - set(columns)):
        numbered = all(name.isdecimal() for name in absent)
        hint = "; if its first row is data, pass --no-header" if numbered else ""
        raise InputError(f"{data} has no column for the network's {listed(absent)}; it has {listed(columns)}{hint}")
    if extra := sorted(set(columns) - set(variables)):
        raise InputError(f"{data} has columns that are not in the network: {listed(extra)}; drop them first")


def _show(values: Mapping[str, float], dag: DAG, dataset: Dataset) -> None:
    from bnsearch.cli.graphs import describe_size
    from bnsearch.networks.network import count_free_parameters

    scores = table("score", "value", "per row")
    for name, value in values.items():
        scores.add_row(name, f"{value:.6f}", f"{value / dataset.n_rows:.6f}")
    parameters = count_free_parameters(dag.reordered(dataset.names), dataset.arities.tolist())
    show(f"{dataset.n_rows:,} rows, {describe_size(dag)}, {parameters:,} free parameters", scores)
