"""Output of a result: its files, and a JSON object or a table on the console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bnsearch.cli.console import note, print_json, show, table
from bnsearch.cli.failures import output_protected
from bnsearch.cli.graphs import describe_size

if TYPE_CHECKING:
    from bnsearch.cli.saving import Outputs
    from bnsearch.data import Dataset
    from bnsearch.runs.result import Result


WITH_BOUND = "auto", "exact"  # methods that compute an upper bound


def deliver_result(
    result: Result, outputs: Outputs, data: Dataset | None = None, *, as_json: bool, quiet: bool = False
) -> None:
    """
    Write the files of a result, then print the result.

    Files are written before results are printed: the reader of a pipe may already have exited. If a file cannot be
    written, the error is raised after printing, so that the result is not lost.
    """
    with output_protected(result.stop):
        lines, failure = outputs.write(result, data)
        if as_json:
            print_json(make_result_facts(result))
        elif not quiet:
            show_result(result)
        if failure is not None:
            raise failure
        if not quiet and not as_json and not lines:
            lines = ["no file was written: -o network.bif writes the network, --report report.html a page about it"]
        for line in [] if quiet else lines:
            note(line)


def make_result_facts(result: Result) -> dict[str, Any]:
    """Return a result as a JSON object; edges are pairs [parent, child] of names."""
    from bnsearch import __version__

    return {
        "score": result.score,
        "edges": [list(edge) for edge in result.dag.edges],
        "method": result.method,
        "parameters": result.parameters,
        "seed": result.seed,
        "seconds": result.seconds,
        "iterations": result.iterations,
        "evaluations": result.evaluations,
        "families": result.families,
        "bound": result.bound,
        "gap": result.gap,
        "relative_score": result.relative_score,
        "scope": str(result.scope),
        "optimal": result.optimal,
        "stop": result.stop,
        "near_optimal": _make_near_facts(result),
        "notes": list(result.notes),
        "version": __version__,
    }


def _make_near_facts(result: Result) -> dict[str, Any] | None:
    """Return the networks near the optimum as a JSON object."""
    near = result.near_optimal
    if near is None:
        return None
    return {
        "factor": near.factor,
        "count": near.count,
        "complete": near.is_complete,
        "classes": len(near.classes),
        "networks": [
            {"score": score, "edges": [list(edge) for edge in dag.edges]}
            for score, dag in zip(near.scores.tolist(), near.networks, strict=True)
        ],
    }


def show_result(result: Result) -> None:
    """Print a result as a table."""
    from bnsearch.runs.quality import describe_proof

    rows = table("best network", describe_size(result.dag))
    rows.add_row("score", f"{result.score:,.6f}")
    if result.optimal:
        rows.add_row("optimal", describe_proof(result.scope))
    elif result.bound is not None and result.gap is not None:
        within = "" if result.scope.is_complete else " within its scope"
        rows.add_row("upper bound", f"{result.bound:,.6f} (gap {100 * result.gap:.3g}%{within})")
    else:
        rows.add_row(
            "upper bound", "not known" if result.method in WITH_BOUND else "none, only auto and exact have one"
        )
    if result.bound is not None:
        rows.add_row("scope of the bound", str(result.scope))
        if not result.scope.is_complete:
            rows.add_row("other networks", "may score higher: the bound does not cover them")
    if result.near_optimal is not None:
        near = result.near_optimal
        count = f"{'' if near.is_complete else 'at least '}{near.count:,} networks"
        listed = "" if len(near.networks) == near.count else f" among the {len(near.networks):,} listed"
        rows.add_row(
            f"within a factor of {near.factor:g}",
            f"{count}, {len(near.classes):,} class{'' if len(near.classes) == 1 else 'es'}{listed}",
        )
    rows.add_row("method", result.method)
    rows.add_row("seed", str(result.seed))
    rows.add_row("iterations", f"{result.iterations:,}")
    rows.add_row("evaluations", f"{result.evaluations:,}")
    rows.add_row("seconds", f"{result.seconds:,.2f}")
    rows.add_row("stopped by", result.stop)
    show(rows, *result.notes)
