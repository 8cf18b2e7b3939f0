"""`bnsearch convert`."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnsearch.networks import load_network
from bnsearch.networks.files import read_network, read_structure


@pytest.mark.parametrize("name", ["x.bif", "x.bif.gz", "x.net", "x.json", "x.JSON.gz"])
def test_network_to_network(run, name):
    """A network keeps its structure, states and tables."""
    assert run("convert", "asia", name) == (0, "", f"wrote {name}: 8 variables, 8 edges\n")
    assert read_network(name).equals(load_network("asia"))


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz"])
def test_network_to_structure(run, name):
    """An adjacency matrix takes the structure of a network."""
    assert run("convert", "greenhouse", name).code == 0
    assert read_structure(name) == load_network("greenhouse").dag


def test_network_to_drawing(run):
    """A drawing names every variable and every edge."""
    assert run("convert", "asia", "x.dot").code == 0
    text = Path("x.dot").read_text()
    assert text.startswith("digraph")
    assert text.count("->") == 8


def test_network_to_svg(run):
    """A drawing for browsers; a structure can be drawn as well."""
    assert run("convert", "asia", "x.svg").code == 0
    run("convert", "asia", "a.csv")
    assert run("convert", "a.csv", "y.svg") == (0, "", "wrote y.svg: 8 variables, 8 edges, no tables\n")
    assert Path("x.svg").read_text() == Path("y.svg").read_text()
    assert Path("x.svg").read_text().startswith("<svg")


def test_structure_to_structure(run):
    """A structure goes through .csv, .json and back, and the note says that there are no tables."""
    run("convert", "asia", "a.csv")
    assert run("convert", "a.csv", "b.json") == (0, "", "wrote b.json: 8 variables, 8 edges, no tables\n")
    assert run("convert", "b.json", "c.csv.gz").code == 0
    assert read_structure("c.csv.gz") == load_network("asia").dag


def test_a_variable_called_table(run):
    """JSON without tables is a structure even where a variable is called like the key of a table."""
    Path("a.csv").write_text('table,"say ""table"": x"\n0,1\n0,0\n')
    run("convert", "a.csv", "b.json")
    assert run("convert", "b.json", "c.csv").code == 0
    assert read_structure("c.csv") == read_structure("a.csv")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shape.csv", "x.bif"], "x.bif: a .bif file needs tables, but a structure has none"),
        (["shape.json", "x.net"], "x.net: a .net file needs tables, but a structure has none"),
        (["asia", "x.txt"], "x.txt: the extension must be one of"),
        (["asia", "x"], "x: the extension must be one of"),
        (["asia", "no/x.bif"], "cannot write no/x.bif"),
        (["cut.bif", "no/x.bif"], "cannot write no/x.bif"),  # the output comes first
        (["cut.bif", "x.txt"], "x.txt: the extension must be one of"),
        (["asia", "folder.bif"], "cannot write folder.bif: it is a folder"),
        (["no.bif", "x.bif"], "no.bif does not exist"),
        (["folder.bif", "x.bif"], "folder.bif is a folder"),
        (["folder", "x.bif"], "there is no network or file 'folder'"),
        (["shape.dot", "x.csv"], ".dot files cannot be read"),
        (["cut.bif", "x.net"], "cut.bif, line"),
        (["cut.json", "x.net"], "cut.json, line"),
        (["empty.bif", "x.net"], "empty.bif"),
        (["bytes.json", "x.net"], "bytes.json, line 1: not UTF-8"),
        (["odd\nname.bif", "x.net"], "odd\\nname.bif does not exist"),
    ],
)
def test_bad_input(refused, run, tmp_path, arguments, said):
    """A file that cannot be read or written is reported in one line, and no file appears."""
    (tmp_path / "folder.bif").mkdir()
    (tmp_path / "folder").mkdir()
    for name in ("whole.bif", "whole.json", "shape.csv", "shape.dot"):
        run("convert", "asia", name)
    run("convert", "shape.csv", "shape.json")
    for name in ("bif", "json"):
        text = Path(f"whole.{name}").read_text()
        Path(f"cut.{name}").write_text(text[: len(text) * 2 // 3])
    Path("empty.bif").write_text("")
    Path("bytes.json").write_bytes(b"\xff\xfe{}")
    assert said in refused("convert", *arguments)
    assert not list(tmp_path.glob("x*"))


def test_a_file_is_not_converted_to_itself(run, refused):
    """The input is not overwritten, also by another path to it."""
    run("convert", "asia", "x.bif")
    before = Path("x.bif").read_bytes()
    assert "x.bif is already one of the files to read" in refused("convert", "x.bif", "x.bif")
    Path("link.bif").symlink_to("x.bif")
    assert "link.bif is already one of the files to read" in refused("convert", "x.bif", "link.bif")
    assert Path("x.bif").read_bytes() == before
