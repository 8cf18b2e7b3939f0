"""`bnsearch learn`: from a table to a network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from bnsearch.cli.console import note
from bnsearch.cli.options import (
    CertificateFile,
    CheckpointFolder,
    DaskAddress,
    Data,
    Discretize,
    Ess,
    IterationsLimit,
    Json,
    KnowledgeFile,
    LogFile,
    MaxParents,
    Memory,
    MethodName,
    NetworkFile,
    NoHeader,
    ParentSetsFile,
    Prior,
    Quiet,
    ReportFile,
    Restart,
    ScoreName,
    Seed,
    Settings,
    StartNetwork,
    TableEss,
    TargetScore,
    Threads,
    TraceFile,
    Within,
    WorkerCount,
    collect_score_parameters,
    combine_rules,
    parse_settings,
)

if TYPE_CHECKING:
    from bnsearch.data import Dataset

MAX_NOTED_COLUMNS = 10
Seconds = Annotated[
    float,
    typer.Option(
        "--seconds",
        metavar="T",
        help="Time budget of the search, without loading data and kernels; inf: to the method's end, or convergence.",
    ),
]


def learn(
    data: Data,
    method: MethodName = "auto",
    score: ScoreName = "bic",
    ess: Ess = None,
    prior: Prior = False,
    seconds: Seconds = 60.0,
    iterations: IterationsLimit = None,
    target: TargetScore = None,
    seed: Seed = None,
    max_parents: MaxParents = None,
    knowledge: KnowledgeFile = None,
    settings: Settings = None,
    start: StartNetwork = None,
    output: NetworkFile = None,
    table_ess: TableEss = 0.0,
    report: ReportFile = None,
    trace: TraceFile = None,
    threads: Threads = None,
    workers: WorkerCount = None,
    dask: DaskAddress = None,
    memory: Memory = None,
    no_header: NoHeader = False,
    discretize: Discretize = None,
    quiet: Quiet = False,
    within: Within = None,
    certificate: CertificateFile = None,
    parents: ParentSetsFile = None,
    checkpoint: CheckpointFolder = None,
    restart: Restart = False,
    log_json: LogFile = None,
    as_json: Json = False,
) -> None:
    """
    Learn a network from a table: the one with the highest score found within the time budget.

    Ctrl-C or SIGTERM stops the search and keeps the best network so far; a second signal ends the program. With
    --checkpoint, the same command continues an interrupted run.

    Examples
    --------
    bnsearch learn table.csv -o network.bif
    bnsearch learn table.csv --seconds 10 --score bdeu --ess 10 --json
    bnsearch learn table.csv --seconds 600 --dask tcp://127.0.0.1:8786 -o network.bif
    bnsearch learn table.csv --discretize quantile:5 --knowledge tiers.json -o network.svg
    bnsearch learn table.csv --method ges --score bdeu --ess 10 --prior
    bnsearch learn table.csv --seconds 3600 --checkpoint run.bns -o network.bif
    bnsearch learn table.csv --seconds 10 --report report.html
    """
    from bnsearch.cli.graphs import load_dag
    from bnsearch.cli.results import deliver_result
    from bnsearch.cli.run_options import RunOptions, start_workers
    from bnsearch.cli.saving import Outputs
    from bnsearch.data import Dataset
    from bnsearch.learning.learn import learn as run_learn
    from bnsearch.learning.methods import make_method
    from bnsearch.scores import make_score

    chosen_method = make_method(method, **parse_settings(settings))
    chosen_score = make_score(score, **collect_score_parameters(ess, prior))
    rule = combine_rules(iterations, target)
    outputs = Outputs(
        output,
        trace,
        certificate,
        parents,
        report=report,
        log=log_json,
        table_ess=table_ess,
        inputs=(data, knowledge, start, checkpoint),
    )
    options = RunOptions(
        seed=seed, threads=threads, within=within, checkpoint=checkpoint, restart=restart, log=log_json, quiet=quiet
    )
    dataset = Dataset.read(data, header=not no_header, discretize=discretize)
    if discretize is not None and not (options.is_silent or as_json):
        note_intervals(dataset)
    with start_workers(workers, dask) as executor:
        result = options.run(
            run_learn,
            dataset,
            method=chosen_method,
            score=chosen_score,
            seconds=seconds,
            max_parents=max_parents,
            knowledge=knowledge,
            executor=executor,
            memory=memory,
            start=None if start is None else load_dag(start),
            stop=rule,
        )
    deliver_result(result, outputs, dataset, as_json=as_json, quiet=options.is_silent)


def note_intervals(table: Dataset) -> None:
    """Print the intervals of the columns that were divided, one column on each line."""
    from bnsearch.data.intervals import parse_intervals

    divided = [
        (name, states) for name, states in zip(table.names, table.states, strict=True) if parse_intervals(states)
    ]
    for name, states in divided[:MAX_NOTED_COLUMNS]:
        note(f"{name} is divided into {', '.join(states)}")
    if len(divided) > MAX_NOTED_COLUMNS:
        note(
            f"{len(divided) - MAX_NOTED_COLUMNS:,} more columns are divided: bnsearch show --tables prints their states"
        )
