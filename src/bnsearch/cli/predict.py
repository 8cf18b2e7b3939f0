"""`bnsearch predict`: the most probable state of a variable for each row of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bnsearch.cli.completion import complete_network
from bnsearch.cli.console import note, print_json, show, table
from bnsearch.cli.failures import one_line
from bnsearch.cli.graphs import load_fitted_network
from bnsearch.cli.options import Data, Json

if TYPE_CHECKING:
    import polars as pl

MAX_SHOWN_ROWS = 20


def predict(
    net: Annotated[
        str,
        typer.Argument(metavar="NET", help="A network with tables: a file or a name.", autocompletion=complete_network),
    ],
    data: Data,
    target: Annotated[str, typer.Option("--target", metavar="X", help="The variable to predict.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the predictions: .csv, .csv.gz or .parquet."),
    ] = None,
    as_json: Json = False,
) -> None:
    """
    Predict a variable for each row of a table, given the other columns of the row.

    The result has the most probable state and the probability of each state. Columns that are not in the network, and
    that of the target, are ignored. Missing values are not observed. Numbers are divided into the intervals that
    are the states of the network. Without --output and --json, the first rows are shown.

    Examples
    --------
    bnsearch predict asia rows.csv --target lung
    bnsearch predict learned.bif rows.csv --target lung -o predicted.csv
    """
    from bnsearch.cli.saving import check_apart
    from bnsearch.data.writing import check_table_target

    check_apart([net, data], output)
    if output is not None:
        check_table_target(output)
    network = load_fitted_network(net, "used for predictions")
    probabilities = network.predict_proba(data, target)
    states = network.states[network.names.index(target)]
    best = [states[i] for i in probabilities.argmax(axis=1)]
    if as_json:
        print_json({"target": target, "states": states, "predicted": best, "probabilities": probabilities.tolist()})
    rows = [(state, *map(float, numbers)) for state, numbers in zip(best, probabilities.round(6).tolist(), strict=True)]
    names = [target, *(f"p({state})" for state in states)]
    if output is not None:
        _write_rows(names, rows, output)
        note(f"wrote {output}: {len(rows):,} rows")
    elif not as_json:
        _show_rows(names, rows)


def _write_rows(names: list[str], rows: list[tuple[str | float, ...]], output: Path) -> None:
    from bnsearch._tools.files import atomic_open
    from bnsearch.data.reading import get_table_format

    frame = _make_frame(names, rows)
    with atomic_open(output) as file:
        if get_table_format(output) == ".csv":
            frame.write_csv(file)
        else:
            frame.write_parquet(file)


def _make_frame(names: list[str], rows: list[tuple[str | float, ...]]) -> pl.DataFrame:
    import polars as pl

    columns = zip(names, zip(*rows, strict=True), strict=True)
    return pl.DataFrame([pl.Series(name, list(values)) for name, values in columns])


def _show_rows(names: list[str], rows: list[tuple[str | float, ...]]) -> None:
    shown = table("row", *map(one_line, names))
    for number, (state, *numbers) in enumerate(rows[:MAX_SHOWN_ROWS], start=1):
        shown.add_row(f"{number:,}", one_line(str(state)), *(f"{p:.6f}" for p in numbers))
    show(shown)
    if len(rows) > MAX_SHOWN_ROWS:
        note(f"{MAX_SHOWN_ROWS} of {len(rows):,} rows are shown: -o predicted.csv writes all of them")
