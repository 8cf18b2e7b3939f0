"""`bnsearch parents`: candidate parent sets of every variable."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bnsearch.cli.console import note, print_json, show, table
from bnsearch.cli.failures import output_protected
from bnsearch.cli.options import (
    Data,
    Discretize,
    Ess,
    Json,
    KnowledgeFile,
    MaxParents,
    NoHeader,
    Prior,
    ScoreName,
    Threads,
    collect_score_parameters,
)

if TYPE_CHECKING:
    from bnsearch.selection.report import Selection


SetsFile = Annotated[Path, typer.Option("--output", "-o", metavar="SETS", help="The .jkl file to write, or .jkl.gz.")]
BuilderName = Annotated[
    str, typer.Option("--select", metavar="S", help="auto, sequential, greedy, independence, or local.")
]
Seconds = Annotated[float | None, typer.Option("--seconds", metavar="T", help="Time for all variables.")]
SecondsPerVariable = Annotated[
    float | None, typer.Option("--seconds-per-variable", metavar="T", help="Time for each variable.")
]
Evaluations = Annotated[
    int | None, typer.Option("--evaluations", metavar="E", help="Families scored; makes the result reproducible.")
]
MaxSets = Annotated[
    int | None, typer.Option("--max-sets", metavar="M", help="Maximum number of sets of a variable; no limit.")
]
Candidates = Annotated[
    int | None,
    typer.Option("--candidates", metavar="C", help="Partners: of all sets (sequential), of grown ones (auto)."),
]
Memory = Annotated[
    int | None, typer.Option("--memory", metavar="BYTES", help="For intermediate results; 4 GiB by default.")
]


def parents(
    data: Data,
    output: SetsFile,
    select: BuilderName = "auto",
    score: ScoreName = "bic",
    ess: Ess = None,
    prior: Prior = False,
    max_parents: MaxParents = None,
    knowledge: KnowledgeFile = None,
    seconds: Seconds = None,
    seconds_per_variable: SecondsPerVariable = None,
    evaluations: Evaluations = None,
    max_sets: MaxSets = None,
    candidates: Candidates = None,
    memory: Memory = None,
    threads: Threads = None,
    no_header: NoHeader = False,
    discretize: Discretize = None,
    as_json: Json = False,
) -> None:
    """
    Score candidate parent sets for the searches over orderings.

    Sets that a subset matches or beats are left out: no network ever needs them. Ctrl-C or SIGTERM ends the work, and
    the sets found so far are written. With --knowledge, only legal sets are kept: pass the same file to `search`.

    Examples
    --------
    bnsearch parents table.csv -o table.jkl
    bnsearch parents table.csv -o table.jkl --select sequential --max-parents 3
    bnsearch parents table.csv -o table.jkl.gz --score bdeu --ess 10 --seconds 60
    bnsearch parents table.csv -o table.jkl --knowledge tiers.json
    """
    from bnsearch._tools.files import check_writable
    from bnsearch.cli.progress import show_progress
    from bnsearch.cli.saving import check_apart
    from bnsearch.data import Dataset
    from bnsearch.knowledge import Knowledge
    from bnsearch.scores import LocalScore, make_score
    from bnsearch.selection.named import make_selection

    limits = {
        "seconds": seconds,
        "seconds_per_variable": seconds_per_variable,
        "evaluations": evaluations,
        "max_parents": max_parents,
        "max_sets": max_sets,
        "candidates": candidates,
        "memory": memory,
    }
    chosen = make_score(score, **collect_score_parameters(ess, prior))
    if select == "auto" and isinstance(chosen, LocalScore):
        select = "local"
    builder = make_selection(select, **{name: value for name, value in limits.items() if value is not None})
    known = None if knowledge is None else Knowledge.read(knowledge)
    check_apart([data, knowledge], output)
    check_writable(output)
    dataset = Dataset.read(data, header=not no_header, discretize=discretize)
    constraints = None if known is None else known.constraints(dataset.names)
    with show_progress() as observers:
        selection = builder.select(dataset, chosen, threads=threads, observers=observers, constraints=constraints)
    _deliver(selection, output, as_json=as_json)


def _deliver(selection: Selection, output: Path, *, as_json: bool) -> None:
    """Write the candidate table, then print its facts."""
    from bnsearch.parent_sets.jkl_writer import write_scores

    with output_protected(selection.stop):
        write_scores(selection.table, output)
        if as_json:
            print_json(_facts(selection) | {"per_variable": [report._asdict() for report in selection.per_variable]})
        else:
            _show(selection)
        for line in selection.notes:
            note(f"note: {line}")
        stopped = f"{selection.stop}: " if selection.stop in ("interrupted", "terminated") else ""
        note(f"{stopped}wrote {output}")


def _facts(selection: Selection) -> dict[str, object]:
    """Return the facts of a selection as a JSON object."""
    from bnsearch.parent_sets.relaxed import relaxed

    return {
        "variables": selection.table.n_variables,
        "sets": selection.kept,
        "scored": selection.scored,
        "pruned": selection.pruned,
        "max_parents": selection.table.max_parents,
        "exhaustive": selection.depth,
        "bound": relaxed(selection.table).score,
        "seconds": selection.seconds,
        "stop": selection.stop,
        "notes": list(selection.notes),
    }


def _show(selection: Selection) -> None:
    """Print the facts of a selection as a table."""
    made = table("candidate parent sets", "")
    names = {"exhaustive": "exhaustive up to parents", "bound": "upper bound over these sets", "stop": "stopped by"}
    for key, value in _facts(selection).items():
        if key != "notes":
            made.add_row(names.get(key, key.replace("_", " ")), _text(value))
    show(made)


def _text(value: object) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
