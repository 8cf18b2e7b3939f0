"""`bnsearch parents`: options, output, signals."""

from __future__ import annotations

import json
import signal
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from bnsearch.budgets.events import Event
from bnsearch.cli import progress as progress_module
from bnsearch.data import Dataset
from bnsearch.parent_sets import read_scores
from bnsearch.selection import auto as auto_module

FACTS = ["variables", "sets", "scored", "pruned", "max_parents", "exhaustive", "bound", "seconds", "stop", "notes"]


def test_table_for_people(run, asia_csv):
    """The table goes to stderr, the file is written, stdout is empty."""
    outcome = run("parents", asia_csv, "-o", "asia.jkl")
    assert (outcome.code, outcome.out) == (0, "")
    assert "upper bound over these sets" in outcome.err
    assert "stopped by" in outcome.err
    assert "complete" in outcome.err
    assert outcome.err.endswith("wrote asia.jkl\n")
    assert read_scores("asia.jkl").n_variables == 8


def test_json(run, asia_csv):
    """The object holds the numbers of every variable, which add up to the totals."""
    outcome = run("parents", asia_csv, "-o", "asia.jkl.gz", "--json", "--select", "sequential", "--max-parents", "2")
    facts = json.loads(outcome.out)
    assert list(facts) == ["schema_version", *FACTS, "per_variable"]
    assert facts["scored"] == 8 * (1 + 7 + 21)
    assert (facts["exhaustive"], facts["stop"], facts["notes"]) == (2, "complete", [])
    assert [list(own) for own in facts["per_variable"]] == [
        ["name", "scored", "kept", "pruned", "max_parents", "seconds"]
    ] * 8
    assert sum(own["kept"] for own in facts["per_variable"]) == facts["sets"] == read_scores("asia.jkl.gz").n_sets
    assert [own["name"] for own in facts["per_variable"]] == list(read_scores("asia.jkl.gz").names)


def test_the_structure_prior(run, asia_csv):
    """--prior charges log(11) more for each free parameter: a binary variable without parents has one."""
    for name, prior in (("without", []), ("with", ["--prior"])):
        run("parents", asia_csv, "-o", f"{name}.jkl", "--score", "bdeu", "--ess", 10, "--max-parents", 0, *prior)
    difference = read_scores("without.jkl").scores - read_scores("with.jkl").scores
    assert difference == pytest.approx(np.full(8, np.log(11)), abs=1e-4)


def test_same_evaluations_same_file(run, asia_csv):
    """With evaluations as the only limit, the files of one thread and of two are the same."""
    for threads in (1, 2):
        options = ("--evaluations", 150, "--threads", threads, "--max-sets", 5)
        assert run("parents", asia_csv, "-o", f"{threads}.jkl", *options).code == 0
    assert Path("1.jkl").read_bytes() == Path("2.jkl").read_bytes()
    table = read_scores("1.jkl")
    assert np.diff(table.begin).max() <= 6


@pytest.mark.parametrize("select", ["auto", "sequential", "greedy", "independence"])
def test_every_selection_takes_the_budgets(run, asia_csv, select):
    """Each limit of a builder has an option."""
    options = ("--select", select, "--seconds-per-variable", 5, "--max-parents", 2, "--memory", 1 << 24)
    outcome = run("parents", asia_csv, "-o", "x.jkl", "--json", *options)
    assert outcome.code == 0
    assert json.loads(outcome.out)["max_parents"] <= 2


def test_notes_are_told(run, asia_csv, monkeypatch):
    """A note on restricted candidates is in the JSON object and on stderr."""
    monkeypatch.setattr(auto_module, "MANY_VARIABLES", 5)
    outcome = run("parents", asia_csv, "-o", "x.jkl", "--json", "--evaluations", 150)
    notes = json.loads(outcome.out)["notes"]
    assert len(notes) == 1
    assert f"note: {notes[0]}\n" in outcome.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--select", "best"], "there is no selection 'best'"),
        (["--select", "greedy", "--candidates", 3], "the greedy selection has no parameter 'candidates'"),
        (["--seconds", 1, "--seconds-per-variable", 1], "seconds and seconds_per_variable are both given"),
        (["--evaluations", 0], "evaluations must be at least 1, not 0"),
        (["--select", "independence", "--score", "bdeu"], "needs BIC or AIC, not bdeu"),
        (["--threads", 0], "threads must be at least 1"),
        (["--max-parents", 10**20], "max_parents must be at least 0 and at most"),
    ],
)
def test_bad_options(refused, asia_csv, options, said):
    """Invalid options give one line, and no file is written."""
    assert said in refused("parents", asia_csv, "-o", "x.jkl", *options)
    assert not Path("x.jkl").exists()


def sending(number: signal.Signals):
    """Return a substitute for `show_progress` whose observer sends a signal while sets grow."""

    @contextmanager
    def show_progress():
        def observe(event: Event) -> None:
            if event.task == "growing parent sets" and event.done == 3:
                signal.raise_signal(number)

        yield [observe]

    return show_progress


def test_interrupted_writes_what_is_there(run, asia_csv, monkeypatch):
    """Ctrl-C while sets grow: the sets so far are written, and the command says so."""
    monkeypatch.setattr(progress_module, "show_progress", sending(signal.SIGINT))
    outcome = run("parents", asia_csv, "-o", "x.jkl", "--json", "--evaluations", 150, "--threads", 1)
    assert outcome.code == 0
    assert json.loads(outcome.out)["stop"] == "interrupted"
    assert outcome.err == "interrupted: wrote x.jkl\n"
    assert read_scores("x.jkl").max_parents > 1


def test_terminated_writes_what_is_there(run, asia_csv, monkeypatch):
    """SIGTERM does the same, and the exit status says so."""
    monkeypatch.setattr(progress_module, "show_progress", sending(signal.SIGTERM))
    outcome = run("parents", asia_csv, "-o", "x.jkl", "--json", "--evaluations", 150, "--threads", 1)
    assert outcome.code == 143
    assert json.loads(outcome.out)["stop"] == "terminated"
    assert outcome.err == "terminated: wrote x.jkl\n"
    assert read_scores("x.jkl").max_parents > 1


@pytest.fixture
def wide_csv(tmp_path: Path) -> Path:
    """Return a table on which `auto` uses its whole time budget."""
    random = np.random.default_rng(2)
    shares = random.random((8, 60))[random.integers(0, 8, 4000)]  # of eight hidden groups: everything depends on all
    codes = (random.random((4000, 60)) < shares).astype(np.uint8)
    Dataset.from_codes(codes).write(tmp_path / "wide.csv")
    return tmp_path / "wide.csv"


@pytest.mark.parametrize(
    ("name", "moment"), [("SIGTERM", 0.1), ("SIGINT", 0.6), ("SIGINT", 1.5), ("SIGTERM", 1.5), ("SIGTERM", 2.5)]
)
def test_killed_at_any_moment(process, wide_csv, tmp_path, name, moment):
    """The file is complete or absent, and no traceback is printed; a file of an interrupted selection is reported."""
    output = tmp_path / "sets.jkl"
    started = process("parents", str(wide_csv), "-o", str(output), "--seconds", "30", "--threads", "2")
    time.sleep(moment)
    started.send_signal(signal.Signals[name])
    _, err = started.communicate(timeout=60)
    if moment > 0.5:  # before, Python itself may be starting
        assert started.returncode in ((143, -signal.SIGTERM) if name == "SIGTERM" else (0, 130, -signal.SIGINT))
        assert "Traceback" not in err
    assert output.exists() == (started.returncode in (0, 143))
    if output.exists():
        assert read_scores(output).n_variables == 60
        assert ("terminated" if name == "SIGTERM" else "interrupted") in err


def test_knowledge_is_respected(run, refused, asia_csv):
    """Only legal sets are written, and a search over them with the same knowledge finds what `learn` finds."""
    known = {"required_edges": [["smoke", "asia"]], "forbidden_edges": [["smoke", "bronc"]], "source_nodes": ["smoke"]}
    Path("known.json").write_text(json.dumps(known))
    assert run("parents", asia_csv, "-o", "asia.jkl", "--knowledge", "known.json").code == 0
    table = read_scores("asia.jkl")
    smoke, bronc = table.names.index("smoke"), table.names.index("bronc")
    sets = {
        v: [tuple(table.members[table.first[r] : table.first[r + 1]]) for r in np.flatnonzero(table.child == v)]
        for v in (smoke, bronc)
    }
    assert sets[smoke] == [()]
    assert not any(smoke in parents for parents in sets[bronc])
    searched = json.loads(run("search", "asia.jkl", "--method", "exact", "--knowledge", "known.json", "--json").out)
    learned = json.loads(run("learn", asia_csv, "--seconds", "inf", "--knowledge", "known.json", "--json").out)
    assert ["smoke", "asia"] in searched["edges"]
    assert searched["score"] == pytest.approx(learned["score"], rel=1e-12)
    assert "known.json is already one of the files" in refused(
        "parents", asia_csv, "-o", "known.json", "--knowledge", "known.json"
    )
