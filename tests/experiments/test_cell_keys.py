"""Keys of cells: the same settings give the same key in every process, and every setting matters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import bnsearch
from bnsearch.experiments.cells import list_cells
from bnsearch.experiments.sources import FileSource, drop_unobserved_states, split_rows
from bnsearch.networks import load_network
from experiment_plans import SMALL, make_plan, write_asia, write_plan


def keys_of(folder: Path, text: str) -> list[str]:
    """Return the keys of a plan's cells."""
    return [cell.key for cell in list_cells(make_plan(folder, text))]


def test_keys_are_the_same_in_another_process(tmp_path):
    """A key does not depend on hash seeds."""
    path = write_plan(tmp_path, SMALL)
    code = (
        "import sys; from bnsearch.experiments import read_plan; from bnsearch.experiments.cells import list_cells; "
        "print(*[cell.key for cell in list_cells(read_plan(sys.argv[1]))])"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(bnsearch.__file__).parents[1]), "PYTHONHASHSEED": "5"}
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], env=environment, text=True, capture_output=True, check=True
    )
    keys = keys_of(tmp_path, SMALL)
    assert done.stdout.split() == keys
    assert len(set(keys)) == 16


@pytest.mark.parametrize(
    ("old", "new"),
    [('"Tabu 5"', '"Another label"'), ('"Small"', '"Another title"'), ('"regret"', '"edges"')],
)
def test_labels_and_measures_do_not_matter(tmp_path, old, new):
    """Titles, labels and measures are of the report, not of the cells."""
    changed = SMALL.replace(old, new)
    assert keys_of(tmp_path, changed) == keys_of(tmp_path, SMALL)


@pytest.mark.parametrize(
    ("old", "new", "shared"),
    [
        ("seeds = [1, 2]", "seeds = [1, 2, 3]", 16),
        ("iterations = 3", "iterations = 4", 0),
        ("length = 5", "length = 6", 8),
        ("rows = [100, 200]", "rows = [100, 300]", 8),
        ('title = "Small"', "threads = 2", 0),
        ('title = "Small"', 'scores = ["bic", "aic"]', 16),
        ("length = 5", "length = 5, perturbation = 0.5", 16),
    ],
)
def test_changed_plan(tmp_path, old, new, shared):
    """A change concerns only its cells; a parameter with its default value is no change."""
    before, after = set(keys_of(tmp_path, SMALL)), set(keys_of(tmp_path, SMALL.replace(old, new)))
    assert len(before & after) == shared


def test_content_of_files_matters(tmp_path):
    """A changed file is another source; a moved one is not."""
    text = 'budgets = [{ iterations = 2 }]\nmethods = ["tabu"]\nsources = [{ file = "asia.csv" }]\n'
    first = write_asia(tmp_path)
    before = keys_of(tmp_path, text)
    first.rename(tmp_path / "moved.csv")
    assert keys_of(tmp_path, text.replace("asia.csv", "moved.csv")) == before
    write_asia(tmp_path, rows=121)
    assert keys_of(tmp_path, text) != before


def test_split_rows():
    """A quarter of the rows is held out; no row is lost, and both parts have all states."""
    data = load_network("asia").sample(100, 1)
    training, held_out = split_rows(data, 0.25)
    assert (training.n_rows, held_out.n_rows) == (75, 25)
    assert training.states == held_out.states == data.states
    rows = sorted(map(tuple, [*training.codes.T.tolist(), *held_out.codes.T.tolist()]))
    assert rows == sorted(map(tuple, data.codes.T.tolist()))


def test_unobserved_states():
    """States that do not occur are dropped, and the labels of the others stay."""
    data = load_network("asia").sample(3, 1)
    kept = drop_unobserved_states(data)
    assert kept.names == data.names
    for before, after, states, left in zip(data.codes, kept.codes, data.states, kept.states, strict=True):
        assert [states[code] for code in before] == [left[code] for code in after]
        assert set(left) == {states[code] for code in before}


def test_truth_and_test_files(tmp_path):
    """A file with a true network and a file of held-out rows has both."""
    source = FileSource("a", str(write_asia(tmp_path)), truth="asia", test=str(write_asia(tmp_path, "t.csv", 30)))
    material = source.load(1)
    assert (source.has_truth, source.has_held_out) == (True, True)
    assert material.truth == load_network("asia").dag
    assert material.held_out.n_rows == 30
