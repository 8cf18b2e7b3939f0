"""`bnsearch sample`: random rows of a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bnsearch.cli.console import note
from bnsearch.errors import InputError


def sample(
    net: Annotated[str, typer.Argument(metavar="NET", help="A network with tables: a file or a name.")],
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="How many rows to draw.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DATA", help="The table to write: .csv, .csv.gz or .parquet."),
    ],
    seed: Annotated[int, typer.Option("--seed", metavar="S", help="The same seed gives the same rows.")] = 0,
) -> None:
    """
    Draw rows from a network.

    Parquet keeps all declared states of every variable, CSV only those that occur.

    Examples
    --------
    bnsearch sample asia --rows 5000 --seed 1 -o asia.csv
    bnsearch sample alarm.bif.gz --rows 1000000 -o alarm.parquet
    """
    from bnsearch.data.writing import check_table_target
    from bnsearch.networks.named import load_graph
    from bnsearch.networks.network import BayesianNetwork

    check_table_target(output)
    network = load_graph(net)
    if not isinstance(network, BayesianNetwork):
        raise InputError(f"{net} holds a structure without tables: only a network with tables can be sampled")
    network.sample(rows, seed).write(output)
    note(f"wrote {output}: {rows:,} rows of {len(network.names):,} variables")
