"""Arguments and options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Net = Annotated[str, typer.Argument(metavar="NET", help="The network or structure: a file or a name.")]
Data = Annotated[str, typer.Argument(metavar="DATA", help="The table: .csv, .dat, .parquet, or with .gz.")]
NoHeader = Annotated[bool, typer.Option("--no-header", help="The first row is data; the columns are named 0, 1, ...")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
