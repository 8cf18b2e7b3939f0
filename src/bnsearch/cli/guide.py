"""`bnsearch guide`: one page for scripts and coding agents, made from the commands, methods and scores themselves."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer

from bnsearch.cli.console import print_text
from bnsearch.cli.failures import BAD_INPUT, BUG, INTERRUPTED, TERMINATED
from bnsearch.cli.json_fields import EVENTS, FIELDS, RESULT, SCHEMA_VERSION
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch._tools.registry import Registry

WIDTH = 100  # number of columns of a page, which is rarely read on a terminal

EXIT_STATUSES = {
    0: "success; also if Ctrl-C has ended a search: the best network so far is written, and `stop` is interrupted",
    BUG: "a bug of bnsearch (one line that begins with `bnsearch: bug:`), or the reader of stdout has closed it",
    BAD_INPUT: "invalid input or usage, a file that cannot be read or written, or a lack of memory: one line on stderr",
    INTERRUPTED: "Ctrl-C without a result, or an experiment that Ctrl-C has ended; the same command continues it",
    TERMINATED: "SIGTERM; the best network so far is written, and the same command continues an experiment",
}

CHOICES = (
    ("no preference", "learn with the default method auto: it combines searches, and proves bounds within the time"),
    ("a proof of optimality", "auto, or exact without a time limit; `optimal` and `gap` tell what is proven"),
    ("a given .jkl file", "search; its default searches exactly if the time suffices, and otherwise over orderings"),
    ("an equivalence class", "ges, or its iterated forms; give --score bdeu or bic, which are score-equivalent"),
    ("a quick baseline", "hillclimb or tabu"),
    ("thousands of variables", "auto, with --seconds 600 or more; --checkpoint to continue later"),
    ("the same result again", "--seed with --iterations; with --seconds, results depend on the speed of the machine"),
    ("comparison of methods", "experiment, with a plan (docs/experiments.md)"),
)


def guide(context: typer.Context) -> None:
    """
    Print one page for scripts and coding agents, on stdout.

    The page has the commands, the fields of JSON output, the exit statuses, and how to choose a method.
    """
    for line in write_guide(list_commands(context.find_root().command)):
        print_text(line)


def list_commands(program: Any) -> dict[str, str]:
    """Return the first sentence of the help of each command of a program."""
    helps = {name: inspect.cleandoc(command.help or "") for name, command in program.commands.items()}
    return {name: text.partition("\n\n")[0].replace("\n", " ") for name, text in helps.items()}


def write_guide(commands: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines of the page, given a sentence about each command."""
    from bnsearch import __version__
    from bnsearch.learning.methods import METHODS
    from bnsearch.scores.named import SCORES

    yield f"bnsearch {__version__}: learn the structure of Bayesian networks from discrete data"
    yield from _write_section("Commands (bnsearch COMMAND --help has all options and examples)")
    yield from _write_list(list(commands.items()))
    yield from _write_section("A first run")
    yield from _write_list(
        [
            ("bnsearch sample asia --rows 5000 -o asia.csv", "a table to try"),
            (
                "bnsearch learn asia.csv --seconds 10 --seed 1 --json -o learned.bif",
                "JSON and a file",
            ),
            ("bnsearch score asia.csv learned.bif --score bic --json", "the score of a network"),
            ("bnsearch compare asia learned.bif --json", "distances to the true network"),
            ("bnsearch show learned.bif", "the network as text"),
        ]
    )
    yield from _write_section(
        f"JSON: --json prints one object on stdout, with schema_version {SCHEMA_VERSION}; a result has"
    )
    yield from _write_list(list(RESULT.items()))
    yield from _write_section("The output of each command with --json has")
    yield from _write_list(list(FIELDS.items()))
    yield from _write_section("Log: --log-json FILE (learn, search, experiment), one object per line; - is stderr")
    yield from _write_list(list(EVENTS.items()))
    yield from _write_text("All lines have schema_version, event and seconds. The last event is finished or failed.")
    yield from _write_section("Exit statuses")
    yield from _write_list([(str(status), text) for status, text in sorted(EXIT_STATUSES.items())])
    yield from _write_section("How to choose")
    yield from _write_list(CHOICES)
    yield from _write_section("Methods (--method; `bnsearch methods --json` has parameters for --set)")
    yield from _write_list(_list_summaries(METHODS))
    yield from _write_section("Scores (--score; all are log-scores, higher is better)")
    yield from _write_list(_list_summaries(SCORES))


def _write_section(title: str) -> Iterator[str]:
    yield ""
    yield title


def _write_text(text: str) -> Iterator[str]:
    yield from textwrap.wrap(text, WIDTH, initial_indent="  ", subsequent_indent="  ")


def _write_list(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield rows of a term and a text, which is wrapped."""
    indent = max(len(term) for term, _ in rows) + 4
    for term, text in rows:
        first, *others = textwrap.wrap(text, WIDTH - indent, break_on_hyphens=False) or [""]
        yield f"  {term}".ljust(indent) + first
        yield from (" " * indent + line for line in others)


def _list_summaries(registry: Registry[Any]) -> list[tuple[str, str]]:
    """Return the name and the summary of each class; a class of another package that cannot be loaded says why."""
    from bnsearch.cli.docstrings import describe

    found: list[tuple[str, str]] = []
    for name in registry:
        try:
            found.append((name, describe(registry[name]).summary))
        except InputError as error:
            found.append((name, str(error)))
    return found
