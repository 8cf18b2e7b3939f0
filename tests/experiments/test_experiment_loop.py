"""The loop over cells: continuation, changed plans, failures, lost workers, and the folder of results."""

from __future__ import annotations

import json
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from bnsearch._tools.locks import try_file_lock
from bnsearch._tools.wording import describe_duration
from bnsearch.distributed.workers import ProcessWorkers, Workers
from bnsearch.errors import InputError
from bnsearch.experiments import experiment, run_experiment
from bnsearch.experiments.cell_queue import LOST, CellQueue
from bnsearch.experiments.cells import list_cells
from bnsearch.experiments.experiment import list_progress
from bnsearch.experiments.remaining_time import RemainingTime
from experiment_plans import SMALL, make_plan, write_plan

FAST = SMALL.replace("sample_seeds = [1, 2]", "sample_seeds = 1").replace("[100, 200]", "100")


def count_files(folder) -> int:
    """Return the number of result files."""
    return len(list((folder / "results").glob("*.json")))


def test_all_cells_run_once(tmp_path):
    """A second call runs nothing, and leaves the files as they are."""
    path = write_plan(tmp_path, FAST)
    first = run_experiment(path, tmp_path / "out")
    assert (first.total, first.done, first.failed, first.reused, first.stop) == (4, 4, 0, 0, None)
    before = {file: file.stat().st_mtime_ns for file in (tmp_path / "out" / "results").iterdir()}
    second = run_experiment(path, tmp_path / "out")
    assert (second.done, second.reused) == (4, 4)
    assert before == {file: file.stat().st_mtime_ns for file in (tmp_path / "out" / "results").iterdir()}


def test_changed_plan_runs_only_new_cells(tmp_path):
    """One more seed adds two cells; the results of the others are used."""
    run_experiment(make_plan(tmp_path, FAST), tmp_path / "out")
    more = run_experiment(make_plan(tmp_path, FAST.replace("[1, 2]", "[1, 2, 3]")), tmp_path / "out")
    assert (more.total, more.reused) == (6, 4)


def test_damaged_files_run_again(tmp_path):
    """A result file that is cut or empty counts as missing; leftovers of a killed process are removed."""
    plan, out = make_plan(tmp_path, FAST), tmp_path / "out"
    run_experiment(plan, out)
    cut, empty, *_ = sorted((out / "results").glob("*.json"))
    content = cut.read_text()
    cut.write_text(content[: len(content) // 2])
    empty.write_text("{}")
    (out / "results" / ".0a1b2c3d.leftover.json").write_text("{")
    assert run_experiment(plan, out).reused == 2
    assert count_files(out) == 4
    assert not list((out / "results").glob(".*.json"))
    assert json.loads(cut.read_text())["result"]["score"] == json.loads(content)["result"]["score"]


def fail_with_seed_2(cell, halted=None):
    """Run a cell, but fail with seed 2."""
    from bnsearch.experiments.cell_run import perform_cell

    if cell.seed == 2:
        raise RuntimeError("no\nluck")
    return perform_cell(cell, halted)


def test_failed_cells(tmp_path, monkeypatch):
    """A failure is recorded and does not stop the others; it runs again only on request."""
    plan, out = make_plan(tmp_path, FAST), tmp_path / "out"
    monkeypatch.setattr(experiment, "perform_cell", fail_with_seed_2)
    end = run_experiment(plan, out)
    assert (end.done, end.failed) == (4, 2)
    assert end.failures[0] == "hillclimb on asia/100, sample 1, bic, 3 iterations, seed 2: RuntimeError: no luck"
    monkeypatch.undo()
    assert run_experiment(plan, out).failed == 2
    again = run_experiment(plan, out, retry=True)
    assert (again.failed, again.reused) == (0, 2)


def test_threads_give_the_same_results(tmp_path):
    """Four cells at a time find the same scores as one."""
    plan = make_plan(tmp_path)
    run_experiment(plan, tmp_path / "one")
    run_experiment(plan, tmp_path / "four", jobs=4)
    for file in (tmp_path / "one" / "results").iterdir():
        one, four = (json.loads((tmp_path / name / "results" / file.name).read_text()) for name in ("one", "four"))
        assert (one["result"]["score"], one["edges"]) == (four["result"]["score"], four["edges"])


def test_processes(tmp_path):
    """Cells run in processes; each record is written by this process."""
    with ProcessWorkers(1) as workers:
        end = run_experiment(make_plan(tmp_path, FAST), tmp_path / "out", executor=workers)
    assert (end.done, end.failed) == (4, 0)


def end_with_seed(cell, number):
    """End the process of a cell with a seed; other cells return a record."""
    if cell.seed == number:
        os._exit(1)
    time.sleep(0.05)
    return {"cell": cell.describe(), "result": {}}


def test_lost_worker_is_blamed_on_its_cell(tmp_path):
    """Of four cells on two processes, the one that ends its process fails; the others have results."""
    cells = [cell for cell in list_cells(make_plan(tmp_path, FAST)) if cell.method.label == "hillclimb"]
    cells += list_cells(make_plan(tmp_path, FAST.replace("[1, 2]", "[3, 4]")))[:2]
    with ProcessWorkers(2) as workers:
        queue, found = CellQueue(workers, partial(end_with_seed, number=2), cells), {}
        while len(queue):
            found |= {cell.seed: record for cell, record in queue.take(1.0)}
    assert sorted(found) == [1, 2, 3, 4]
    assert [seed for seed, record in found.items() if "error" in record] == [2]
    assert found[2]["error"] == LOST


def test_signal_ends_the_experiment(tmp_path, monkeypatch):
    """SIGTERM ends the running cell without a record; finished cells stay, and the same call continues."""
    plan, out = make_plan(tmp_path, FAST), tmp_path / "out"
    began = []

    def slow(cell, halted=None):
        began.append(cell)
        if len(began) == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            while not halted.is_halted():
                time.sleep(0.01)
            return None
        return fail_with_seed_2(cell, halted) if cell.seed != 2 else {"cell": cell.describe(), "error": "x"}

    monkeypatch.setattr(experiment, "perform_cell", slow)
    end = run_experiment(plan, out)
    assert (end.stop, end.done) == ("terminated", 2)
    monkeypatch.undo()
    assert run_experiment(plan, out).done == 4
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def test_one_process_at_a_time(tmp_path):
    """A folder that another process uses is refused; so is a folder with other files."""
    plan, out = make_plan(tmp_path, FAST), tmp_path / "out"
    out.mkdir()
    with try_file_lock(out / "experiment.lock") as held:
        assert held
        with pytest.raises(InputError, match="another process runs the experiment"):
            run_experiment(plan, out)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="has other files"):
        run_experiment(plan, tmp_path / "full")
    with pytest.raises(InputError, match="is a file"):
        run_experiment(plan, tmp_path / "plan.toml")


def test_interrupted_worker_runs_again(tmp_path):
    """A worker that returns no record, because a signal has stopped its run, gets the cell again."""
    cells, calls = list_cells(make_plan(tmp_path, FAST)), []

    def perform(cell):
        calls.append(cell.key)
        return None if len(calls) == 1 else {"cell": cell.describe(), "result": {}}

    with ThreadPoolExecutor(2) as executor:
        queue, found = CellQueue(Workers(executor), perform, cells), []
        while len(queue):
            found += queue.take(1.0)
    assert len(found) == 4
    assert len(calls) == 5


def test_remaining_time(tmp_path):
    """Nothing is known at first; then similar cells count, and the time budget of cells that have one."""
    cells = list_cells(make_plan(tmp_path, FAST))
    times = RemainingTime()
    assert times.estimate(cells, 1) is None
    times.add(cells[0], 2.0)
    assert times.estimate(cells, 1) == pytest.approx(8.0)
    times.add(cells[2], 10.0)  # the other method
    assert times.estimate(cells, 1) == pytest.approx(24.0)
    assert times.estimate(cells, 2) == pytest.approx(12.0)
    timed = list_cells(make_plan(tmp_path, FAST.replace("iterations = 3", "seconds = 5")))
    assert RemainingTime().estimate(timed, 1) == pytest.approx(4 * 5.2)


def test_progress_in_words():
    """One line with the number of cells, failures and the remaining time."""
    progress = experiment.ExperimentProgress(total=1200, done=30, failed=2, seconds_left=600.0)
    assert ", ".join(list_progress(progress)) == "30 of 1,200 cells, 2 failed, about 10 min left"
    assert [describe_duration(s) for s in (0.1, 80, 100, 9000, 200_000)] == [
        "0 s",
        "80 s",
        "2 min",
        "2.5 h",
        "2.3 days",
    ]
