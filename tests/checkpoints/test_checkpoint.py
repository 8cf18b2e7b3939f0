"""The thread that writes a checkpoint, and the parts that it keeps."""

from __future__ import annotations

import numpy as np
import pytest

from bnsearch.checkpoints.checkpoint import Checkpoint, get_pause
from bnsearch.checkpoints.container import Container, Part
from bnsearch.runs.run import Run


@pytest.mark.parametrize(
    ("took", "used", "pause"),
    [
        (0.01, 0.01, 8.99),
        (0.5, 0.05, 8.5),  # a slow disk
        (3.0, 0.05, 27.0),  # a tenth of the time for a very slow one
        (0.5, 0.5, 49.5),  # one hundredth of CPU time
    ],
)
def test_a_long_write_is_followed_by_a_long_pause(took, used, pause):
    """Writes begin every 9 s, or later if they take long."""
    assert get_pause(took, used) == pytest.approx(pause)


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
    assert "was not written at least once (no state)" in note
