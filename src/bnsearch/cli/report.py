"""`bnsearch report`: a page about a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bnsearch.cli.console import note
from bnsearch.cli.options import Discretize, Ess, Net, NoHeader, Prior, ScoreName, score_parameters
from bnsearch.errors import InputError


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
    from bnsearch.data import Dataset
    from bnsearch.graphs.structures import get_dag
    from bnsearch.networks.named import load_graph
    from bnsearch.reports.report import check_report_target, match_data, save_report
    from bnsearch.scores import make_score

    check_apart([net, data], output)
    check_report_target(output)
    chosen = make_score(score, **score_parameters(ess, prior))
    graph = load_graph(net)
    table = None
    if data is not None:
        read = Dataset.read(data, header=not no_header, discretize=discretize)
        try:
            table = match_data(graph, read)
        except InputError as error:
            raise InputError(f"{data}: {error}") from None
    save_report(output, graph, table, chosen, title=Path(net).name)
    note(f"wrote {output}: {describe_size(get_dag(graph))}")
