"""`bnsearch report`: a page about a network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bnsearch.cli.console import note
from bnsearch.cli.options import Discretize, Ess, Net, NoHeader, Prior, ScoreName, collect_score_parameters
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG
    from bnsearch.networks.network import BayesianNetwork


def report(
    net: Net,
    data: Annotated[
        str | None,
        typer.Argument(metavar="DATA", show_default=False, help="The table: .csv, .dat, .parquet, or with .gz."),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="HTML", help="Write the page to this file.")] = Path(
        "report.html"
    ),
    score: ScoreName = "bic",
    ess: Ess = None,
    prior: Prior = False,
    no_header: NoHeader = False,
    discretize: Discretize = None,
) -> None:
    """
    Write a page about a network: graph, probabilities given evidence, and the loss of score without each edge.

    The page is one file, which opens in a browser without network access. Probability tables come from NET, or
    are estimated from DATA if NET has none. The loss of score needs DATA. `bnsearch learn --report` also shows the run.

    Examples
    --------
    bnsearch report asia
    bnsearch report learned.bif table.csv --score bdeu --ess 10 -o report.html
    """
    from bnsearch.cli.graphs import describe_size
    from bnsearch.cli.saving import check_apart
    from bnsearch.graphs.structures import get_dag
    from bnsearch.networks.named import load_graph
    from bnsearch.reports.report import check_report_target, save_report
    from bnsearch.scores import make_score

    check_apart([net, data], output)
    check_report_target(output)
    chosen = make_score(score, **collect_score_parameters(ess, prior))
    graph = load_graph(net)
    table = None
    if data is not None:
        table = _match_columns(graph, data, discretize, header=not no_header)
    save_report(output, graph, table, chosen, title=Path(net).name)
    note(f"wrote {output}: {describe_size(get_dag(graph))}")


def _match_columns(graph: BayesianNetwork | DAG, data: str, discretize: str | None, *, header: bool) -> Dataset:
    """Return the table with the variables of a graph; all error messages begin with the name of the file."""
    from bnsearch.reports.report import match_data

    try:
        return match_data(graph, data, discretize, header=header)
    except InputError as error:
        text = str(error)
        raise InputError(text if text.startswith(data) else f"{data}: {text}") from None
