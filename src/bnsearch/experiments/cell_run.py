"""The run of one cell: from its settings to the content of its result file."""

from __future__ import annotations

import math
import time
from functools import lru_cache
from typing import Any

from bnsearch._tools.memory import parse_memory
from bnsearch.errors import InputError
from bnsearch.experiments.cells import CELL_FORMAT, Cell
from bnsearch.experiments.peak_memory import measure_memory
from bnsearch.experiments.programs import ProgramEntry, run_program
from bnsearch.experiments.selected_tables import describe_selection, find_selection, make_problem
from bnsearch.experiments.sources import Material, Source
from bnsearch.experiments.stop_request import StopOnRequest
from bnsearch.graphs.compare import compare
from bnsearch.learning.learn import learn
from bnsearch.learning.methods import has_end
from bnsearch.learning.search import search
from bnsearch.networks import fit
from bnsearch.runs.problem import Problem
from bnsearch.runs.quality import relative_score
from bnsearch.runs.result import Result
from bnsearch.runs.stop import AnyOf, Converged, Seconds, Stop
from bnsearch.runs.trace import Trace
from bnsearch.selection.report import Selection

MAX_POINTS = 1_000  # points of a trace in a result file; of longer traces every k-th point is kept
HELD_OUT_ESS = 1.0  # equivalent sample size of the tables with which held-out rows are scored
INTERRUPTED = ("interrupted", "terminated")  # reasons to stop with which a cell is not finished
Record = dict[str, Any]


def perform_cell(cell: Cell, halted: StopOnRequest | None = None) -> Record | None:
    """
    Run a cell and return the content of its result file; None if the run was interrupted.

    An error of the cell is part of its record. This function also runs on workers.
    """
    began = time.perf_counter()
    record: Record = {"format": CELL_FORMAT, "cell": cell.describe(), "settings": cell.identify()}
    try:
        found = run_cell(cell, halted)
    except Exception as error:  # one cell must not end the experiment
        if halted is not None and halted.is_halted():
            return None
        found = {"error": describe_error(error)}
    if found is None:
        return None
    from bnsearch import __version__

    return record | {"version": __version__, "wall_seconds": time.perf_counter() - began} | found


def describe_error(error: BaseException) -> str:
    """Return an error in one line."""
    text = " ".join(str(error).split())
    return text if isinstance(error, InputError) and text else f"{type(error).__name__}: {text}".rstrip(": ")


def run_cell(cell: Cell, halted: StopOnRequest | None) -> Record | None:
    """Return the result of a cell and what is measured on it; None if the run was interrupted."""
    material = load_material(cell.source, cell.threads)
    with measure_memory() as meter:
        selection = find_selection(cell, material, halted)
        result = find_network(cell, material, selection, halted)
    if result.stop in INTERRUPTED or (halted is not None and halted.is_halted()):
        return None
    facts = describe_result(result, find_empty_score(cell, material, result)) | {"memory": meter.mebibytes}
    found: Record = {"result": facts, "size": describe_size(material)}
    notes = list(result.notes)
    if material.truth is not None:
        found["comparison"] = compare(material.truth, result.dag).as_dict()
    if material.held_out is not None:
        facts["held_out"] = score_held_out(result, material, notes)
    if selection is not None:
        found["selection"] = describe_selection(selection)
    if len(result.climbs):
        found["climbs"] = describe_climbs(result)
    return found | {"notes": notes, "edges": result.dag.edges, "trace": describe_trace(result.trace)}


def find_network(cell: Cell, material: Material, selection: Selection | None, halted: StopOnRequest | None) -> Result:
    """Run the method of a cell; a table that the plan selects was selected before the clock starts."""
    seconds = cell.budget.seconds
    if isinstance(cell.method, ProgramEntry):
        assert material.data is not None and cell.score is not None
        score, name = cell.score.make_score(), cell.score.name
        return run_program(
            cell.method, material.data, score, name, seconds=seconds, seed=cell.seed, threads=cell.threads
        )
    method = cell.method.make_method()
    memory = None if cell.memory is None else parse_memory(cell.memory)
    rules: list[Stop] = [*cell.budget.make_rules(), *([] if halted is None else [halted])]
    if cell.budget.is_unlimited and not has_end(method):
        rules.append(Converged())
    if material.data is not None and cell.score is not None and selection is None:
        return learn(
            material.data,
            method=method,
            score=cell.score.make_score(),
            seconds=seconds,
            seed=cell.seed,
            max_parents=cell.method.max_parents,
            threads=cell.threads,
            memory=memory,
            stop=AnyOf(tuple(rules)) if rules else None,
        )
    stop = AnyOf((*rules, *([] if seconds is None else [Seconds(seconds)])))
    problem = make_problem(cell, material, selection)
    return search(problem, method, stop=stop, seed=cell.seed, threads=cell.threads, memory=memory)


@lru_cache(maxsize=2)
def load_material(source: Source, threads: int) -> Material:
    """Return the material of a source; the last ones are kept, because several cells use them."""
    return source.load(threads)


def find_empty_score(cell: Cell, material: Material, result: Result) -> float:
    """Return the score of the network without edges, which some methods do not compute."""
    if result.empty_score is not None:
        return result.empty_score
    if material.data is None or cell.score is None:
        return Problem(table=material.table).empty_score
    return Problem(data=material.data, score=cell.score.make_score()).empty_score


def describe_result(result: Result, empty_score: float) -> Record:
    """Return the numbers of a result as JSON values."""
    return {
        "score": result.score,
        "relative_score": float(relative_score(result.score, empty_score)),
        "bound": result.bound,
        "gap": result.gap,
        "scope": str(result.scope),
        "optimal": result.optimal,
        "stop": result.stop,
        "seconds": result.seconds,
        "iterations": result.iterations,
        "evaluations": result.evaluations,
        "computed": result.computed,
        "families": result.families,
        "n_edges": len(result.dag.edges),
        "empty_score": empty_score,
    }


def describe_size(material: Material) -> Record:
    """Return the size of a table or score file."""
    data, table, truth = material.data, material.table, material.truth
    names = data.names if data is not None else table.names if table is not None else ()
    return {
        "variables": len(names),
        "rows": None if data is None else data.n_rows,
        "sets": None if table is None else table.n_sets,
        "true_edges": None if truth is None else len(truth.edges),
        "held_out_rows": None if material.held_out is None else material.held_out.n_rows,
    }


def describe_climbs(result: Result) -> Record:
    """Return the means of all climbs; scores are relative to the network without edges."""
    climbs, empty = result.climbs, result.empty_score or 0.0
    return {
        "number": len(climbs),
        "initial": float(relative_score(climbs.initial, empty).mean()),
        "final": float(relative_score(climbs.final, empty).mean()),
        "steps": float(climbs.steps.mean()),
    }


def describe_trace(trace: Trace) -> list[list[float]]:
    """Return the points of a trace: seconds, iterations, evaluations, score; at most about MAX_POINTS."""
    points = [[round(p.seconds, 6), p.iterations, p.evaluations, p.score] for p in trace if math.isfinite(p.score)]
    step = math.ceil(len(points) / MAX_POINTS)
    return points if step <= 1 else [*points[:-1:step], points[-1]]


def score_held_out(result: Result, material: Material, notes: list[str]) -> float | None:
    """Return the mean log-likelihood of the held-out rows; None and a note if they have unknown states."""
    assert material.data is not None and material.held_out is not None
    try:
        network = fit(result.dag, material.data, ess=HELD_OUT_ESS)
        return network.log_likelihood(material.held_out) / material.held_out.n_rows
    except InputError as error:
        notes.append(f"no held-out log-likelihood: {error}")
        return None
