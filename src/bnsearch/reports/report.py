"""Writing of reports."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bnsearch._tools.files import atomic_open, check_writable
from bnsearch._tools.wording import listed
from bnsearch.errors import InputError
from bnsearch.networks.network import BayesianNetwork

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.data.discretize import Discretize
    from bnsearch.graphs.dag import DAG
    from bnsearch.graphs.pdag import PDAG
    from bnsearch.runs.result import Result
    from bnsearch.scores.score import Score

EXTENSIONS = ".html", ".htm"


def write_report(
    network: BayesianNetwork | DAG,
    path: str | os.PathLike[str],
    data: Any = None,
    *,
    score: str | Score | Callable[..., float] = "bic",
    title: str | None = None,
) -> None:
    """
    Write the report of a network, one HTML file that opens in a browser without network access.

    Parameters
    ----------
    network : BayesianNetwork or DAG
        The network. The tables of a DAG are estimated from the data.
    path : str or path
        An .html file.
    data : Dataset, DataFrame, Table, array of int, str or path, optional
        The data, in any form that `learn` accepts, from which the page shows the loss of score without each edge.
    score : str, Score or callable, default "bic"
        The score of the edges.
    title : str, optional
        Title of the page.

    Raises
    ------
    InputError
        If the file cannot be written, or the data have other variables or states than the network.

    Examples
    --------
    >>> import bnsearch
    >>> asia = bnsearch.load_network("asia")
    >>> bnsearch.write_report(asia, "asia.html", asia.sample(200, 1), score="bdeu")
    """
    from bnsearch.scores.local import as_score
    from bnsearch.scores.named import make_score

    check_report_target(path)
    chosen = make_score(score) if isinstance(score, str) else as_score(score)
    table = None if data is None else match_data(network, data)
    save_report(path, network, table, chosen, title=title)


def write_result_report(
    result: Result,
    path: str | os.PathLike[str],
    data: Any = None,
    *,
    score: Score | None = None,
    title: str | None = None,
    command: str | None = None,
    ess: float = 0.0,
) -> None:
    """
    Write the report of a result; see `Result.report`.

    score : the score of the run; None if it is not known
    command : the command line of the run; None shows the equivalent call in Python
    ess : equivalent sample size of the probability tables
    """
    from bnsearch.networks.network import fit
    from bnsearch.reports.run_facts import describe_run

    check_report_target(path)
    table = None if data is None else match_data(result.dag, data)
    run = describe_run(result, command)
    graph = result.dag if table is None or ess == 0 else fit(result.dag, table, ess=ess)
    save_report(path, graph, table, score, title=title, run=run, mpdag=result.mpdag)


def save_report(
    path: str | os.PathLike[str],
    network: BayesianNetwork | DAG,
    data: Dataset | None,
    score: Score | None,
    *,
    title: str | None = None,
    run: dict[str, Any] | None = None,
    mpdag: PDAG | None = None,
) -> None:
    """
    Write a report from checked arguments; the file is replaced atomically.

    run : the facts of the run; None if there was none
    mpdag : the equivalence class under the background knowledge of the run; None means no knowledge
    """
    from bnsearch.reports.contents import build_contents
    from bnsearch.reports.page import render_page
    from bnsearch.reports.run_facts import describe_versions

    expected = None if run is None else run["score"]
    contents = build_contents(
        network, data, score, title=title or "Bayesian network", expected_score=expected, mpdag=mpdag
    )
    page = render_page({**contents, "run": run, "versions": describe_versions()})
    with atomic_open(path) as file:
        file.write(page.encode())


def check_report_target(path: str | os.PathLike[str]) -> None:
    """Raise an InputError if no report can be written to the path; call this before long computations."""
    if not os.fspath(path).lower().endswith(EXTENSIONS):
        raise InputError(f"{os.fspath(path)}: a report is an HTML file: use the extension .html")
    check_writable(path)


def match_data(
    graph: BayesianNetwork | DAG, data: Any, discretize: Discretize | None = None, *, header: bool = True
) -> Dataset:
    """
    Return the columns of the variables of a graph, in its order and, for a network, with its states.

    Numbers are divided into the intervals of the network. `discretize` and `header` are those of `Dataset.read`.
    """
    from bnsearch.data.conversion import as_rows_of

    states = dict(zip(graph.names, graph.states, strict=True)) if isinstance(graph, BayesianNetwork) else {}
    table = as_rows_of(states, data, discretize, header=header)
    if absent := [name for name in graph.names if name not in set(table.names)]:
        raise InputError(f"the data have no column for the network's {listed(absent)}; they have {listed(table.names)}")
    table = table.select(graph.names)
    return table.with_states(states)
