"""The pages of kept results follow from their values, which give the same tables and verdicts as result files."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from bnsearch.experiments import run_experiment
from bnsearch.experiments.claims import check_claims
from bnsearch.experiments.folder import ExperimentFolder
from bnsearch.experiments.measures import MEASURES
from bnsearch.experiments.values import Finding, Findings, Grid
from experiment_plans import write_plan

ROOT = Path(__file__).parents[1]
PLAN = """
title = "Two methods"
seeds = [1, 2]
budgets = [{ iterations = 3 }]
measures = ["score", "shd", "time_to_target"]
methods = ["hillclimb", { name = "k2", label = "K2" }, { program = ["no-such-program", "{codes}"], label = "none" }]
sources = [{ network = "asia", rows = [100, 200], sample_seeds = [1, 2] }]
claims = [{ text = "Climbing is better.", better = "hillclimb", than = "K2", measure = "evaluations" }]
"""


def load_tool():
    """Return the module `tools/kept_results.py`."""
    spec = importlib.util.spec_from_file_location("kept_results", ROOT / "tools" / "kept_results.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TOOL = load_tool()


def read_kept():
    """Return the kept values of all pages by the path of the page."""
    files = [path for folder in TOOL.FOLDERS for path in (ROOT / folder / "data").glob("*.json")]
    return {path.parents[1] / f"{path.stem}.md": json.loads(path.read_text(encoding="utf-8")) for path in files}


def test_pages_are_current():
    """Every page is of its values, and the smallest one is what `tools/kept_results.py write` would write."""
    pytest.importorskip("scikit_posthocs")
    kept = read_kept()
    assert kept
    for page, values in kept.items():
        text = page.read_text(encoding="utf-8")
        assert text.endswith(f"{TOOL.mark_values(values)}\n"), f"run tools/kept_results.py write: {page.name} is old"
    page = min(kept, key=lambda page: len(kept[page]["rows"]))
    assert page.read_text(encoding="utf-8") == TOOL.render_kept(kept[page])


@pytest.mark.parametrize("name", TOOL.PAGES)
def test_tables_of_experiments_are_current(name):
    """The tables between marks follow from the kept values."""
    text = (ROOT / name).read_text(encoding="utf-8")
    assert TOOL.MARKED.search(text)
    assert TOOL.replace_tables(text, ROOT / name, ROOT) == text, "run tools/kept_results.py write"


@pytest.fixture(scope="module")
def experiment(tmp_path_factory):
    """Return the folder of a small experiment with failed cells."""
    folder = tmp_path_factory.mktemp("kept")
    run_experiment(write_plan(folder, PLAN), folder / "results")
    return folder / "results"


def test_kept_values_are_those_of_the_result_files(experiment, tmp_path):
    """Tables and verdicts are the same, also after writing and reading; failures are kept."""
    TOOL.write_rows(TOOL.keep(experiment, "a machine"), tmp_path / "kept.json")
    kept = TOOL.KeptFindings(json.loads((tmp_path / "kept.json").read_text(encoding="utf-8")))
    original = Findings(ExperimentFolder(experiment))
    for measure in original.measures:
        for setting in original.settings:
            first, second = original.make_grid(measure, *setting), kept.make_grid(measure, *setting)
            assert (first.datasets, first.methods) == (second.datasets, second.methods)
            np.testing.assert_allclose(first.make_matrix(), second.make_matrix(), rtol=1e-8)
    assert [(v.word, v.reason) for v in check_claims(kept)] == [(v.word, v.reason) for v in check_claims(original)]
    assert len(kept.failures) == len(original.failures) == 8


def test_page_of_kept_values(experiment):
    """The page has the tables, the verdict and the failed cells, and says on which machine the cells were run."""
    text = TOOL.render_kept(TOOL.keep(experiment, "a machine"))
    assert text.startswith("# Two methods\n")
    assert "All 24 cells were run, 8 of them failed, on a machine." in text
    assert "| asia/100 | 8 | 100 | 8 | 2 |" in text
    assert "cannot start no-such-program" in text
    assert "**not testable**" in text


def test_tables_are_replaced(experiment, tmp_path):
    """Only the text between the marks changes, and links lead from the page to the experiment's page."""
    TOOL.write_rows(TOOL.keep(experiment, "a machine"), make_folder(tmp_path / "docs/results/data") / "two.json")
    page = "Before.\n\n<!-- {} of docs/results, written by tools/kept_results.py -->\nold\n<!-- end -->\n\nAfter.\n"
    for name, link in (("docs/results/README.md", "two.md"), ("docs/benchmarks.md", "results/two.md")):
        new = TOOL.replace_tables(page.format("verdicts"), tmp_path / name, tmp_path)
        assert "old" not in new
        assert f"| [Two methods]({link}) | Climbing is better. |" in new
        assert (new.startswith("Before.\n\n<!--"), new.endswith("<!-- end -->\n\nAfter.\n")) == (True, True)
        assert TOOL.replace_tables(new, tmp_path / name, tmp_path) == new


def make_folder(path):
    """Create a folder and return its path."""
    path.mkdir(parents=True)
    return path


def test_summary_of_leads():
    """Hand-worked: the means of a are +2, -1, 0 within the tolerance, and +0.5."""
    leads = {"one": [3.0, 1.0], "two": [-1.0], "three": [4e-8, 0.0], "four": [0.5]}
    findings = {(d, "a"): [Finding(None, seed, value, "") for seed, value in enumerate(v)] for d, v in leads.items()}
    grid = Grid(MEASURES["lead"], tuple(leads), ("a", "b"), findings)
    assert TOOL.summarise_leads(grid) == ["4", "2", "1", "1", "-1.000 % (two)", "+2.000 % (one)"]
    tied = Grid(MEASURES["lead"], ("three",), ("a", "b"), findings)
    assert TOOL.summarise_leads(tied) == ["1", "0", "1", "0", "0", "0"]


def test_table_of_leads(tmp_path):
    """An experiment with the measure `lead` has one row for each score and budget; others have none."""
    plan = PLAN.replace('"time_to_target"', '"lead"').replace(
        "[{ iterations = 3 }]", "[{iterations = 3}, {iterations = 5}]"
    )
    run_experiment(write_plan(tmp_path, plan), tmp_path / "results")
    folder = make_folder(tmp_path / "kept/data")
    TOOL.write_rows(TOOL.keep(tmp_path / "results", "a machine"), folder / "leads.json")
    lines = TOOL.render_leads(folder.parent, "results/").splitlines()
    assert [line.partition(" | 2 |")[0] for line in lines[2:]] == [
        f"| [Two methods](results/leads.md) | bic, {number} iterations" for number in (3, 5)
    ]
