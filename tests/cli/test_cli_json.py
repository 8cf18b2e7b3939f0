"""JSON output: its version, its fields, and the log of events."""

from __future__ import annotations

import io
import json
import math
import re
import sys
from pathlib import Path

import pytest

from bnsearch.budgets.events import SEARCHING, Event
from bnsearch.cli.json_fields import EVENTS, FIELDS, RESULT, SCHEMA_VERSION
from bnsearch.cli.json_log import JsonLog, open_log
from bnsearch.experiments.experiment import ExperimentProgress
from bnsearch.runs.stop import Progress
from experiment_plans import SMALL

PLAN = SMALL.replace("seeds = [1, 2]\n", "seeds = [1]\n", 1).replace("rows = [100, 200]", "rows = 50")
CALLS = {
    "learn": ["learn", "asia.csv", "--seconds", "5", "--certificate", "c.json", "--parents", "c.jkl", "-q"],
    "search": ["search", "asia.jkl", "--seconds", "5"],
    "parents": ["parents", "asia.csv", "-o", "asia.jkl"],
    "verify": ["verify", "c.jkl", "c.json"],
    "score": ["score", "asia.csv", "asia"],
    "compare": ["compare", "asia", "asia"],
    "predict": ["predict", "asia", "asia.csv", "--target", "lung"],
    "experiment": ["experiment", "plan.toml", "-o", "results", "-q"],
    "methods": ["methods"],
    "scores": ["scores"],
    "compile": ["compile", "-q"],
    "doctor": ["doctor"],
}


def list_fields(text: str) -> set[str]:
    """Return the fields that a text of the guide lists."""
    return set(text.split())


def test_every_command_has_the_fields_of_the_guide(run, asia_csv):
    """Each JSON object has the version and exactly the fields that `bnsearch guide` lists."""
    Path("plan.toml").write_text(PLAN)
    assert {*CALLS, "query"} == set(FIELDS)
    for name in ("parents", "learn", *(name for name in CALLS if name not in ("parents", "learn"))):
        outcome = run(*CALLS[name], "--json")
        assert outcome.code == 0, outcome
        facts = json.loads(outcome.out)
        assert facts.pop("schema_version") == SCHEMA_VERSION
        assert set(facts) == (set(RESULT) if name in ("learn", "search") else list_fields(FIELDS[name])), name


@pytest.mark.parametrize(
    ("options", "fields"),
    [
        ([], "marginals"),
        (["--method", "sampling"], "marginals errors"),
        (["--target", "lung", "--joint"], "joint"),
        (["--most-probable"], "states probability log_probability"),
    ],
)
def test_fields_of_queries(run, options, fields):
    """The fields depend on the question; the guide lists all of them."""
    facts = json.loads(run("query", "asia", *options, "--json").out)
    assert facts.pop("schema_version") == SCHEMA_VERSION
    assert set(facts) == list_fields(f"evidence log_evidence notes {fields}")
    assert set(facts) <= set(re.findall(r"\w+", FIELDS["query"]))


def parse_lines(text: str) -> list[dict]:
    """Return the events of a log; all have the fields of the guide."""
    records = [json.loads(line) for line in text.splitlines()]
    for record in records:
        extra = set(record) - {"schema_version", "event", "seconds"}
        choices = [list_fields(part) for part in EVENTS[record["event"]].split(", or ")]
        assert extra in choices, record
        assert record["schema_version"] == SCHEMA_VERSION
    return records


def test_log_of_learn(run, asia_csv, monkeypatch):
    """The file has the start, every incumbent, bounds, notes and the end, and agrees with the result."""
    monkeypatch.setattr(sys, "argv", ["bnsearch", "learn"])
    outcome = run("learn", asia_csv, "--seconds", 5, "--log-json", "log.jsonl", "--json", "-q")
    result = json.loads(outcome.out)
    records = parse_lines(Path("log.jsonl").read_text())
    kinds = [record["event"] for record in records]
    assert (kinds[0], kinds[-1]) == ("started", "finished")
    assert records[0]["arguments"] == ["learn"]
    scores = [record["score"] for record in records if record["event"] == "incumbent"]
    assert scores == sorted(set(scores))
    assert scores[-1] == pytest.approx(result["score"])
    assert [record["text"] for record in records if record["event"] == "note"] == result["notes"]
    assert {key: records[-1][key] for key in ("score", "bound", "gap", "scope", "optimal", "stop", "seed")} == {
        key: result[key] for key in ("score", "bound", "gap", "scope", "optimal", "stop", "seed")
    }


def test_log_on_stderr(run, asia_csv):
    """With -, stderr has the log alone; the result is on stdout only with --json."""
    run("parents", asia_csv, "-o", "asia.jkl")
    outcome = run("search", "asia.jkl", "--seconds", 5, "--log-json", "-", "-o", "n.json")
    assert (outcome.code, outcome.out) == (0, "")
    assert parse_lines(outcome.err)[-1]["event"] == "finished"
    assert Path("n.json").exists()


def test_log_of_an_experiment(run):
    """One event for each finished cell, and the end."""
    Path("plan.toml").write_text(PLAN)
    outcome = run("experiment", "plan.toml", "-o", "results", "--log-json", "-")
    assert outcome.code == 0, outcome
    records = parse_lines(outcome.err)
    assert [record["done"] for record in records if record["event"] == "cells" and record["done"]] == [1, 2, 3, 4]
    assert {key: records[-1][key] for key in ("event", "cells", "done", "failed", "stop")} == {
        "event": "finished",
        "cells": 4,
        "done": 4,
        "failed": 0,
        "stop": "complete",
    }


def test_only_changes_are_logged():
    """An incumbent or a bound is written if it differs from the last one; nothing before the first network."""
    stream = io.StringIO()
    log = JsonLog(stream)
    for score, bound in ((-math.inf, -1.0), (-9.0, None), (-9.0, math.inf), (-9.0, -5.0), (-9.0, -5.0), (-8.0, -6.0)):
        log.observe(Event(SEARCHING, 1.0, 9.0, "seconds", progress=Progress(seconds=1.0, score=score, bound=bound)))
    log.observe(Event("pairs", 1.0, 9.0, "sets"))
    log.observe_cells(ExperimentProgress(total=2))
    log.observe_cells(ExperimentProgress(total=2, seconds_left=1.0))
    found = [(r["event"], r.get("score"), r.get("bound"), r.get("gap")) for r in parse_lines(stream.getvalue())]
    assert found == [
        ("incumbent", -9.0, None, None),
        ("bound", None, -5.0, 0.8),
        ("incumbent", -8.0, None, None),
        ("bound", None, -6.0, pytest.approx(1 / 3)),
        ("cells", None, None, None),
    ]


def test_a_failure_is_the_last_event(tmp_path):
    """The log says why a run has failed, and the error goes on."""
    path = tmp_path / "log.jsonl"
    with pytest.raises(RuntimeError, match="oops"), open_log(path):
        raise RuntimeError("oops")
    assert [(r["event"], r.get("error")) for r in parse_lines(path.read_text())] == [
        ("started", None),
        ("failed", "oops"),
    ]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_ends_the_log_only(run, asia_csv):
    """The run goes on, and its result is printed."""
    outcome = run("learn", asia_csv, "--seconds", 5, "--log-json", "/dev/full", "--json", "-q")
    assert (outcome.code, outcome.err) == (0, "")
    assert json.loads(outcome.out)["optimal"]


def test_wrong_log_files(refused, asia_csv, tmp_path):
    """A folder that does not exist, and the input as the log; nothing is overwritten."""
    before = asia_csv.read_bytes()
    assert "does not exist" in refused("learn", asia_csv, "--log-json", tmp_path / "no" / "log.jsonl")
    assert "choose another name" in refused("learn", asia_csv, "--log-json", asia_csv)
    Path("plan.toml").write_text(PLAN)
    assert "choose another name" in refused("experiment", "plan.toml", "-o", "r", "--log-json", "plan.toml")
    assert "cannot write" in refused("experiment", "plan.toml", "-o", "r", "--log-json", tmp_path / "no" / "log.jsonl")
    assert asia_csv.read_bytes() == before
