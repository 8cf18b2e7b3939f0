"""Arguments and options that several commands share."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.runs.stop import Stop

Net = Annotated[str, typer.Argument(metavar="NET", help="The network or structure: a file or a name.")]
Data = Annotated[str, typer.Argument(metavar="DATA", help="The table: .csv, .dat, .parquet, or with .gz.")]
NoHeader = Annotated[bool, typer.Option("--no-header", help="The first row is data; the columns are named 0, 1, ...")]
Discretize = Annotated[
    str | None,
    typer.Option("--discretize", metavar="RULE", help="Cut columns of numbers: quantile:K or uniform:K, K intervals."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
Threads = Annotated[int | None, typer.Option("--threads", metavar="N", help="How many threads; all cores by default.")]
Seed = Annotated[int | None, typer.Option("--seed", metavar="N", help="Makes the result reproducible.")]
IterationsLimit = Annotated[
    int | None, typer.Option("--iterations", metavar="I", help="Stop after this many iterations of the method.")
]
TargetScore = Annotated[
    float | None, typer.Option("--target", metavar="SCORE", help="Stop when this score is reached.")
]
TraceFile = Annotated[
    Path | None, typer.Option("--trace", metavar="CSV", help="Write every improvement: seconds, score and more.")
]
KnowledgeFile = Annotated[
    Path | None, typer.Option("--knowledge", metavar="JSON", help="Edges that must or must not be there, tiers, ...")
]
Ess = Annotated[float | None, typer.Option("--ess", metavar="X", help="The equivalent sample size of bdeu.")]
Prior = Annotated[
    bool, typer.Option("--prior", help="Add to bdeu a structure prior of 1 / (ess + 1) for each free parameter.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A parameter of the method: a number, a word, a,b,c; may be repeated."
    ),
]


def score_parameters(ess: float | None, prior: bool) -> dict[str, float | bool]:
    """Return the parameters of a score that these two options give."""
    given: dict[str, float | bool] = {} if ess is None else {"ess": ess}
    return given | {"prior": True} if prior else given


def stop_rules(iterations: int | None, target: float | None) -> list[Stop]:
    """Return the stopping rules of these two options."""
    from bnsearch.runs.stop import Iterations, Target

    rules: list[Stop] = [] if target is None else [Target(target)]
    return rules if iterations is None else [*rules, Iterations(iterations)]


def parsed(settings: list[str] | None) -> dict[str, Any]:
    """Return parameters given as name=value: numbers, true, false, none and a,b,c as such, anything else as text."""
    found: dict[str, Any] = {}
    for setting in settings or []:
        name, equals, text = setting.partition("=")
        if not (equals and name):
            raise InputError(f"--set takes name=value, not {setting!r}")
        name = name.replace("-", "_")
        if name in found:
            raise InputError(f"{name} is given twice")
        found[name] = _value(text)
    return found


def _value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        number = float(text)
        return int(number) if "." not in text and number.is_integer() else number  # 1e9 is a whole number
    return text.split(",") if "," in text else text
