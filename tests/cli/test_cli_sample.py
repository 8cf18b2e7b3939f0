"""`bnsearch sample`."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from bnsearch.data import Dataset
from bnsearch.graphs import DAG
from bnsearch.networks import BayesianNetwork, load_network
from bnsearch.networks.files import write_network


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x.parquet"])
def test_writes_the_sample(run, name):
    """The file holds the rows that the library draws with the same seed; stdout stays empty."""
    outcome = run("sample", "asia", "--rows", 40, "--seed", 3, "-o", name)
    assert outcome == (0, "", f"wrote {name}: 40 rows of 8 variables\n")
    drawn = load_network("asia").sample(40, seed=3)
    assert Dataset.read(name).to_polars().cast(str).equals(drawn.to_polars().cast(str))


def test_seed_decides(run):
    """The same seed gives the same bytes, another seed others; without one it is 0."""
    for name, seed in (("a.csv", ["--seed", 0]), ("b.csv", []), ("c.csv", ["--seed", 1])):
        run("sample", "asia", "--rows", 100, "--output", name, *seed)
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    assert Path("a.csv").read_bytes() != Path("c.csv").read_bytes()


def test_from_a_file(run):
    """A network file is sampled like the named network it was made from."""
    run("convert", "asia", "net.json.gz")
    run("sample", "net.json.gz", "--rows", 30, "-o", "a.csv")
    run("sample", "asia", "--rows", 30, "-o", "b.csv")
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["aisa", "--rows", 5, "-o", "x.csv"], "did you mean 'asia'?"),
        (["no.bif", "--rows", 5, "-o", "x.csv"], "no.bif does not exist"),
        (["folder.bif", "--rows", 5, "-o", "x.csv"], "folder.bif is a folder"),
        (["net.txt", "--rows", 5, "-o", "x.csv"], "net.txt: the extension must be one of"),
        (["cut.bif", "--rows", 5, "-o", "x.csv"], "cut.bif, line"),
        (["shape.csv", "--rows", 5, "-o", "x.csv"], "shape.csv holds a structure without tables"),
        (["shape.json", "--rows", 5, "-o", "x.csv"], "shape.json holds a structure without tables"),
        (["shape.dot", "--rows", 5, "-o", "x.csv"], ".dot files cannot be read"),
        (["", "--rows", 5, "-o", "x.csv"], "there is no network or file ''"),
        (["asia", "--rows", 0, "-o", "x.csv"], "rows must be a whole number, at least 1, not 0"),
        (["asia", "--rows", -5, "-o", "x.csv"], "rows must be"),
        (["asia", "--rows", 10**15, "-o", "x.csv"], "do not fit into memory"),
        (["asia", "--rows", 10**30, "-o", "x.csv"], "do not fit into memory"),
        (["asia", "--rows", 5, "--seed", -1, "-o", "x.csv"], "seed must be a whole number, at least 0"),
        (["asia", "--rows", 5, "-o", "x.txt"], "x.txt: the name of a table must end with"),
        (["asia", "--rows", 5, "-o", "x.dat"], "x.dat"),
        (["asia", "--rows", 5, "-o", "x"], "x: the name of a table must end with"),
        (["asia", "--rows", 5, "-o", "no/x.csv"], "does not exist"),
        (["asia", "--rows", 5, "-o", "folder.csv"], "it is a folder"),
        (
            ["no.bif", "--rows", 10**15, "-o", "x.txt"],
            "x.txt: the name of a table must end with",
        ),  # the output comes first
        (["no.bif", "--rows", 10**15, "-o", "no/x.csv"], "cannot write no/x.csv"),
    ],
)
def test_bad_input(refused, run, tmp_path, arguments, said):
    """An error in the network, the numbers or the output is reported in one line."""
    (tmp_path / "folder.bif").mkdir()
    (tmp_path / "folder.csv").mkdir()
    for name in ("whole.bif", "shape.csv", "shape.dot"):
        run("convert", "asia", name)
    run("convert", "shape.csv", "shape.json")
    text = Path("whole.bif").read_text()
    Path("cut.bif").write_text(text[: len(text) // 2])
    assert said in refused("sample", *arguments)
    assert not Path("x.csv").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("name", ["full.csv", "full.csv.gz", "full.parquet"])
def test_full_disk(refused, tmp_path, name):
    """A disk that fills up while writing is reported, with the name of the file."""
    (tmp_path / name).symlink_to("/dev/full")
    said = refused("sample", "asia", "--rows", 5, "-o", name)
    assert f"cannot write {name}: " in said
    assert "No space left" in said


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_output_not_writable(refused, tmp_path):
    """A folder that may not be written to is reported."""
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)
    assert "Permission denied" in refused("sample", "asia", "--rows", 5, "-o", "locked/x.csv")


def test_a_state_called_na_is_written_and_read_back(run, tmp_path):
    """A table with a state NA is written to CSV, and read back with this state."""
    network = BayesianNetwork(
        DAG(["a", "b"], [[], [0]]), [("NA", "yes"), ("0", "1")], [np.array([0.5, 0.5]), np.array([[0.2, 0.8], [1, 0]])]
    )
    write_network(network, tmp_path / "net.bif")
    assert run("sample", "net.bif", "--rows", 50, "-o", "a.csv").code == 0
    assert Dataset.read("a.csv").states == network.states
