"""`bnsearch report`, `bnsearch learn --report` and `bnsearch search --report`."""

from __future__ import annotations

import json
import re
import sys


def read_contents(path):
    """Return the contents of a report."""
    found = re.search(r'id="contents">(.*?)</script>', path.read_text(encoding="utf-8"))
    return json.loads(found[1])


def test_report_of_a_network(run, tmp_path):
    """By name, with the default file."""
    outcome = run("report", "asia")
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == "wrote report.html: 8 variables, 8 edges\n"
    page = read_contents(tmp_path / "report.html")
    assert (page["title"], page["run"], page["score"]) == ("asia", None, None)


def test_report_of_a_network_and_data(run, tmp_path, asia_csv):
    """The score can be chosen, with its parameters."""
    outcome = run("report", "asia", asia_csv, "--score", "bdeu", "--ess", 10, "-o", "a.html")
    assert outcome.code == 0, outcome.err
    page = read_contents(tmp_path / "a.html")
    assert (page["rows"], page["score"]) == (300, "BDeu")
    assert all(edge[3] is not None for edge in page["edges"])


def test_report_of_a_structure_and_data(run, tmp_path, asia_csv):
    """The tables of a structure are estimated from the data, whose columns can be in another order."""
    assert run("convert", "asia", "asia.json").code == 0
    structure = json.loads((tmp_path / "asia.json").read_text())
    for variable in structure["variables"]:
        del variable["states"], variable["table"]
    (tmp_path / "structure.json").write_text(json.dumps(structure | {"variables": structure["variables"][::-1]}))
    assert run("report", "structure.json", asia_csv).code == 0
    page = read_contents(tmp_path / "report.html")
    assert page["variables"][0]["name"] == "dysp"
    assert sum(page["variables"][-1]["table"]) == 1
    assert run("report", "structure.json").code == 0
    assert "table" not in read_contents(tmp_path / "report.html")["variables"][0]


def test_report_of_a_run(run, tmp_path, asia_csv, monkeypatch):
    """The page has the command with the seed, and the file is announced."""
    command = ["learn", str(asia_csv), "--seconds", "5", "--report", "r.html"]
    monkeypatch.setattr(sys, "argv", ["bnsearch", *command])
    outcome = run(*command)
    assert outcome.code == 0, outcome.err
    assert outcome.err.endswith("wrote r.html\n")
    page = read_contents(tmp_path / "r.html")
    assert page["run"]["command"] == f"bnsearch {' '.join(command)} --seed {page['run']['seed']}"
    assert page["title"] == "asia.csv"
    assert page["variables"][0]["table"]


def test_report_of_a_search(run, refused, tmp_path, asia_csv):
    """Without a table the page has the run and the graph; with a table, also probabilities."""
    assert run("parents", asia_csv, "-o", "asia.jkl").code == 0
    outcome = run("search", "asia.jkl", "--seconds", 5, "--seed", 1, "--report", "s.html")
    assert (outcome.code, outcome.err.splitlines()[-1]) == (0, "wrote s.html")
    page = read_contents(tmp_path / "s.html")
    assert (page["title"], page["run"]["seed"], "table" in page["variables"][0]) == ("asia.jkl", 1, False)
    assert run("search", "asia.jkl", "--seconds", 5, "--data", asia_csv, "--report", "t.html").code == 0
    assert read_contents(tmp_path / "t.html")["variables"][0]["table"]
    assert "use the extension .html" in refused("search", "asia.jkl", "--report", "r.txt")


def test_a_given_seed_is_not_repeated(monkeypatch):
    """The command has one seed; arguments with blanks are quoted."""
    from bnsearch.cli.saving import get_command

    monkeypatch.setattr(sys, "argv", ["bnsearch", "learn", "my table.csv", "--seed=4"])
    assert get_command(4) == "bnsearch learn 'my table.csv' --seed=4"


def test_refused(refused, asia_csv, tmp_path):
    """Wrong names of files and columns; the message names the file."""
    assert "use the extension .html" in refused("report", "asia", "-o", "r.svg")
    assert "use the extension .html" in refused("learn", asia_csv, "--report", "r.txt")
    assert "there is no network or file 'nowhere'" in refused("report", "nowhere")
    (tmp_path / "t.csv").write_text("asia,tub\nyes,no\nno,no\n")
    assert "t.csv: the data have no column for the network's 'smoke'" in refused("report", "asia", "t.csv")
    assert "choose another name" in refused("learn", asia_csv, "-o", "r.html.json", "--report", asia_csv)
    assert not list(tmp_path.glob("*.html"))
