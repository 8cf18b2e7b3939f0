"""The thread that writes a checkpoint, and the parts that it keeps."""

from __future__ import annotations

import json
import threading
import time

import numpy as np
import pytest

from bnsearch.checkpoints.checkpoint import Checkpoint
from bnsearch.checkpoints.container import MANIFEST, Container, Part
from bnsearch.checkpoints.costs import Cost, CostMeter
from bnsearch.errors import InputError
from bnsearch.runs.run import Run
from clocks import Clock


@pytest.mark.parametrize(
    ("elapsed", "cpu", "interval"),
    [
        (0.01, 0.01, 8.0),
        (0.5, 0.02, 8.0),  # a slow disk
        (3.0, 0.02, 30.0),  # a tenth of the time for a very slow one
        (0.3, 0.3, 50.0),  # 0.6 % of CPU time
    ],
)
def test_a_long_write_is_followed_by_a_long_pause(elapsed, cpu, interval):
    """Writes begin every 8 s, or later if they take long."""
    assert Cost(elapsed, cpu).get_interval(0.006, 0.1) == pytest.approx(interval)


@pytest.mark.parametrize(("seconds", "latest"), [(0.0, 8.0), (1.5, 6.5), (3.0, 5.0)])
def test_waiting_for_the_disk_does_not_postpone_the_incumbent(tmp_path, monkeypatch, seconds, latest):
    """A write that waits for the disk begins again 8 s later; the time of the large parts counts, too."""
    container, clock = Container(tmp_path / "run.bns"), Clock()
    monkeypatch.setattr("bnsearch.checkpoints.costs.time.perf_counter", clock)
    monkeypatch.setattr("bnsearch.checkpoints.checkpoint.time.perf_counter", clock)
    checkpoint = Checkpoint(container, Run(seed=1), {"method": "mine"}, {})
    container.create({})
    write = Container.write

    def write_slowly(self, parts):
        clock.now += seconds if parts.get("large") else 0.0
        write(self, parts)

    monkeypatch.setattr(Container, "write", write_slowly)
    checkpoint.provide("large", lambda: Part({}))
    assert checkpoint.write_parts() == pytest.approx(latest, abs=0.01)


def test_costs_are_added():
    """Waiting takes elapsed time but no CPU time, and two blocks of one name are added."""
    meter = CostMeter()
    for _ in range(2):
        with meter.measure("wait"):
            time.sleep(0.02)
    elapsed, cpu = meter.costs["wait"]
    assert elapsed >= 0.04
    assert cpu < 0.04
    assert Cost(3, 2).plus(Cost(1, 1)).plus(Cost(2, 2), -1.0) == Cost(2, 1)


def test_an_expensive_part_is_written_less_often(tmp_path, monkeypatch):
    """A part that takes half a second stays for five seconds; the other part and the run are written each time."""
    monkeypatch.setattr("bnsearch.checkpoints.costs.SECONDS_BETWEEN_WRITES", 0.0)
    container, calls = Container(tmp_path / "run.bns"), {"cheap": 0, "slow": 0}
    checkpoint = Checkpoint(container, Run(seed=1), {"method": "mine"}, {})
    container.create({})

    def make(name: str, seconds: float) -> Part:
        calls[name] += 1
        time.sleep(seconds)
        return Part({"calls": calls[name]})

    checkpoint.provide("cheap", lambda: make("cheap", 0.0))
    checkpoint.provide("slow", lambda: make("slow", 0.5))
    for _ in range(3):
        checkpoint.write_parts()
    parts = Container(container.path).read()
    assert (parts["cheap"].facts["calls"], parts["slow"].facts["calls"]) == (3, 1)


def test_the_incumbent_is_written_before_large_parts(tmp_path):
    """While a large part is made, the disk has the new counters, the small part and the old large part."""
    container, run = Container(tmp_path / "run.bns"), Run(seed=1)
    checkpoint = Checkpoint(container, run, {"method": "mine"}, {})
    container.create({"run": Part({}), "large": Part({"version": 1})})
    seen = []

    def make_large() -> Part:
        seen.append(Container(container.path).read())
        return Part({"version": 2})

    checkpoint.provide("small", lambda: Part({"version": 2}), is_small=True)
    checkpoint.provide("large", make_large)
    run.count(iterations=7)
    checkpoint.write_parts()
    (during,) = seen
    assert during["run"].facts["iterations"] == 7
    assert (during["small"].facts["version"], during["large"].facts["version"]) == (2, 1)
    assert Container(container.path).read()["large"].facts["version"] == 2


def test_a_thread_writes(tmp_path, monkeypatch):
    """The thread writes during the block, and ends with it."""
    monkeypatch.setattr("bnsearch.checkpoints.costs.SECONDS_BETWEEN_WRITES", 0.01)
    container = Container(tmp_path / "run.bns")
    checkpoint = Checkpoint(container, Run(seed=1), {"method": "mine"}, {})
    container.create({})
    with checkpoint.writing():
        while "run" not in json.loads((container.path / MANIFEST).read_bytes())["content"]:
            time.sleep(0.01)
    assert not any("checkpoint" in thread.name for thread in threading.enumerate())


def test_a_large_part_waits(tmp_path, monkeypatch):
    """1 GB takes about 2 s: it is written after 200 s of elapsed time and of CPU time, or at the end."""
    monkeypatch.setattr("bnsearch.checkpoints.costs.read_cpu_seconds", lambda: cpu)
    cpu = 500.0
    container, clock = Container(tmp_path / "run.bns"), Clock()
    checkpoint = Checkpoint(container, Run(seed=1, clock=clock), {"method": "mine"}, {})
    large = np.broadcast_to(np.zeros(1), 125_000_000)
    checkpoint.provide("mine", lambda: Part({}, {"x": large}))
    clock.now += 199
    assert checkpoint.collect_parts(only_due=True)["mine"] is None
    assert checkpoint.collect_parts()["mine"] is not None
    clock.now += 2
    assert checkpoint.collect_parts(only_due=True)["mine"] is not None
    cpu = 199.0
    assert checkpoint.collect_parts(only_due=True)["mine"] is None


def test_parts_that_nobody_has_taken_are_kept(tmp_path):
    """A saved part stays until its owner provides a new one, also if that is not available at first."""
    container = Container(tmp_path / "run.bns")
    container.create({"islands": Part({"old": 1}, {"x": np.arange(3)}), "run": Part({})})
    saved = container.read()
    checkpoint = Checkpoint(container, Run(seed=1), {"method": "mine"}, saved)

    def written() -> Part:
        container.write(checkpoint.collect_parts())
        return Container(container.path).read()["islands"]

    assert written().arrays["x"].tolist() == [0, 1, 2]
    assert checkpoint.take("islands").facts == {"old": 1}
    assert checkpoint.take("islands") is None
    assert written().facts == {"old": 1}
    checkpoint.provide("islands", lambda: None)
    assert written().facts == {"old": 1}
    checkpoint.provide("islands", lambda: Part({"new": 2}))
    assert written().facts == {"new": 2}


def test_an_error_of_a_part_is_one_note(tmp_path):
    """Whatever a method does wrong, the run continues; the note names the first error only."""
    container, run = Container(tmp_path / "run.bns"), Run(seed=1)
    checkpoint = Checkpoint(container, run, {"method": "mine"}, {})
    container.create({})

    def fail() -> Part:
        raise RuntimeError("no state")

    checkpoint.provide("mine", fail)
    checkpoint._write()
    checkpoint.provide("mine", lambda: Part({"nan": float("nan")}))
    checkpoint._write()
    (note,) = run.notes
    assert "failed at least once (no state)" in note


def test_a_part_is_restored_and_saved(tmp_path):
    """`connect` restores the part of an earlier run once, and saves the new one; a damaged part is an error."""
    container, restored = Container(tmp_path / "run.bns"), []
    checkpoint = Checkpoint(container, Run(seed=1), {"method": "mine"}, {"old": Part({"number": 1}), "bad": Part({})})
    for is_saved in (True, False):
        found = checkpoint.connect("old", lambda part: restored.append(part.facts), lambda: Part({"number": 2}))
        assert found is is_saved
    assert restored == [{"number": 1}]
    assert checkpoint.collect_parts()["old"] == Part({"number": 2})
    with pytest.raises(InputError, match="damaged"):
        checkpoint.connect("bad", lambda part: part.facts["number"], lambda: None)
