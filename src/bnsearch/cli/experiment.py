"""`bnsearch experiment`: methods on tables over seeds, from a plan to a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bnsearch.cli.console import note, print_json
from bnsearch.cli.failures import INTERRUPTED, TERMINATED
from bnsearch.cli.json_log import STDERR, open_log
from bnsearch.cli.options import DaskAddress, Json, LogFile, Quiet
from bnsearch.cli.saving import check_apart
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.experiments.experiment import ExperimentProgress
    from bnsearch.experiments.plan import Plan

MAX_FAILURES = 10  # number of failed cells that are listed


def experiment(
    plan: Annotated[Path | None, typer.Argument(metavar="PLAN", help="The plan: a .toml file.")] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FOLDER", help="Folder of the results and the report.")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", metavar="N", help="Run N cells at a time, in processes.")
    ] = None,
    dask: DaskAddress = None,
    jobs: Annotated[
        int, typer.Option("--jobs", metavar="N", help="Run N cells at a time, in threads of this process.")
    ] = 1,
    retry: Annotated[bool, typer.Option("--retry", help="Run failed cells again.")] = False,
    small: Annotated[
        bool, typer.Option("--small", help="Run the small version of the plan, which its table [small] describes.")
    ] = False,
    check: Annotated[bool, typer.Option("--check", help="Check the plan and count its cells; run nothing.")] = False,
    report_only: Annotated[
        bool, typer.Option("--report-only", help="Write the report of FOLDER again; run nothing.")
    ] = False,
    quiet: Quiet = False,
    log_json: LogFile = None,
    as_json: Json = False,
) -> None:
    """
    Run an experiment: every method of a plan on every table, with every score, budget and seed.

    Each run is a cell with a result file of its own. The same command continues an interrupted experiment, and a
    changed plan runs only its new cells. The report is FOLDER/report.html and FOLDER/report.md.

    docs/experiments.md describes plans. Ctrl-C or SIGTERM stops; finished cells are kept.

    Examples
    --------
    bnsearch experiment plan.toml -o results
    bnsearch experiment plan.toml -o results --workers 4
    bnsearch experiment plan.toml --check
    bnsearch experiment --report-only -o results
    """
    if output is None and not check:
        raise InputError("--output is missing: give a folder for the results, such as -o results")
    if plan is None and not report_only:
        raise InputError("the plan is missing: give a file, such as plan.toml (docs/experiments.md describes it)")
    check_apart([plan], None if log_json == STDERR else log_json)
    quiet = quiet or log_json == STDERR
    facts: dict[str, object] = {}
    if not report_only:
        assert plan is not None
        read, folder = _read_plan(plan, small), None if check else output
        facts |= _run(read, folder, workers, dask, jobs, retry=retry, quiet=quiet, log_file=log_json)
    if not check:
        assert output is not None
        facts |= _report(output, quiet=quiet)
    if as_json:
        print_json(facts)


def _run(
    plan: Plan,
    output: Path | None,
    workers: int | None,
    dask: str | None,
    jobs: int,
    *,
    retry: bool,
    quiet: bool,
    log_file: Path | None,
) -> dict[str, object]:
    """Run the cells of a plan; without a folder, only count them. Return facts for JSON."""
    from bnsearch.cli.experiment_progress import show_experiment
    from bnsearch.cli.run_options import start_workers
    from bnsearch.experiments.cells import list_cells
    from bnsearch.experiments.experiment import run_experiment

    if output is None:
        number = len({cell.key for cell in list_cells(plan)})
        if not quiet:
            note(f"the plan is valid: {number:,} cells")
        return {"cells": number}
    with open_log(log_file) as log, start_workers(workers, dask) as executor, show_experiment(quiet=quiet) as show:

        def observe(progress: ExperimentProgress) -> None:
            show(progress)
            log.observe_cells(progress)

        end = run_experiment(plan, output, executor=executor, jobs=jobs, retry=retry, observer=observe)
        log.finish_experiment(end)
    if not quiet:
        _describe_end(end)
    if end.stop is not None:
        if log_file != STDERR:
            note(f"{end.stop}: {end.done:,} of {end.total:,} cells are finished; the same command continues")
        raise typer.Exit(TERMINATED if end.stop == "terminated" else INTERRUPTED)
    return {"cells": end.total, "failed": end.failed, "reused": end.reused}


def _read_plan(path: Path, small: bool) -> Plan:
    """Return a plan; each error of an invalid plan is printed on its own line."""
    from bnsearch.experiments.plan_reader import read_plan
    from bnsearch.experiments.sections import PlanError

    try:
        return read_plan(path, small=small)
    except PlanError as error:
        if len(error.errors) == 1:
            raise
        for number, text in enumerate(error.errors, start=1):
            note(f"{number}. {text}")
        raise InputError(f"{path} has {len(error.errors)} errors, listed above; nothing was run") from None


def _report(folder: Path, *, quiet: bool) -> dict[str, object]:
    """Write the report of a folder; return facts for JSON."""
    from bnsearch.experiments.report import write_report

    files = write_report(folder)
    for file in files if not quiet else ():
        note(f"wrote {file}")
    return {"report": [str(file) for file in files]}


def _describe_end(end: ExperimentProgress) -> None:
    """Print the number of cells and the failures."""
    new = end.done - end.reused
    note(f"{end.done:,} of {end.total:,} cells are finished, {new:,} of them in this run; {end.failed:,} failed")
    for text in end.failures[:MAX_FAILURES]:
        note(f"  {text}")
    if end.failed > MAX_FAILURES:
        note(f"  and {end.failed - MAX_FAILURES:,} more, listed in the report")
