"""Networks by name: the embedded examples, files, and the networks of pgmpy."""

from __future__ import annotations

import gzip
import importlib.util
import itertools
import sys
from importlib import resources

import numpy as np
import pytest

from bnsearch.errors import InputError
from bnsearch.networks.files import read_network, write_network, write_structure
from bnsearch.networks.named import list_examples, list_networks, load_graph, load_network
from bnsearch.networks.random_network import compute_edge_strength


@pytest.fixture
def no_pgmpy(monkeypatch):
    """Hide an installed pgmpy."""
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)


@pytest.fixture
def fake_pgmpy(monkeypatch, tmp_path):
    """Install a fake pgmpy that contains a network `rainy` and cannot be imported."""
    folder = tmp_path / "pgmpy" / "utils" / "example_models"
    folder.mkdir(parents=True)
    (tmp_path / "pgmpy" / "__init__.py").write_text("raise RuntimeError('imported')\n")
    text = "network rainy {}\nvariable rain { type discrete [ 2 ] { yes, no }; }\n"
    text += "probability ( rain ) { table 0.25, 0.75; }\n"
    (folder / "rainy.bif.gz").write_bytes(gzip.compress(text.encode()))
    (folder / "notes.txt").write_text("no network")
    monkeypatch.delitem(sys.modules, "pgmpy", raising=False)
    monkeypatch.syspath_prepend(tmp_path)


def test_examples_are_the_embedded_files():
    """The list of names is the list of files in the package."""
    folder = resources.files("bnsearch.networks") / "examples"
    assert sorted(f"{name}.bif" for name in list_examples()) == sorted(file.name for file in folder.iterdir())


def test_asia_by_enumeration():
    """
    The marginals of the paper's example come out.

    tub: .01 * .05 + .99 * .01 = .0104; lung: .5 * .1 + .5 * .01 = .055; either: 1 - .9896 * .945 = .064828;
    xray: .98 * .064828 + .05 * .935172 = .11029004.
    dysp: given smoke lung is .1, either .10936, bronc .6: .6 (.10936 * .9 + .89064 * .8) + .4 (.10936 * .7 +
    .89064 * .1) = .552808; given no smoke .01, .020296, .3: .3191332 alike; half of each: .4359706.
    """
    asia = load_network("asia")
    assert len(asia.names) == 8
    assert asia.parameters == 18
    yes = dict.fromkeys(asia.names, 0.0)
    for codes in itertools.product((0, 1), repeat=8):
        probability = np.prod(
            [asia.tables[x][tuple(codes[p] for p in asia.dag.parents[x])][codes[x]] for x in range(8)]
        )
        for name, code in zip(asia.names, codes, strict=True):
            yes[name] += probability if code == 0 else 0
    assert yes["either"] == pytest.approx(0.064828, abs=1e-12)
    assert yes["xray"] == pytest.approx(0.11029004, abs=1e-12)
    assert yes["dysp"] == pytest.approx(0.4359706, abs=1e-12)


def test_asia_is_the_repository_network(shared_data):
    """The published file has the same variables, edges, states and numbers."""
    published = read_network(shared_data / "networks" / "asia.bif.gz")
    assert load_network("asia").equals(published, tolerance=1e-12)


def test_greenhouse():
    """34 variables of 2 to 4 states, 56 edges; rows sum to one, nothing is impossible, every edge counts."""
    greenhouse = load_network("greenhouse")
    assert len(greenhouse.names) == 34
    assert len(greenhouse.dag.edges) == 56
    assert set(greenhouse.arities.tolist()) == {2, 3, 4}
    for table, parents in zip(greenhouse.tables, greenhouse.dag.parents, strict=True):
        assert table.sum(axis=-1) == pytest.approx(1, abs=1e-12)
        assert table.min() > 0
        assert all(compute_edge_strength(table, axis) > 0.08 for axis in range(len(parents)))


def test_a_path_is_read(tmp_path, monkeypatch):
    """A file can be given as a Path, as a string, or as a file name with an extension."""
    asia = load_network("asia")
    write_network(asia, tmp_path / "mine.bif")
    monkeypatch.chdir(tmp_path)
    assert load_network(tmp_path / "mine.bif").equals(asia)
    assert load_network(str(tmp_path / "mine.bif")).equals(asia)
    assert load_network("mine.bif").equals(asia)


def test_a_graph_by_name_or_file(tmp_path):
    """`load_graph` returns a network for an example and a file with tables, otherwise a structure."""
    asia = load_network("asia")
    assert load_graph("asia").equals(asia)
    write_network(asia, tmp_path / "asia.net")
    assert load_graph(tmp_path / "asia.net").equals(asia)
    write_structure(asia.dag, tmp_path / "asia.json")
    assert load_graph(str(tmp_path / "asia.json")) == asia.dag
    with pytest.raises(InputError, match="there is no network or file 'aisa'"):
        load_graph("aisa")


def test_a_missing_file_is_named():
    """A name with an extension or a folder is treated as a file."""
    with pytest.raises(InputError, match=r"nowhere\.bif"):
        load_network("nowhere.bif")


@pytest.mark.usefixtures("fake_pgmpy")
def test_pgmpy_is_read_without_importing_it():
    """The network is read from the folder of the package, which is not imported."""
    assert load_network("rainy").tables[0].tolist() == [0.25, 0.75]
    assert list_networks() == ["asia", "greenhouse", "rainy"]
    assert "pgmpy" not in sys.modules
    with pytest.raises(InputError, match="pgmpy has rainy; did you mean 'rainy'"):
        load_network("rainny")


@pytest.mark.usefixtures("no_pgmpy")
def test_an_unknown_name_says_what_there_is():
    """The error lists the examples, says how to get more, and suggests a similar name."""
    assert list_networks() == list_examples() == ["asia", "greenhouse"]
    with pytest.raises(InputError) as error:
        load_network("Azia")
    text = str(error.value)
    assert "'Azia'" in text
    assert "asia, greenhouse" in text
    assert "pip install bnsearch[networks]" in text
    assert text.endswith("did you mean 'asia'?")
    with pytest.raises(InputError) as error:
        load_network("zzzzzz")
    assert "did you mean" not in str(error.value)
    with pytest.raises(InputError, match=r"there is no network or file 'xxx.*\.\.\.'"):
        load_network("x" * 400)
