"""Distribution of work over threads."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import threading

import pytest

from bnsearch._tools.parallel import parallel_iter, parallel_map, parallel_take, thread_count
from bnsearch.errors import InputError


@pytest.mark.parametrize("threads", [None, 1, 2, 7])
@pytest.mark.parametrize("items", [0, 1, 2, 50])
def test_results_stand_in_the_items_order(items, threads):
    """Any number of items and threads; the items may come from a generator."""
    assert parallel_map(lambda i: i * i, (i for i in range(items)), threads) == [i * i for i in range(items)]


def test_one_thread_is_the_callers():
    """With one thread, or one item, the function runs where it was called."""
    here = threading.get_ident()
    assert parallel_map(lambda _: threading.get_ident(), range(3)) == [here] * 3
    assert parallel_map(lambda _: threading.get_ident(), range(1), 4) == [here]


def test_workers_share_memory():
    """What the function writes is seen by the caller: two threads meet."""
    meeting = threading.Barrier(2, timeout=20)
    seen = []

    def run(i):
        seen.append(i)
        meeting.wait()

    parallel_map(run, range(2), 2)
    assert sorted(seen) == [0, 1]


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_reaches_the_caller(threads):
    """An error in one item is raised as it is."""

    def run(i):
        if i == 3:
            raise InputError("item 3 is wrong")

    with pytest.raises(InputError, match="item 3 is wrong"):
        parallel_map(run, range(6), threads)


def test_an_error_halts_the_others():
    """The first item waits to be halted, the second fails, and of the other 98 none or few begin."""
    halted = threading.Event()
    begun = []

    def run(i):
        begun.append(i)
        if i == 1:
            raise InputError("item 1 is wrong")
        assert halted.wait(20)

    with pytest.raises(InputError, match="item 1 is wrong"):
        parallel_map(run, range(100), 2, halted.set)
    assert len(begun) < 100


def test_closing_the_iterator_halts_the_others():
    """After the first of 100 results the iterator is closed: no further item begins, and running ones have ended."""
    halted = threading.Event()
    begun, ended = [], []

    def run(i):
        begun.append(i)
        assert i == 0 or halted.wait(20)
        ended.append(i)
        return i

    results = parallel_iter(run, range(100), 3, halted.set)
    assert next(results) == 0
    results.close()
    assert halted.is_set()
    assert sorted(begun) == sorted(ended)
    assert len(begun) < 100


def test_threads_are_used_again():
    """Two threads meet in each of 50 calls, which would take 100 new threads."""
    meeting = threading.Barrier(2, timeout=20)

    def run(_: int) -> str:
        meeting.wait()
        return threading.current_thread().name

    names = {name for _ in range(50) for name in parallel_map(run, range(2), 2)}
    assert 2 <= len(names) <= 20  # a thread that has just ended its work may not count as idle yet


def test_a_call_inside_of_a_call():
    """Two calls inside of a call have threads of their own: all four meet."""
    meeting = threading.Barrier(4, timeout=20)
    assert len(parallel_map(lambda _: parallel_map(lambda _: meeting.wait(), range(2), 2), range(2), 2)) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_process_forks_without_idle_threads():
    """The threads end before a fork, and both processes start new ones."""
    code = """
import os, threading
from bnsearch._tools.parallel import parallel_map
meeting = threading.Barrier(2, timeout=20)
parallel_map(lambda _: meeting.wait(), range(2), 2)
assert threading.active_count() == 3
child = os.fork()
assert threading.active_count() == 1
assert sum(parallel_map(lambda i: i, range(10), 2)) == 45
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, timeout=60)


@pytest.mark.parametrize("threads", [None, 1, 2, 7])
@pytest.mark.parametrize("items", [0, 1, 50])
def test_items_that_are_taken_have_results_in_order(items, threads):
    """Any number of items and threads; the items may come from a generator."""
    assert parallel_take(lambda i: i * i, (i for i in range(items)), threads) == [i * i for i in range(items)]


@pytest.mark.parametrize("threads", [1, 3])
def test_no_item_is_taken_after_a_stop(threads):
    """Items are taken until the tenth result; each thread may have one more item in progress."""
    done = []
    results = parallel_take(done.append, itertools.count(), threads, lambda: len(done) < 10)
    assert 10 <= len(results) < 10 + threads
    assert sorted(done) == list(range(len(done)))


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_ends_the_taking(threads):
    """An error in one of endless items is raised as it is."""

    def run(i):
        if i == 30:
            raise InputError("item 30 is wrong")

    with pytest.raises(InputError, match="item 30 is wrong"):
        parallel_take(run, itertools.count(), threads)


def test_thread_count(monkeypatch):
    """As many as asked for; by default the cores that this process may use."""
    assert thread_count(3) == 3
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 5, 6}, raising=False)
    assert thread_count(None) == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert thread_count(None) == 1


@pytest.mark.parametrize("threads", [0, -1, 1.5, "2", 1025])
def test_bad_numbers_of_threads_are_refused(threads):
    """Threads are counted from one, in whole numbers."""
    with pytest.raises(InputError, match="threads must be"):
        parallel_map(str, range(3), threads)
