"""`bnsearch search`: the best network over candidate parent sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bnsearch.cli.completion import complete_method
from bnsearch.cli.options import (
    CertificateFile,
    CheckpointFolder,
    IterationsLimit,
    Json,
    KnowledgeFile,
    LogFile,
    NetworkFile,
    ParentSetsFile,
    ReportFile,
    Restart,
    Seed,
    Settings,
    TargetScore,
    Threads,
    TraceFile,
    Within,
    combine_rules,
    parse_settings,
)

if TYPE_CHECKING:
    from bnsearch.runs.stop import Stop

SECONDS = 60.0  # time budget if no other option ends the search


def search(
    sets: Annotated[Path, typer.Argument(metavar="SETS", help="Candidate parent sets: .jkl, or with .gz.")],
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="M",
            help="A method of `bnsearch methods` that needs a candidate table; auto, or rinobs with --start or --set.",
            autocompletion=complete_method,
        ),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds",
            metavar="T",
            help="Time budget in seconds; by default 60, or none if another option ends the search.",
        ),
    ] = None,
    iterations: IterationsLimit = None,
    target: TargetScore = None,
    seed: Seed = None,
    start: Annotated[
        str | None, typer.Option("--start", metavar="S", help="Where to start: random, dfs or fas.")
    ] = None,
    knowledge: KnowledgeFile = None,
    settings: Settings = None,
    data: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="DATA", help="The table of the sets, for probabilities: in .bif, .net, .json, .html."
        ),
    ] = None,
    output: NetworkFile = None,
    report: ReportFile = None,
    trace: TraceFile = None,
    threads: Threads = None,
    within: Within = None,
    certificate: CertificateFile = None,
    parents: ParentSetsFile = None,
    checkpoint: CheckpointFolder = None,
    restart: Restart = False,
    log_json: LogFile = None,
    as_json: Json = False,
) -> None:
    """
    Search for the best network over candidate parent sets.

    The default method searches exactly if that fits into the time budget, and otherwise over orderings.

    Ctrl-C or SIGTERM stops the search and keeps the best network so far; a second one quits.

    Examples
    --------
    bnsearch parents table.csv -o table.jkl
    bnsearch search table.jkl --seconds 10 --seed 1 -o best.dot
    bnsearch search table.jkl --data table.csv -o best.bif --report best.html
    bnsearch search table.jkl --method minobs --set population=10 --iterations 50 --json
    """
    from bnsearch.cli.results import deliver_result
    from bnsearch.cli.run_options import RunOptions
    from bnsearch.cli.saving import Outputs
    from bnsearch.data import Dataset
    from bnsearch.knowledge import Knowledge
    from bnsearch.learning.methods import make_method
    from bnsearch.learning.search import search as run_search
    from bnsearch.parent_sets.jkl import read_scores
    from bnsearch.runs.problem import Problem

    given = [f"start={start}"] if start is not None else []
    parameters = parse_settings([*given, *(settings or [])])
    chosen = make_method(method or ("rinobs" if parameters else "auto"), **parameters)
    stop = _stopping_rule(chosen.name, seconds, iterations, target)
    files = (sets, knowledge, data, checkpoint)
    outputs = Outputs(output, trace, certificate, parents, report, log_json, tables=data is not None, inputs=files)
    known = None if knowledge is None else Knowledge.read(knowledge)
    problem = Problem(table=read_scores(sets, threads=threads, knowledge=known), knowledge=known)
    dataset = None if data is None else Dataset.read(data).select(problem.names)
    options = RunOptions(
        seed=seed, threads=threads, within=within, checkpoint=checkpoint, restart=restart, log=log_json
    )
    result = options.run(run_search, problem, chosen, stop=stop)
    deliver_result(result, outputs, dataset, as_json=as_json, quiet=options.is_silent)


def _stopping_rule(method: str, seconds: float | None, iterations: int | None, target: float | None) -> Stop | None:
    """Return the rule of the options; exact search and a number of iterations need no time limit."""
    from bnsearch.runs.stop import Seconds

    rule = combine_rules(iterations, target)
    if seconds is None and (iterations is not None or method == "exact"):
        return rule
    time = Seconds(SECONDS if seconds is None else seconds)
    return time if rule is None else rule | time
