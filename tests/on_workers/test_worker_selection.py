"""Candidate selection on workers gives the same tables."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from unittest.mock import Mock

import numpy as np
import pytest

import bnsearch
from bnsearch.distributed import growth, piece_tasks, selection
from bnsearch.distributed.array_file import ArrayFile
from bnsearch.distributed.parcels import ParcelFolder
from bnsearch.distributed.pools import Pool
from bnsearch.distributed.selection import WorkerAuto, WorkerSequential
from bnsearch.distributed.task_queue import TaskQueue
from bnsearch.distributed.workers import Workers
from bnsearch.selection.walk import Walk
from worker_cases import make_table

SCORE = bnsearch.AIC()  # its penalty is small, so that sets of several parents are kept


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch):
    """Divide also small sizes among workers, which have no enumeration of an earlier test."""
    monkeypatch.setattr(piece_tasks, "_idle_walks", piece_tasks._IdleWalks())
    monkeypatch.setattr(selection, "MIN_SETS", 10)
    monkeypatch.setattr(selection, "MIN_TASKS_PER_WORKER", 3)


@contextmanager
def pool_of(number, data, knowledge=None):
    """Yield a pool of threads."""
    with ThreadPoolExecutor(number) as executor, ParcelFolder() as folder:
        queue = TaskQueue(Workers(executor), lambda _: None)
        yield Pool(queue, folder, folder.write((data, SCORE, knowledge)))


def assert_same(found, expected):
    """Assert that two selections have the same table and the same report."""
    for name in ("begin", "scores", "first", "members"):
        assert np.array_equal(getattr(found.table, name), getattr(expected.table, name))
    assert np.array_equal(found.scored_of, expected.scored_of)
    assert (found.depth, found.complete, found.stop) == (expected.depth, expected.complete, expected.stop)


@pytest.mark.parametrize("min_families", [1, 1 << 20])
@pytest.mark.parametrize(("number", "max_shared"), [(1, 1 << 20), (2, 1 << 20), (2, 0)])
def test_enumeration(table, monkeypatch, number, max_shared, min_families):
    """
    All sets of up to three parents, from groups of pieces.

    Workers share the smaller sizes or enumerate them; families come in files or with the reports.
    """
    monkeypatch.setattr(selection, "MAX_SHARED", max_shared)
    monkeypatch.setattr(piece_tasks, "MIN_FAMILIES_OF_FILE", min_families)
    enumerated = []
    monkeypatch.setattr(piece_tasks.PieceWalk, "run", lambda walk, **rest: enumerated.append(Walk.run(walk, **rest)))
    with pool_of(number, table) as pool:
        found = WorkerSequential(pool=pool).select(table, SCORE, threads=1)
        assert not [path for path in pool.folder.path.iterdir() if path.name != pool.problem.key]
    assert_same(found, bnsearch.Sequential().select(table, SCORE, threads=1))
    assert bool(enumerated) == (max_shared == 0)


def test_a_worker_that_does_not_find_the_file_enumerates(table, monkeypatch):
    """The same table, if the file with the smaller sizes is on another machine."""
    monkeypatch.setattr(ArrayFile, "map", lambda _: None)
    with pool_of(2, table) as pool:
        found = WorkerSequential(pool=pool).select(table, SCORE, threads=1)
    assert_same(found, bnsearch.Sequential().select(table, SCORE, threads=1))


def test_a_file_that_cannot_be_written_is_not_needed(table, monkeypatch):
    """The same table, if the disk is full."""
    monkeypatch.setattr(ArrayFile, "write_joined", Mock(side_effect=OSError("no space left")))
    with pool_of(2, table) as pool:
        found = WorkerSequential(pool=pool).select(table, SCORE, threads=1)
    assert_same(found, bnsearch.Sequential().select(table, SCORE, threads=1))


def test_families_whose_file_is_lost_are_enumerated_again(table, monkeypatch):
    """The same table, if the file with the families of a group is deleted before the driver reads it."""
    monkeypatch.setattr(piece_tasks, "MIN_FAMILIES_OF_FILE", 1)
    lost = []
    write_joined = ArrayFile.write_joined

    def write(folder, arrays):
        file = write_joined(folder, arrays)
        if not lost and len(arrays[0]) > 1:  # families are in parts
            lost.append(file)
            file.remove()
        return file

    monkeypatch.setattr(ArrayFile, "write_joined", write)
    with pool_of(2, table) as pool:
        found = WorkerSequential(pool=pool).select(table, SCORE, threads=1)
    assert_same(found, bnsearch.Sequential().select(table, SCORE, threads=1))
    assert lost


def test_enumeration_with_many_states():
    """Sets that are counted by rows, and a score that is not score-equivalent."""
    codes = np.random.default_rng(1).integers(0, 40, (60, 7))
    data, score = bnsearch.Dataset.from_codes(codes), bnsearch.make_score("k2")
    with ThreadPoolExecutor(2) as executor, ParcelFolder() as folder:
        pool = Pool(TaskQueue(Workers(executor), lambda _: None), folder, folder.write((data, score, None)))
        found = WorkerSequential(pool=pool, max_parents=2).select(data, score, threads=1)
    assert_same(found, bnsearch.Sequential(max_parents=2).select(data, score, threads=1))


@pytest.mark.parametrize("evaluations", [300, 2000])
def test_growth(table, evaluations):
    """With one group of variables, growth has the same budget as without workers."""
    with pool_of(2, table) as pool:
        found = WorkerAuto(pool=pool, evaluations=evaluations).select(table, SCORE, threads=1)
    assert_same(found, bnsearch.Auto(evaluations=evaluations).select(table, SCORE, threads=1))


def test_growth_does_not_depend_on_the_workers(monkeypatch):
    """Three groups of variables, with knowledge, on one and on three workers."""
    monkeypatch.setattr(growth, "GROUP_SIZE", 4)
    data = make_table(12)
    known = bnsearch.Knowledge(required=(("0", "1"),), forbidden=(("2", "3"),), max_parents=4)
    found = []
    for number in (1, 3):
        with pool_of(number, data, known) as pool:
            builder = WorkerAuto(pool=pool, evaluations=3000)
            found.append(builder.select(data, SCORE, threads=1, constraints=known.constraints(data.names)))
    assert_same(*found)
    table = found[0].table
    rows = range(table.begin[3], table.begin[4])
    assert all(2 not in table.parents(row) for row in rows)
    assert table.max_parents > found[0].depth  # some sets have grown


def test_growth_in_a_time_budget(table):
    """The selection ends in time, with sets that grew on the workers."""
    with pool_of(2, table) as pool:
        found = WorkerAuto(pool=pool, seconds=1.0).select(table, SCORE, threads=1)
    assert found.seconds < 2.0
    assert found.kept >= table.n_variables
