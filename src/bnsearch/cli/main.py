"""The command line; each command has a module of its own."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

import typer

from bnsearch.cli.compare import compare
from bnsearch.cli.compile import compile_command
from bnsearch.cli.convert import convert
from bnsearch.cli.doctor import doctor
from bnsearch.cli.experiment import experiment
from bnsearch.cli.failures import exit_code_of
from bnsearch.cli.guide import guide
from bnsearch.cli.learn import learn
from bnsearch.cli.methods import methods
from bnsearch.cli.parents import parents
from bnsearch.cli.predict import predict
from bnsearch.cli.query import query
from bnsearch.cli.report import report
from bnsearch.cli.sample import sample
from bnsearch.cli.score import score
from bnsearch.cli.scores import scores
from bnsearch.cli.search import search
from bnsearch.cli.show import show_command
from bnsearch.cli.verify import verify

app = typer.Typer(
    name="bnsearch",
    rich_markup_mode=None,  # plain help: importing rich would double the start-up time
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from bnsearch import __version__

        print(f"bnsearch {__version__}")
        raise typer.Exit


def program(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """
    Learn the structure of Bayesian networks from discrete data, by maximising a score within a time budget.

    DATA is a table: .csv (with a header), .dat or .parquet, gzipped (.gz) or not.

    NET is a network: .bif, .net, .json or an adjacency .csv, gzipped or not, or a name: asia, greenhouse, or
    where pgmpy is installed alarm, insurance, and others.

    JSON goes to stdout (--json), text for people to stderr, except that of show, doctor and guide. The exit status is
    0 on success, 2 on invalid input, and 143 after SIGTERM. `bnsearch guide` describes both for scripts.

    Examples
    --------
    bnsearch sample asia --rows 5000 --seed 1 -o asia.csv
    bnsearch learn asia.csv --seconds 10 -o learned.bif
    bnsearch compare asia learned.bif
    bnsearch score asia.csv asia
    bnsearch score asia.csv asia --score bic --json
    bnsearch convert asia asia.dot
    bnsearch show asia
    bnsearch query asia --given smoke=yes
    bnsearch predict asia asia.csv --target lung
    bnsearch report learned.bif asia.csv -o asia.html
    """


def _help(command: Callable[..., None]) -> str:
    """Return the help text of a command: its docstring, with the line breaks of the examples."""
    text, title, examples = inspect.cleandoc(command.__doc__ or "").partition("Examples\n--------\n")
    return f"{text}\b\nExamples:\n{textwrap.indent(examples, '  ')}" if title else text


app.callback(help=_help(program))(program)
COMMANDS: dict[str, Callable[..., None]] = {  # in the order of the help
    "learn": learn, "parents": parents, "search": search, "verify": verify, "sample": sample, "score": score,
    "compare": compare, "convert": convert, "show": show_command, "query": query, "predict": predict,
    "report": report, "experiment": experiment, "methods": methods, "scores": scores, "compile": compile_command,
    "doctor": doctor, "guide": guide,
}  # fmt: skip
for name, command in COMMANDS.items():
    app.command(name, help=_help(command))(command)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status; by default with the arguments of the process."""
    given = None if arguments is None else list(arguments)
    return exit_code_of(lambda: make_program().main(args=given, prog_name="bnsearch", standalone_mode=False))


@cache
def make_program() -> Any:
    """Return the program with all commands; cached, because building it takes longer than a command that fails."""
    return typer.main.get_command(app)
