"""Drawings as SVG."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st
from random_dags import dags

from bnsearch.drawing.svg import MAX_NOTEBOOK_VARIABLES, render_structure
from bnsearch.graphs import DAG, PDAG, cpdag
from bnsearch.networks import load_network

SPACE = "{http://www.w3.org/2000/svg}"


@given(dags())
def test_every_variable_and_edge_is_drawn(dag):
    """A label and a box for each variable, a title for each edge; the file is well-formed."""
    root = ElementTree.fromstring(render_structure(dag))
    boxes = [box for box in root.iter(f"{SPACE}rect") if box.get("rx")]
    assert len(boxes) == len(list(root.iter(f"{SPACE}text"))) == len(dag.names)
    edges = [title.text for group in root.iter(f"{SPACE}g") for title in group.findall(f"{SPACE}title")]
    assert sorted(edges) == sorted(f"{parent} → {child}" for parent, child in dag.edges)


@given(st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=4, unique=True))
def test_any_name_can_be_drawn(names):
    """XML markup, control characters and lone surrogates in names do not break the file."""
    root = ElementTree.fromstring(render_structure(DAG.empty(names)).encode())
    assert len(list(root.iter(f"{SPACE}text"))) == len(names)


def test_names_are_escaped():
    """Markup in names is escaped; a shortened label has the whole name as its title."""
    dag = DAG.from_edges(['<script>&"', "x" * 30], [('<script>&"', "x" * 30)])
    text = render_structure(dag)
    assert "<script" not in text
    assert "&lt;script&gt;&amp;&quot;</text>" in text
    assert f"<title>{'x' * 30}</title>{'x' * 23}…</text>" in text


def test_notebooks_draw_what_is_not_too_large():
    """A notebook shows a DAG and a network, but no graph of more than 500 variables or 2,000 edges."""
    asia = load_network("asia")
    assert asia._repr_svg_() == asia.dag._repr_svg_() == render_structure(asia.dag)
    assert DAG.empty([f"v{i}" for i in range(MAX_NOTEBOOK_VARIABLES + 1)])._repr_svg_() is None
    assert DAG([f"v{i}" for i in range(64)], [range(i) for i in range(64)])._repr_svg_() is None  # 64 * 63 / 2 edges


def test_a_graph_without_variables():
    """The drawing of an empty graph is a well-formed file."""
    assert not list(ElementTree.fromstring(render_structure(DAG([], []))).iter(f"{SPACE}text"))


def test_equivalence_classes():
    """In the class of a -> c <- b, c -> d all edges have arrows; in the class of a chain none has."""
    directed = DAG.from_edges("abcd", [("a", "c"), ("b", "c"), ("c", "d")])
    assert cpdag(directed)._repr_svg_() == render_structure(directed)
    chain = cpdag(DAG.from_edges("abc", [("a", "b"), ("b", "c")]))
    root = ElementTree.fromstring(chain._repr_svg_())
    titles = [title.text for title in root.iter(f"{SPACE}title")]
    assert {frozenset(title.split(" — ")) for title in titles} == {frozenset("ab"), frozenset("bc")}
    assert len(list(root.iter(f"{SPACE}path"))) == 2


def test_a_graph_without_an_extension_is_not_drawn():
    """A directed cycle has no layers."""
    cycle = PDAG.from_edges("abc", [("a", "b"), ("b", "c"), ("c", "a")])
    assert cycle._repr_svg_() is None
