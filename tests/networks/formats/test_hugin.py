"""Hugin's NET language."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.files import read_network
from bnsearch.networks.formats import hugin
from bnsearch.networks.formats.source import Source
from bnsearch.networks.network import BayesianNetwork
from format_samples import HUGIN, LAWN, assert_same, networks


def parse(text: str) -> BayesianNetwork:
    return hugin.parse(Source("lawn.net", text))


def error(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse(text)
    return str(caught.value)


def test_sample_reads() -> None:
    """The embedded sample: comments, unknown attributes, a typed node, parents out of order."""
    assert_same(parse(HUGIN), LAWN)


def test_text_of_a_network() -> None:
    """The writer quotes states and writes one pair of parentheses for each parent."""
    text = hugin.render(LAWN)
    assert text.startswith('net {\n}\nnode rain {\n  states = ("yes" "no");\n}\n')
    assert "potential (rain) {\n  data =\n    (0.2 0.8);\n}\n" in text
    assert text.endswith(
        "potential (grass | rain sprinkler) {\n  data =\n    (((0.8 0.2)\n    (1.0 0.0)\n    (1.0 0.0))\n"
        "    ((0.05 0.95)\n    (0.7 0.3)\n    (1.0 0.0)));\n}\n"
    )


@given(networks())
def test_round_trip(network: BayesianNetwork) -> None:
    """Any names, states and probabilities are restored exactly."""
    assert_same(parse(hugin.render(network)), network)


def test_names_that_are_no_identifiers() -> None:
    """'a b' becomes the node x0_ (x0 is taken), its name kept aside; 'node' is a keyword."""
    dag = DAG(["a b", "x0", "node"], [(1,), (), (0,)])
    tables = [LAWN.tables[1][:, :2] / LAWN.tables[1][:, :2].sum(axis=1, keepdims=True)]
    network = BayesianNetwork(dag, [["y", "n"]] * 3, [tables[0], LAWN.tables[0], tables[0]])
    text = hugin.render(network)
    assert 'node x0_ {\n  states = ("y" "n");\n  bnsearch_name = "a b";\n}\n' in text
    assert "potential (x2 | x0_) {" in text
    assert_same(parse(text), network)


def test_class_and_bare_labels() -> None:
    """The reader accepts a class with attributes, unquoted labels with marks, and a bar without parents."""
    text = """
    class lawn
    {
        inputs = ();
        node X { states = ( [0.5;1[ [1;3.25], -1 % the last
                          ); }
        potential (X |) { model_nodes = (); data = (0.25 0.25 0.5); }
    }
    """
    network = parse(text)
    assert network.states == (("[0.5;1[", "[1;3.25]", "-1"),)
    assert network.tables[0].tolist() == [0.25, 0.25, 0.5]


X = 'node X {\n  states = ("a" "b");\n}\n'


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("node X {\n}\n", 1, "'X' has no states"),
        ("node X Y {\n}\n", 1, "must have one name"),
        ('node X "Y" {\n}\n', 1, "must have one name"),
        (X + "potential (X) {\n  data = (0.5 { 0.5);\n}", 5, "a number"),
        (X + X, 4, "a node must have one name that is not used before"),
        (X + "\nutility U {\n}", 5, "only discrete chance nodes are supported"),
        (X + "continuous node Y {\n}", 4, "only discrete chance nodes are supported"),
        (X + "}\n", 4, "expected net, node or potential"),
        ("class C {\n" + X + "potential (X) { data = (0.5 0.5); }\n", 6, "the file ends in a class"),
        (X + "potential (X) {\n  data = (0.5 0.5;\n}", 5, "missing closing parenthesis"),
        (X + "potential (X) {\n  data = (0.5\n 0.5));\n}", 6, "unmatched closing parenthesis"),
        (X + "potential (X) {\n  data = (0.5 half);\n}", 5, "'half' is not a number"),
        (X + "potential (X) {\n  data = (0.5 0.3 0.2);\n}", 4, "has 3 numbers; it must have 2"),
        (X + "potential (X) {\n}", 4, "has 0 numbers; it must have 2"),
        (X + "potential (X) {\n  data =\n  (0.5\n0.6);\n}", 6, "not a distribution"),
        (X + "potential (Y) {\n  data = (1);\n}", 4, "no variable is named 'Y'"),
        (X + "potential (X X) {\n  data = (1);\n}", 4, "with one variable X"),
        (X + "potential (X)\n{ data = (1", 5, "the file ends in a potential"),
        (X + 'node Y { states = ("a\n', 4, "never closed"),
    ],
)
def test_errors_name_the_line(text: str, line: int, words: str) -> None:
    """Every error names the file, the line and the reason, in one line."""
    message = error(text)
    assert message.startswith(f"lawn.net, line {line}: ")
    assert words in message
    assert "\n" not in message


def test_astronomic_table_is_refused_unallocated() -> None:
    """60 parents of 10 states make 10^60 rows; two numbers are there."""
    nodes = [f"P{i}" for i in range(60)]
    labels = " ".join(map(str, range(10)))
    text = "".join(f"node {node} {{ states = ({labels}); }}\n" for node in [*nodes, "X"])
    assert f"has 2 numbers; it must have 1{'0' * 61}" in error(
        text + f"potential (X | {' '.join(nodes)}) {{ data = (1 0); }}"
    )


@pytest.mark.parametrize("piece", ['"\\', "{", "(", "potential (", "node ", "% ", "x = ", "class { "])
def test_repetition_is_no_trap(piece: str) -> None:
    """A piece of text repeated 30,000 times raises an error quickly; a quadratic reader would take very long."""
    assert error(X + piece * 30_000).startswith("lawn.net")


def test_repository_networks_round_trip(shared_data: Path) -> None:
    """Public networks are restored exactly from NET."""
    for name in ("child", "insurance", "water"):
        network = read_network(shared_data / "networks" / f"{name}.bif.gz")
        assert_same(parse(hugin.render(network)), network)
