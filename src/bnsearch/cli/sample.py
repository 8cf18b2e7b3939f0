"""`bnsearch sample`: random rows of a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bnsearch.cli.completion import complete_network
from bnsearch.cli.console import note
from bnsearch.cli.graphs import load_fitted_network, parse_states
from bnsearch.cli.options import Do


def sample(
    net: Annotated[
        str,
        typer.Argument(metavar="NET", help="A network with tables: a file or a name.", autocompletion=complete_network),
    ],
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="How many rows to draw.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DATA", help="The table to write: .csv, .csv.gz or .parquet."),
    ],
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="The same seed gives the same rows.")] = 0,
    do: Do = None,
) -> None:
    """
    Draw rows from a network.

    Parquet keeps all declared states of every variable, CSV only those that occur.

    Examples
    --------
    bnsearch sample asia --rows 5000 --seed 1 -o asia.csv
    bnsearch sample alarm.bif.gz --rows 1000000 -o alarm.parquet
    bnsearch sample asia --rows 5000 --do smoke=no -o no_smoke.csv
    """
    from bnsearch.data.writing import check_table_target

    check_table_target(output)
    network = load_fitted_network(net, "sampled")
    network.simulate(rows, seed, do=parse_states(network, do, "--do")).write(output)
    note(f"wrote {output}: {rows:,} rows of {len(network.names):,} variables")
