"""Arguments and options of several commands."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bnsearch._tools.built_in import BUILT_IN_METHODS, BUILT_IN_SCORES
from bnsearch.cli.completion import complete_method, complete_network, complete_score
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.runs.stop import Stop

Net = Annotated[
    str,
    typer.Argument(metavar="NET", help="The network or structure: a file or a name.", autocompletion=complete_network),
]
Data = Annotated[str, typer.Argument(metavar="DATA", help="The table: .csv, .dat, .parquet, or with .gz.")]
NoHeader = Annotated[bool, typer.Option("--no-header", help="The first row is data; the columns are named 0, 1, ...")]
Discretize = Annotated[
    str | None,
    typer.Option(
        "--discretize",
        metavar="RULE",
        help="Cut numbers into K intervals: quantile:K or uniform:K; 'age=18,65;quantile:3' gives cut points for age.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on stdout.")]
Threads = Annotated[int | None, typer.Option("--threads", metavar="N", help="Number of threads; all cores by default.")]
WorkerCount = Annotated[
    int | None, typer.Option("--workers", metavar="N", help="Search in N processes on this machine.")
]
DaskAddress = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Search on a Dask cluster: a scheduler, or local:N for N workers."),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed", metavar="N", help="Seed of the random numbers; reproducible with --iterations, not with --seconds."
    ),
]
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
    Path | None, typer.Option("--knowledge", metavar="JSON", help="Required and forbidden edges, tiers, ...")
]
Ess = Annotated[float | None, typer.Option("--ess", metavar="X", help="The equivalent sample size of bdeu.")]
TableEss = Annotated[
    float,
    typer.Option(
        "--table-ess",
        metavar="X",
        help="Equivalent sample size of the probability tables in the files; above 0, no state is impossible.",
    ),
]
Prior = Annotated[
    bool, typer.Option("--prior", help="Add to bdeu a structure prior of 1 / (ess + 1) for each free parameter.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A parameter of the method: a number, a word, a,b,c; may be repeated."
    ),
]
MethodName = Annotated[
    str,
    typer.Option(
        "--method", metavar="M", help=f"How to search: {', '.join(BUILT_IN_METHODS)}.", autocompletion=complete_method
    ),
]
ScoreName = Annotated[
    str,
    typer.Option(
        "--score", metavar="S", help=f"What to maximise: {', '.join(BUILT_IN_SCORES)}.", autocompletion=complete_score
    ),
]
MaxParents = Annotated[
    int | None, typer.Option("--max-parents", metavar="K", help="Maximum number of parents; no limit by default.")
]
NetworkFile = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="NET", help="Write the network: .bif, .net, .json, .csv, .dot or .svg."),
]
ReportFile = Annotated[
    Path | None,
    typer.Option("--report", metavar="HTML", help="Write a page with graph, probabilities and run: .html."),
]
StartNetwork = Annotated[
    str | None,
    typer.Option(
        "--start", metavar="NET", help="The network to begin with: a file or a name.", autocompletion=complete_network
    ),
]
Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="For tables and caches, such as 2GB; default: a quarter of the machine, at most 4 GiB.",
    ),
]
CertificateFile = Annotated[
    Path | None,
    typer.Option(
        "--certificate",
        metavar="JSON",
        help="Write the certificate of the upper bound, for `verify`; faster with the extra `exact`.",
    ),
]
ParentSetsFile = Annotated[
    Path | None,
    typer.Option("--parents", metavar="SETS", help="Write the candidate parent sets of the certificate: .jkl."),
]
Within = Annotated[
    float | None,
    typer.Option(
        "--within", metavar="K", help="List all networks within this Bayes factor of the best, for up to 20 variables."
    ),
]
CheckpointFolder = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint",
        metavar="RUN",
        help="Save the run in this folder, such as run.bns, or continue a run saved there.",
    ),
]
Restart = Annotated[bool, typer.Option("--restart", help="Start over even if the checkpoint has a saved run.")]
Do = Annotated[
    list[str] | None,
    typer.Option("--do", metavar="X=STATE", help="Set a variable to a state, whatever its parents; may be repeated."),
]
LogFile = Annotated[
    Path | None,
    typer.Option(
        "--log-json",
        metavar="FILE",
        help="Write events as lines of JSON during the run; - is stderr, without other text.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")]


def collect_score_parameters(ess: float | None, prior: bool) -> dict[str, float | bool]:
    """Return the parameters of a score that the options give."""
    given: dict[str, float | bool] = {} if ess is None else {"ess": ess}
    return given | {"prior": True} if prior else given


def combine_rules(iterations: int | None, target: float | None) -> Stop | None:
    """Return the stopping rule of the options; None if neither is given."""
    from bnsearch.runs.stop import AnyOf, Iterations, Target

    rules: list[Stop] = [] if target is None else [Target(target)]
    rules += [] if iterations is None else [Iterations(iterations)]
    return AnyOf(tuple(rules)) if rules else None


def parse_settings(settings: list[str] | None) -> dict[str, Any]:
    """Return parameters given as name=value; values are numbers, true, false, none, lists such as a,b,c, or text."""
    found: dict[str, Any] = {}
    for setting in settings or []:
        name, equals, text = setting.partition("=")
        if not (equals and name):
            raise InputError(f"--set takes name=value, not {setting!r}")
        name = name.replace("-", "_")
        if name in found:
            raise InputError(f"{name} is given twice")
        found[name] = _parse_value(text)
    return found


def _parse_value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    with suppress(ValueError):
        return int(text)
    with suppress(ValueError):
        number = float(text)
        return int(number) if "." not in text and number.is_integer() else number  # 1e9 is a whole number
    return text.split(",") if "," in text else text
