"""Runs of single cells: what a result file has, and how failures and interrupts are recorded."""

from __future__ import annotations

import json
import math
import mmap
from itertools import combinations

import pytest

from bnsearch.experiments import cell_run
from bnsearch.experiments.cell_run import describe_error, describe_trace, perform_cell
from bnsearch.experiments.cells import list_cells
from bnsearch.experiments.measures import MEASURES, Best
from bnsearch.experiments.peak_memory import measure_memory
from bnsearch.experiments.stop_request import StopOnRequest
from bnsearch.graphs import DAG, compare
from bnsearch.networks import fit, load_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Progress
from bnsearch.runs.trace import Trace
from bnsearch.scores import make_score
from bnsearch.scores.scorer import Scorer
from experiment_plans import SMALL, make_plan

HELD_OUT = SMALL.replace('"shd"', '"shd", "held_out"').replace("rows =", "held_out = 50\nrows =")


def test_record_agrees_with_the_library(tmp_path):
    """Score, comparison and held-out log-likelihood are those of the network in the file."""
    cell = list_cells(make_plan(tmp_path, HELD_OUT))[0]
    record = perform_cell(cell)
    assert json.loads(json.dumps(record, allow_nan=False))["cell"]["key"] == cell.key
    asia, material = load_network("asia"), cell.source.load(1)
    dag = DAG.from_edges(asia.names, record["edges"])
    problem = Problem(data=material.data, score=make_score("bic"))
    result = record["result"]
    assert result["score"] == pytest.approx(problem.score_of(dag), rel=1e-9)
    assert result["empty_score"] == pytest.approx(problem.empty_score, rel=1e-9)
    gain = result["score"] - problem.empty_score
    assert result["relative_score"] == pytest.approx(gain / abs(problem.empty_score))
    assert record["comparison"] == compare(asia, dag).as_dict()
    expected = fit(dag, material.data, ess=1).log_likelihood(material.held_out) / 50
    assert result["held_out"] == pytest.approx(expected)
    assert record["size"] == {"variables": 8, "rows": 100, "sets": None, "true_edges": 8, "held_out_rows": 50}
    assert record["trace"][-1][3] == result["score"]


def test_same_cell_same_result(tmp_path):
    """Under a budget of iterations, a second run differs in its times and its memory only."""
    cell = list_cells(make_plan(tmp_path))[3]
    first, second = perform_cell(cell), perform_cell(cell)
    for record in (first, second):
        del record["wall_seconds"], record["result"]["seconds"], record["result"]["memory"]
        record["trace"] = [point[1:] for point in record["trace"]]
    assert first == second


def test_selection_and_climbs(tmp_path):
    """A method over a selected table; means over its climbs are in the record."""
    text = """
budgets = [{ iterations = 4 }]
methods = [{ name = "obs", selection = { name = "sequential", max_parents = 2 } }]
sources = [{ network = "asia", rows = 100 }]
"""
    (cell,) = list_cells(make_plan(tmp_path, text))
    record = perform_cell(cell)
    assert "error" not in record
    assert record["climbs"]["number"] == 4
    assert record["climbs"]["initial"] <= record["climbs"]["final"] <= record["result"]["relative_score"] + 1e-12
    assert perform_cell(cell)["result"]["score"] == record["result"]["score"]  # with the cached table
    assert record["selection"]["scored"] == 8 * (1 + 7 + 21)  # all sets of at most two of seven variables
    facts, graph = record["selection"], relaxed_by_definition(cell)
    assert (facts["max_in_degree"], facts["mean_in_degree"]) == (max(graph[1]), sum(graph[1]) / 8)
    assert facts["relaxed_score"] == pytest.approx(
        (graph[0] - record["result"]["empty_score"]) / -record["result"]["empty_score"]
    )


def relaxed_by_definition(cell):
    """Return the sum of the best local scores and the sizes of the best sets of at most two parents."""
    data = cell.source.load(1).data
    scorer = Scorer(data, make_score("bic"))
    best = []
    for child in range(data.n_variables):
        others = [v for v in range(data.n_variables) if v != child]
        sets = [s for size in range(3) for s in combinations(others, size)]
        best.append(max((scorer.family(child, s), -len(s)) for s in sets))
    return sum(score for score, _ in best), [-size for _, size in best]


def test_limit_on_parents(tmp_path):
    """`max_parents` limits the network."""
    text = SMALL.replace('"hillclimb"', '{ name = "hillclimb", max_parents = 1 }')
    record = perform_cell(list_cells(make_plan(tmp_path, text))[0])
    children = [child for _, child in record["edges"]]
    assert len(set(children)) == len(children) > 0


def test_failure_is_recorded(tmp_path, monkeypatch):
    """An unexpected error is one line in the record."""
    cell = list_cells(make_plan(tmp_path))[0]
    monkeypatch.setattr(cell_run, "learn", lambda *_, **__: 1 / 0)
    record = perform_cell(cell)
    assert record["error"] == "ZeroDivisionError: division by zero"
    assert "result" not in record
    assert describe_error(MemoryError()) == "MemoryError"


def test_interrupted_cell_has_no_record(tmp_path):
    """A cell that is halted returns nothing, so that it runs again."""
    cell = list_cells(make_plan(tmp_path))[0]
    assert perform_cell(cell, StopOnRequest(lambda: True)) is None
    assert StopOnRequest(lambda: False).reason(Progress()) is None


def test_long_traces_are_thinned():
    """Of 5,000 points about 1,000 are kept, the first and the last among them; infinite scores are dropped."""
    points = [Progress(seconds=i, iterations=i, score=i - 6000.0) for i in range(5000)]
    kept = describe_trace(Trace([Progress(), *points]))
    assert 999 <= len(kept) <= 1001
    assert (kept[0], kept[-1]) == ([0, 0, 0, -6000.0], [4999, 4999, 0, -1001.0])
    assert describe_trace(Trace(points[:10])) == [[i, i, 0, i - 6000.0] for i in range(10)]


def test_measures_of_a_record():
    """Regret, gap and time to target, by hand: the best score is -100 and the target 1 % below it."""
    record = {
        "result": {"score": -102.0, "gap": 0.05},
        "trace": [[0.5, 1, 1, -150.0], [2.0, 2, 2, -102.0], [9.0, 7, 7, -102.0]],
        "settings": {"budget": [60.0, None, None]},
    }
    best = Best(-100.0, 0.01)
    assert best.limit == -101.0
    assert MEASURES["regret"].compute(record, best) == pytest.approx(2.0)
    assert MEASURES["lead"].compute(record, best) is None  # there is no other method
    assert MEASURES["lead"].compute(record, Best(-100.0, 0.01, -100.0)) == pytest.approx(-2.0)
    assert MEASURES["lead"].compute(record, Best(-102.0, 0.01, -120.0)) == pytest.approx(15.0)
    assert MEASURES["gap"].compute(record, best) == pytest.approx(5.0)
    assert MEASURES["time_to_target"].compute(record, best) == math.inf
    assert MEASURES["time_to_target"].compute(record, Best(-100.0, 0.02)) == 2.0
    assert MEASURES["shd"].compute(record, best) is None
    assert MEASURES["best_iteration"].compute(record, best) == 2
    assert MEASURES["early_score"].compute(record, best) == -150.0  # after 0.6 s
    for seconds in (40.0, None):  # no network after 0.4 s; no time budget
        assert MEASURES["early_score"].compute(record | {"settings": {"budget": [seconds]}}, best) is None


def write_pages(size):
    """Write to all pages of new memory; an array could use pages that this process has already."""
    with mmap.mmap(-1, size) as memory:
        for begin in range(0, size, mmap.PAGESIZE):
            memory[begin] = 1


def test_memory_of_a_block():
    """Fifty mebibytes that are written in a block increase its peak; nested blocks are not measured."""
    with measure_memory() as before:
        pass
    with measure_memory() as meter:
        write_pages(50 * 2**20)
    if meter.mebibytes is None:
        pytest.skip("this system does not report the peak memory")
    assert meter.mebibytes >= before.mebibytes + 45
    with measure_memory() as outer, measure_memory() as inner:
        pass
    assert outer.mebibytes is None
    assert inner.mebibytes is None
