"""Tasks on workers: order, lost workers and missing data."""

from __future__ import annotations

import time
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from dataclasses import replace

import pytest

from bnsearch.distributed import parcels, task_queue
from bnsearch.distributed.parcels import ParcelFolder
from bnsearch.distributed.task_queue import MAX_LOSSES, TaskQueue, WorkersLost
from bnsearch.distributed.workers import Workers
from bnsearch.errors import BnsearchError, InputError


class Unreliable(Executor):
    """
    An executor that performs calls at once and loses some of them.

    Parameters
    ----------
    losses : for each call, the exception with which it is lost, or None; calls after the last one succeed
    """

    def __init__(self, *losses):
        self.losses = list(losses)
        self.calls = []

    def submit(self, function, call):
        """Perform or lose a call."""
        self.calls.append(call)
        future = Future()
        loss = self.losses.pop(0) if self.losses else None
        if loss is None:
            future.set_result(function(call))
        else:
            future.set_exception(loss)
        return future


def double(task, *values):
    """Return twice the task, and the values of its parcels."""
    time.sleep(0.001 * (task % 3))
    return (2 * task, *values)


def fail(task):
    """Raise the task."""
    raise task


@pytest.fixture
def notes():
    """Return the notes for the user."""
    return []


def queue_of(executor, notes):
    """Return a queue of an executor with one worker."""
    return TaskQueue(Workers(executor, number=1), notes.append)


def test_results_are_in_the_order_of_the_tasks(notes):
    """Tasks that end early do not come first."""
    with ThreadPoolExecutor(3) as executor, queue_of(executor, notes) as queue:
        assert queue.map(double, range(20)) == [(2 * i,) for i in range(20)]


def test_lost_work_is_repeated(notes):
    """Two of three calls are lost, each with an error of the executor; all results are there."""
    executor = Unreliable(RuntimeError("killed"), None, OSError("gone"))
    with queue_of(executor, notes) as queue:
        assert queue.map(double, range(3)) == [(0,), (2,), (4,)]
    assert len(executor.calls) == 5


def test_a_task_that_is_lost_again_and_again_is_given_up(notes, monkeypatch):
    """The error says how often, and with which error."""
    monkeypatch.setattr(task_queue, "POLL_SECONDS", 0.0)
    executor = Unreliable(*[RuntimeError("killed\nby the system")] * 10)
    with queue_of(executor, notes) as queue, pytest.raises(WorkersLost, match=r"lost 6 times .*RuntimeError: killed\)"):
        queue.map(double, [1])
    assert len(executor.calls) == MAX_LOSSES + 1


def test_a_broken_executor_is_replaced_by_this_process(notes):
    """An executor of the user that is broken gets no more tasks; a note says so."""
    executor = Unreliable(BrokenExecutor("a process ended"))
    with Workers(executor, number=1) as workers, TaskQueue(workers, notes.append) as queue:
        assert queue.map(double, range(3)) == [(0,), (2,), (4,)]
    assert len(notes) == 1 and "continued in this process" in notes[0]
    assert len(executor.calls) == 3


def test_an_executor_that_refuses_tasks_is_replaced(notes):
    """An executor that was shut down raises an error at once."""
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with Workers(executor) as workers, TaskQueue(workers, notes.append) as queue:
        assert queue.map(double, [4]) == [(8,)]
    assert "continued in this process" in notes[0]


def test_a_worker_without_the_data_gets_them(notes, monkeypatch):
    """The call is sent again with the content of the parcel; later calls are sent without it."""
    executor = Unreliable()
    with ParcelFolder() as folder, queue_of(executor, notes) as queue:
        parcel = folder.write("data")
        content = parcel.with_content()
        monkeypatch.setattr(type(parcel), "with_content", lambda self: replace(self, content=content.content))
        parcels._values.clear()
        assert queue.map(double, [1, 2], [replace(parcel, path="/nowhere/file")]) == [(2, "data"), (4, "data")]
    assert [call.parcels[0].content is None for call in executor.calls].count(False) in (1, 2)
    assert executor.calls[0].parcels[0].content is None


def test_errors_of_a_task_are_not_repeated(notes):
    """An invalid input is reported as in one process; any other error has the traceback of the worker."""
    executor = Unreliable()
    with queue_of(executor, notes) as queue:
        with pytest.raises(InputError, match="bad column"):
            queue.map(fail, [InputError("bad column")])
        with pytest.raises(BnsearchError, match="ZeroDivisionError: no"):
            queue.map(fail, [ZeroDivisionError("no")])
    assert len(executor.calls) == 2


def test_a_queue_stops_when_it_is_asked_to(notes):
    """Without permission to go on, the result is None, and no task is waiting."""
    with ThreadPoolExecutor(1) as executor, queue_of(executor, notes) as queue:
        assert queue.map(double, range(5), going=lambda: False) is None
        assert len(queue) == 0
