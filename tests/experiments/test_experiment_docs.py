"""The plans of docs/experiments.md and of the folder `experiments` are valid; the page names all measures."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from bnsearch.experiments import read_plan, run_experiment, sources, write_report
from bnsearch.experiments.cells import list_cells
from bnsearch.experiments.measures import MEASURES
from bnsearch.networks import load_network
from experiment_plans import write_plan

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
PLANS = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


def test_three_methods_three_networks_five_seeds(tmp_path):
    """The first plan has 45 cells; a short version of it runs."""
    plan = read_plan(write_plan(tmp_path, PLANS[0]))
    assert len(list_cells(plan)) == 3 * 3 * 5
    assert len({source.dataset for source in plan.sources}) == 3
    short = PLANS[0].replace("seconds = 5", "iterations = 1").replace(', "ges"', "").replace("1, 2, 3, 4, 5", "1")
    end = run_experiment(write_plan(tmp_path, short), tmp_path / "results")
    assert (end.done, end.failed) == (6, 0)
    assert write_report(tmp_path / "results")[0].is_file()


def test_own_files(tmp_path):
    """The second plan reads all CSV files of a folder beside it."""
    (tmp_path / "tables").mkdir()
    for name in ("first", "second"):
        load_network("asia").sample(80, 1).write(tmp_path / "tables" / f"{name}.csv")
    plan = read_plan(write_plan(tmp_path, PLANS[1]))
    assert [source.dataset for source in plan.sources] == ["first", "second"]
    assert len(list_cells(plan)) == 2 * 2 * 2 * 3


def test_claims_of_the_page(tmp_path):
    """The example of a claim fits to a plan with two methods of these labels."""
    methods = '[{ name = "obs", label = "OBS FAS" }, { name = "obs", label = "OBS random" }]'
    text = f'methods = {methods}\nbudgets = [{{ seconds = 1 }}]\nsources = [{{ network = "asia", rows = 9 }}]\n'
    assert read_plan(write_plan(tmp_path, text + PLANS[2])).claims[0].than == ("OBS random",)


def test_all_measures_are_described():
    """The table of measures names every measure, and no other."""
    table = PAGE[PAGE.index("### Measures") : PAGE.index("## The report")]
    named = [name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)]
    assert sorted(named) == sorted(MEASURES)


@pytest.fixture(scope="module")
def networks_read_once():
    """Read each network once, because many plans use the same ones."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "load_graph", cache(sources.load_graph))
        patch.setattr(sources, "load_network", cache(sources.load_network))
        yield


@pytest.mark.usefixtures("networks_read_once")
@pytest.mark.parametrize("path", sorted((ROOT / "experiments").glob("**/*.toml")), ids=lambda path: path.stem)
def test_plans_of_the_repository(path, shared_data, monkeypatch):
    """Every plan in `experiments` is valid, and so is its small version."""
    monkeypatch.setenv("BNSEARCH_DATA", str(shared_data))
    whole, small = (len(list_cells(read_plan(path, small=small))) for small in (False, True))
    assert 0 < small < whole
