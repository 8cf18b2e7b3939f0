"""`bnsearch show`: drawings, tables and summaries."""

from __future__ import annotations

import io
import re
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from bnsearch.drawing.text import ASCII, UNICODE, draw_tree
from bnsearch.graphs import DAG
from bnsearch.networks import BayesianNetwork, load_network, random_network
from bnsearch.networks.files import write_network, write_structure

ASIA = """\
8 variables, 8 edges, 18 free parameters

asia
└─ tub
   └─ either, also from lung
      ├─ xray
      └─ dysp, also from bronc
smoke
├─ lung
│  └─ either, see above
└─ bronc
   └─ dysp, see above
"""


@st.composite
def dags(draw) -> DAG:
    """Return a DAG whose variables are numbered against the direction of the edges half of the time."""
    n = draw(st.integers(1, 8))
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    names = [f"v{x}" for x in (range(n) if draw(st.booleans()) else range(n - 1, -1, -1))]
    return DAG.from_edges(sorted(names), [(names[a], names[b]) for a, b in edges])


@given(dags(), st.sampled_from([UNICODE, ASCII]))
def test_a_drawing_has_every_edge_once(dag, strokes):
    """The parent of a line is the last line above it with less indentation; these pairs are the edges."""
    edges, above = [], {}
    for indentation, text in draw_tree(dag, dag.names.__getitem__, strokes):
        depth, name = len(indentation) // 3, text.partition(",")[0]
        above[depth] = name
        if depth:
            edges.append((above[depth - 1], name))
        else:
            assert not dag.parents[dag.names.index(name)]
        if ", also from " in text:
            parents = {above[depth - 1], *text.partition(", also from ")[2].split(", ")}
            assert parents == {dag.names[p] for p in dag.parents[dag.names.index(name)]}
    assert sorted(edges) == sorted(dag.edges)


def test_a_small_network_is_drawn(run):
    """The text goes to stdout, so that it can be piped."""
    assert run("show", "asia") == (0, ASIA, "")


def test_a_structure_has_no_tables(run, tmp_path):
    """A structure is drawn, and a variable of it has parents and children only."""
    write_structure(load_network("asia").dag, tmp_path / "s.csv")
    assert run("show", "s.csv").out == ASIA.replace("18 free parameters", "no tables")
    assert run("show", "s.csv", "--variable", "lung").out == "lung\n  parents: smoke\n  children: either\n\n"


def test_a_table(run):
    """One row for each configuration of the parents, and one column for each state."""
    assert run("show", "asia", "--variable", "either", "--variable", "smoke").out == (
        "either\n  parents: tub, lung\n  children: xray, dysp\n\n"
        "  tub  lung     yes      no\n"
        "  yes  yes   1.0000  0.0000\n"
        "  yes  no    1.0000  0.0000\n"
        "  no   yes   1.0000  0.0000\n"
        "  no   no    0.0000  1.0000\n"
        "\nsmoke\n  parents: none\n  children: lung, bronc\n\n  yes         no\n  0.5000  0.5000\n\n"
    )


def test_all_tables(run):
    """--tables shows every variable."""
    out = run("show", "greenhouse", "--tables").out
    assert [name for name in load_network("greenhouse").names if f"{name}\n  parents: " not in out] == []


@pytest.mark.parametrize("columns", [20, 33, 60, 100])
def test_lines_fit_the_terminal(run, monkeypatch, tmp_path, columns):
    """Drawings, tables of many states, and summaries have the width of the terminal; wide characters count twice."""
    chain = load_network("asia").dag
    names = ["変数" * 20, *chain.names[1:]]
    states = [[f"state {i} of {x}" for i in range(9)] if x == 0 else ["yes", "no"] for x in range(8)]
    sizes = [[len(states[p]) for p in (*parents, x)] for x, parents in enumerate(chain.parents)]
    tables = [make_uniform(size) for size in sizes]
    write_network(BayesianNetwork(DAG(tuple(names), chain.parents), states, tables), tmp_path / "wide.json")
    write_network(random_network(150, 1.5, 3, 1), tmp_path / "large.bif")
    monkeypatch.setenv("COLUMNS", str(columns))
    for arguments in (
        ["wide.json"],
        ["wide.json", "--tables"],
        ["large.bif"],
        ["greenhouse"],
        ["greenhouse", "--tables"],
    ):
        outcome = run("show", *arguments)
        assert outcome.code == 0
        assert max(map(cell_len, outcome.out.splitlines())) <= columns, arguments


def make_uniform(shape: list[int]):
    """Return a table of uniform distributions."""
    import numpy as np

    return np.full(shape, 1 / shape[-1])


def test_a_large_network_has_a_summary(run, tmp_path):
    """Numbers, and the variables with the most edges; the largest table has the cells of its family."""
    network = random_network(200, 2.0, 3, 1)
    write_network(network, tmp_path / "large.bif")
    out = run("show", "large.bif").out
    assert out.startswith("200 variables, 400 edges; too large for a drawing in 100 columns\n")
    cells = max(table.size for table in network.tables)
    assert re.search(rf"^cells of the largest table +{cells:,}$", out, re.MULTILINE)
    assert re.search(rf"^free parameters +{network.parameters:,}$", out, re.MULTILINE)
    degrees = {name: sum(name in edge for edge in network.dag.edges) for name in network.names}
    top = re.search(r"^most edges.*\n(x\d+) +(\d+) +(\d+)$", out, re.MULTILINE)
    assert int(top[2]) + int(top[3]) == degrees[top[1]] == max(degrees.values())


def test_a_deep_network_has_a_summary(run, monkeypatch, tmp_path):
    """A chain of 60 variables would be indented by 177 columns."""
    names = [f"v{i}" for i in range(60)]
    write_structure(DAG.from_edges(names, list(pairwise(names))), tmp_path / "chain.json")
    assert "too large for a drawing in 100 columns" in run("show", "chain.json").out
    monkeypatch.setenv("COLUMNS", "400")
    assert "see above" not in run("show", "chain.json").out
    assert run("show", "chain.json").out.count("v59\n") == 1


def test_names_cannot_reach_the_terminal(run, tmp_path):
    """Control characters of names and states are escaped."""
    dag = DAG.from_edges(["a\x1b[31m", "b\nc"], [("a\x1b[31m", "b\nc")])
    write_structure(dag, tmp_path / "s.json")
    assert run("show", "s.json").out.endswith("\na\\x1b[31m\n└─ b\\nc\n")


def test_ascii(run, monkeypatch):
    """Without Unicode, lines are drawn with ASCII characters."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    assert run("show", "asia").code == 0
    out = stream.buffer.getvalue().decode("ascii")
    assert out.splitlines()[2:7] == [
        "asia",
        "`- tub",
        "   `- either, also from lung",
        "      |- xray",
        "      `- dysp, also from bronc",
    ]


def test_wrong_input(refused, tmp_path):
    """Files and names that do not exist, and options that exclude each other."""
    assert "nowhere.bif does not exist" in refused("show", "nowhere.bif")
    assert "there is no network or file 'nowhere'" in refused("show", "nowhere")
    assert "did you mean 'smoke'?" in refused("show", "asia", "--variable", "smok")
    assert "occurs twice" in refused("show", "asia", "--variable", "lung", "--variable", "lung")
    assert "choose one of them" in refused("show", "asia", "--variable", "lung", "--tables")
    (tmp_path / "text.bif").write_text("not a network")
    assert "text.bif" in refused("show", "text.bif")
