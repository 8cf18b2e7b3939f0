"""`bnsearch parents`: candidate parent sets of every variable."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bnsearch.cli.console import note, print_json, show, table
from bnsearch.cli.options import Data, Discretize, Ess, Json, NoHeader, Prior, score_parameters

if TYPE_CHECKING:
    from bnsearch.selection.report import Selection


def parents(
    data: Data,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="SETS", help="The .jkl file to write, or .jkl.gz.")],
    select: Annotated[
        str, typer.Option("--select", metavar="S", help="auto, sequential, greedy or independence.")
    ] = "auto",
    score: Annotated[str, typer.Option("--score", metavar="S", help="Which score.")] = "bic",
    ess: Ess = None,
    prior: Prior = False,
    max_parents: Annotated[
        int | None, typer.Option("--max-parents", metavar="K", help="The largest parent set; no limit by default.")
    ] = None,
    seconds: Annotated[float | None, typer.Option("--seconds", metavar="T", help="Time for all variables.")] = None,
    seconds_per_variable: Annotated[
        float | None, typer.Option("--seconds-per-variable", metavar="T", help="Time for each variable.")
    ] = None,
    evaluations: Annotated[
        int | None,
        typer.Option("--evaluations", metavar="E", help="Families scored; the result depends on nothing else."),
    ] = None,
    max_sets: Annotated[
        int | None, typer.Option("--max-sets", metavar="M", help="The most sets kept of a variable; all by default.")
    ] = None,
    candidates: Annotated[
        int | None,
        typer.Option("--candidates", metavar="C", help="Partners: of all sets (sequential), of grown ones (auto)."),
    ] = None,
    memory: Annotated[
        int | None, typer.Option("--memory", metavar="BYTES", help="What the selection may keep; 4 GiB by default.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", metavar="N", help="How many threads; all cores by default.")
    ] = None,
    no_header: NoHeader = False,
    discretize: Discretize = None,
    as_json: Json = False,
) -> None:
    """
    Score candidate parent sets for the searches over orderings.

    Sets that a subset matches or beats are left out: no network ever needs them. Ctrl-C ends the work, and the sets
    found so far are written.

    Examples
    --------
    bnsearch parents table.csv -o table.jkl
    bnsearch parents table.csv -o table.jkl --select sequential --max-parents 3
    bnsearch parents table.csv -o table.jkl.gz --score bdeu --ess 10 --seconds 60
    """
    from bnsearch._tools.files import check_writable
    from bnsearch.cli.progress import scoring_progress
    from bnsearch.cli.saving import check_apart
    from bnsearch.data import Dataset
    from bnsearch.parent_sets.jkl import write_scores
    from bnsearch.scores import make_score
    from bnsearch.selection.named import make_selection

    options = {
        "seconds": seconds,
        "seconds_per_variable": seconds_per_variable,
        "evaluations": evaluations,
        "max_parents": max_parents,
        "max_sets": max_sets,
        "candidates": candidates,
        "memory": memory,
    }
    builder = make_selection(select, **{name: value for name, value in options.items() if value is not None})
    chosen = make_score(score, **score_parameters(ess, prior))
    check_apart([data], output)
    check_writable(output)
    dataset = Dataset.read(data, header=not no_header, discretize=discretize)
    with scoring_progress() as progress:
        selection = builder.select(dataset, chosen, threads=threads, progress=progress)
    write_scores(selection.table, output)
    if as_json:
        print_json(_facts(selection) | {"per_variable": [report._asdict() for report in selection.per_variable]})
    else:
        _show(selection)
    for line in selection.notes:
        note(f"note: {line}")
    note(f"{'interrupted: ' if selection.stop == 'interrupted' else ''}wrote {output}")


def _facts(selection: Selection) -> dict[str, object]:
    """Return a selection's facts for machines."""
    from bnsearch.parent_sets.relaxed import relaxed

    return {
        "variables": selection.table.n_variables,
        "sets": selection.kept,
        "scored": selection.scored,
        "pruned": selection.pruned,
        "max_parents": selection.table.max_parents,
        "exhaustive": selection.exhaustive,
        "bound": relaxed(selection.table).score,
        "seconds": selection.seconds,
        "stop": selection.stop,
        "notes": list(selection.notes),
    }


def _show(selection: Selection) -> None:
    """Print a selection's facts for people."""
    made = table("candidate parent sets", "")
    names = {"exhaustive": "exhaustive up to parents", "bound": "upper bound over these sets", "stop": "stopped by"}
    for key, value in _facts(selection).items():
        if key != "notes":
            made.add_row(names.get(key, key.replace("_", " ")), _text(value))
    show(made)


def _text(value: object) -> str:
    return f"{value:,.3f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)
