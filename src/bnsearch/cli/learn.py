"""`bnsearch learn`: from a table to a network, in the time there is."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bnsearch.cli.console import note, print_json
from bnsearch.cli.options import (
    Data,
    Discretize,
    Ess,
    IterationsLimit,
    Json,
    KnowledgeFile,
    NoHeader,
    Prior,
    Seed,
    Settings,
    TargetScore,
    Threads,
    TraceFile,
    parsed,
    score_parameters,
    stop_rules,
)


def learn(
    data: Data,
    method: Annotated[
        str, typer.Option("--method", metavar="M", help="How to search; `bnsearch methods` lists them.")
    ] = "auto",
    score: Annotated[str, typer.Option("--score", metavar="S", help="What to maximise: bic, bdeu, aic, ...")] = "bic",
    ess: Ess = None,
    prior: Prior = False,
    seconds: Annotated[
        float,
        typer.Option("--seconds", metavar="T", help="Time for everything; inf: to the method's end, or convergence."),
    ] = 60.0,
    iterations: IterationsLimit = None,
    target: TargetScore = None,
    seed: Seed = None,
    max_parents: Annotated[
        int | None, typer.Option("--max-parents", metavar="K", help="The most parents of a variable.")
    ] = None,
    knowledge: KnowledgeFile = None,
    settings: Settings = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="NET", help="Write the network: .bif, .net, .json, .csv, .dot or .svg."),
    ] = None,
    trace: TraceFile = None,
    threads: Threads = None,
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory", metavar="SIZE", help="For tables and caches: 2GB; a quarter of the machine by default."
        ),
    ] = None,
    no_header: NoHeader = False,
    discretize: Discretize = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing for people but errors.")] = False,
    as_json: Json = False,
) -> None:
    """
    Learn the network of a table: the best-scoring one in the time there is.

    Ctrl-C stops at any moment and keeps the best network so far; a second one quits.

    Examples
    --------
    bnsearch learn table.csv -o network.bif
    bnsearch learn table.csv --seconds 10 --score bdeu --ess 10 --json
    bnsearch learn table.csv --discretize quantile:5 --knowledge tiers.json -o network.svg
    bnsearch learn table.csv --method ges --score bdeu --ess 10 --prior
    """
    from bnsearch.cli.progress import learn_progress
    from bnsearch.cli.results import result_facts, show_result
    from bnsearch.cli.saving import Outputs
    from bnsearch.data import Dataset
    from bnsearch.learning.learn import learn as run_learn
    from bnsearch.learning.methods import make_method
    from bnsearch.runs.stop import AnyOf
    from bnsearch.scores import make_score

    chosen = make_method(method, **parsed(settings))
    rules = stop_rules(iterations, target)
    outputs = Outputs(output, trace, inputs=(data, knowledge))
    scored = make_score(score, **score_parameters(ess, prior))
    table = Dataset.read(data, header=not no_header, discretize=discretize)
    with learn_progress(seconds, quiet) as (progress, observers):
        result = run_learn(
            table,
            method=chosen,
            score=scored,
            seconds=seconds,
            seed=seed,
            max_parents=max_parents,
            knowledge=knowledge,
            threads=threads,
            memory=memory,
            stop=AnyOf(tuple(rules)) if rules else None,
            observers=observers,
            progress=progress,
        )
    with outputs.written(result, table) as lines:
        if as_json:
            print_json(result_facts(result))
        elif not quiet:
            show_result(result)
    for line in [] if quiet else lines:
        note(line)
