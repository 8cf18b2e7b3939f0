"""Reports: tables, marks, tests, drawings, links to result files; the page needs no other files."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from bnsearch.errors import InputError
from bnsearch.experiments import run_experiment, write_report
from bnsearch.experiments.claims import check_claims
from bnsearch.experiments.folder import ExperimentFolder
from bnsearch.experiments.measures import MEASURES
from bnsearch.experiments.report.analysis import format_value
from bnsearch.experiments.report.blocks import Entry, Table
from bnsearch.experiments.report.curve_plot import choose_ticks, draw_curves, format_tick
from bnsearch.experiments.report.html import render_html
from bnsearch.experiments.report.markdown import render_markdown
from bnsearch.experiments.report.rank_diagram import draw_rank_diagram
from bnsearch.experiments.statistics.curves import Curve
from bnsearch.experiments.statistics.friedman import compare_methods
from bnsearch.experiments.values import Finding, Findings, Grid, average
from experiment_plans import make_plan

PLAN = """
title = "Three <methods>"
description = "First.\\n\\nSecond."
seeds = [1, 2, 3]
budgets = [{ iterations = 3 }]
measures = ["score", "shd", "regret", "time_to_target"]
methods = ["hillclimb", "tabu", { name = "hillclimb", label = "Twin" }]
sources = [{ network = "asia", rows = { first = 60, count = 7 } }]
claims = [{ text = "Tabu wins.", better = "tabu", than = ["hillclimb", "Twin"], measure = "score" }]
published = [{ dataset = "asia/60", measure = "score", values = { tabu = -123.456 } }]
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """Return the folder of a finished experiment with its report."""
    home = tmp_path_factory.mktemp("report")
    run_experiment(make_plan(home, PLAN), home / "out")
    write_report(home / "out")
    return home / "out"


class Page(HTMLParser):
    """Collects the addresses and the names of a page, and checks that its tags are closed."""

    VOID = frozenset({"meta", "path", "circle", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.addresses, self.names, self.open = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Keep addresses and names."""
        found = dict(attrs)
        self.addresses += [found[key] for key in ("href", "src") if key in found]
        self.names += [found["id"]] if found.get("id") else []
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        """Ignore tags that close themselves."""

    def handle_endtag(self, tag):
        """Compare with the last open tag."""
        assert self.open.pop() == tag


def test_page_is_complete_and_self_contained(folder):
    """Links lead to rows of the page or to result files; nothing is loaded from elsewhere."""
    text = (folder / "report.html").read_text()
    page = Page(text)
    assert page.open == []
    assert len(page.names) == len(set(page.names))
    inner = [address[1:] for address in page.addresses if address.startswith("#")]
    outer = [address for address in page.addresses if not address.startswith("#")]
    assert inner and set(inner) <= set(page.names)
    assert outer and all((folder / address).is_file() for address in outer)
    assert "<script" not in text
    assert "url(" not in text
    assert "http" not in text
    assert "prefers-color-scheme: dark" in text
    assert "Three &lt;methods&gt;" in text


def test_numbers_can_be_traced(folder):
    """The value of a table is the mean of the files in its tooltip."""
    text = (folder / "report.html").read_text()
    row = re.search(r"<tr><td>asia/60</td>(.*?)</tr>", text[text.index("<h3>score</h3>") :], re.DOTALL)[1]
    tooltips = re.findall(r'<td title="(.*?)">(.*?)</td>', row, re.DOTALL)
    assert len(tooltips) == 3
    for files, shown in tooltips:
        scores = [json.loads((folder / file).read_text())["result"]["score"] for file in files.split("\n")]
        assert len(scores) == 3
        assert f"{np.mean(scores):,.2f}" in shown
    assert "published: -123.46" in row


def test_equal_methods_are_tied(folder):
    """A method and its twin have the same cells, so that both are marked in each row where they are the best."""
    findings = Findings(ExperimentFolder(folder))
    grid = findings.make_grid(findings.measures[0], "bic", "3 iterations")
    for dataset in grid.datasets:
        assert grid.mean(dataset, "hillclimb") == grid.mean(dataset, "Twin")
    assert len(findings.records) == 7 * 3 * 2


def test_markdown_has_the_same_tables(folder):
    """Headings, the tables of values, claims and result files."""
    text = (folder / "report.md").read_text()
    assert text.startswith("# Three \\<methods>\n\nFirst.\n\nSecond.\n\n## What was run\n")
    for heading in ("## Claims", "## bic, 3 iterations", "### score", "### SHD", "## Result files"):
        assert f"\n{heading}\n" in text
    assert "| data set | hillclimb | tabu | Twin |" in text
    assert "Friedman's test over 7 data sets" in text
    keys = re.findall(r"\(results/(\w+)\.json\)", text)
    assert set(keys) == {file.stem for file in (folder / "results").iterdir()}


def test_claims(folder):
    """A claim has one verdict for each comparison, with its test in words."""
    verdicts = check_claims(Findings(ExperimentFolder(folder)))
    assert [verdict.than for verdict in verdicts] == ["hillclimb", "Twin"]
    for verdict in verdicts:
        assert verdict.word in ("reproduced", "not reproduced", "not testable")
        assert "data sets" in verdict.reason


def test_writing_again_changes_nothing(folder):
    """A report depends on the folder only."""
    before = {name: (folder / name).read_bytes() for name in ("report.html", "report.md")}
    write_report(folder)
    assert before == {name: (folder / name).read_bytes() for name in before}


def test_missing_results(folder, tmp_path):
    """Without some results the report says how many cells are finished, and leaves data sets out of the tests."""
    home = tmp_path / "part"
    (home / "results").mkdir(parents=True)
    (home / "experiment.json").write_bytes((folder / "experiment.json").read_bytes())
    files = sorted((folder / "results").iterdir())
    for file in files[:20]:
        (home / "results" / file.name).write_bytes(file.read_bytes())
    failed = json.loads(files[20].read_text()) | {"error": "no luck"}
    del failed["result"]
    (home / "results" / files[20].name).write_text(json.dumps(failed))
    (home / "results" / "another.json").write_text("{}")
    write_report(home)
    text = (home / "report.md").read_text()
    assert "cells are finished" in text
    assert "## Failed cells" in text
    assert "no luck" in text
    assert "1 result files of cells that are not in this plan are not used." in text
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputError, match="has no experiment"):
        write_report(empty)


def test_nothing_is_finished_yet(folder, tmp_path):
    """The report of an experiment without any result has its overview."""
    home = tmp_path / "none"
    (home / "results").mkdir(parents=True)
    (home / "experiment.json").write_bytes((folder / "experiment.json").read_bytes())
    write_report(home)
    assert "0 of 63 cells are finished" in (home / "report.md").read_text()


def test_means_are_over_samples_first():
    """Sample 1 has runs 1 and 3, sample 2 has 10: the mean is (2 + 10) / 2, not 14 / 3."""
    findings = [Finding(1, 1, 1.0, "a"), Finding(1, 2, 3.0, "b"), Finding(2, 1, 10.0, "c")]
    assert average(findings) == 6.0
    assert np.isnan(average([]))


def test_small_negative_values_have_no_sign():
    """A mean of -0.00001 is shown as 0.0000 with four digits, and one of -0.0001 with its sign."""
    for value, text in ((-0.00001, "0.0000"), (-0.0001, "-0.0001")):
        grid = Grid(MEASURES["lead"], ("d",), ("m",), {("d", "m"): [Finding(None, 1, value, "")]})
        assert format_value(grid, "d", "m") == text


def test_many_random_networks(tmp_path):
    """
    With more than 40 data sets, the table has one row for each pattern, and all networks are in a hidden table.

    A published value of the pattern is in the first table.
    """
    text = """
published = [{ dataset = "net(4,1,2)", values = { hillclimb = -98.765 } }]
methods = ["hillclimb", { name = "hillclimb", label = "one parent", max_parents = 1 }]
budgets = [{ iterations = 1 }]
sources = [{ random = { variables = 4, parents = 1, states = 2 }, network_seeds = { count = 42 }, rows = 30 }]
"""
    run_experiment(make_plan(tmp_path, text), tmp_path / "out")
    findings = Findings(ExperimentFolder(tmp_path / "out"))
    grid = findings.make_grid(findings.measures[0], "bic", "1 iteration")
    merged = grid.merge()
    assert merged.datasets == ("net(4,1,2)",)
    expected = np.mean([grid.mean(dataset, "hillclimb") for dataset in grid.datasets])
    assert merged.mean("net(4,1,2)", "hillclimb") == pytest.approx(expected)
    write_report(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<summary>All 42 data sets</summary>" in page
    assert page.count("<td>net(4,1,2)</td>") == 1
    assert page.count("published: -98.77") == 1


def test_marks_in_both_formats():
    """Best values are bold, ties have a mark, and texts are escaped."""
    table = Table(["a|b", "x"], [["<i>", Entry("1", is_best=True, is_tied=True, tooltip='"t"', target="#f")]], ["f"])
    html, markdown = render_html([table], "t"), render_markdown([table])
    assert '<td title="&quot;t&quot;"><a href="#f"><b>1</b>' in html
    assert "&lt;i&gt;" in html
    assert markdown == "| a\\|b | x |\n| --- | ---: |\n| \\<i> | **1** = |\n"


def test_rank_diagram():
    """Every method has a label with its mean rank, and a bar joins the methods that are not separated."""
    result = compare_methods([[3, 2, 1, 0]] * 9, ["A", "B", "C & D", "E"], is_higher_better=True)
    svg = draw_rank_diagram(result)
    assert svg.count("<text") == 4 + 4 + 1
    assert "C &amp; D  3.00" in svg
    assert svg.count('stroke-width="5"') == len(result.groups)


def test_curve_plot():
    """A line, a band and a legend for each method; axes have at least two ticks."""
    places = np.array([1.0, 10.0, 100.0])
    curve = Curve(places, np.array([5.0, 1.0, 0.0]), np.array([4.0, 0.5, 0.0]), np.array([6.0, 2.0, 0.0]), 3)
    svg = draw_curves({"first": curve, "second": curve}, "seconds")
    assert svg.count("fill-opacity") == 2
    assert ">first</text>" in svg
    assert "nan" not in svg
    assert choose_ticks(1, 1000) == [1, 10, 100, 1000]
    assert choose_ticks(1, 6) == [1, 2, 5]
    assert [format_tick(value) for value in (0.01, 5, 20_000, 2e6)] == ["0.01", "5", "20,000", "2M"]
