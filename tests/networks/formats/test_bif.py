"""The Bayesian Interchange Format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from bnsearch.errors import InputError
from bnsearch.networks.files import read_network
from bnsearch.networks.formats import bif
from bnsearch.networks.formats.source import Source
from bnsearch.networks.network import BayesianNetwork
from format_samples import BIF, LAWN, assert_same, networks

TWO = """\
variable A {
  type discrete [ 2 ] { a0, a1 };
}
variable B {
  type discrete [ 2 ] { b0, b1 };
}
probability ( A ) {
  table 0.25, 0.75;
}
"""


def parse(text: str) -> BayesianNetwork:
    return bif.parse(Source("lawn.bif", text))


def error(text: str) -> str:
    with pytest.raises(InputError) as caught:
        parse(text)
    return str(caught.value)


def table_of_b(block: str) -> list[list[float]]:
    """Return the table of B given A of a probability block."""
    return parse(TWO + block).tables[1].tolist()


def test_sample_reads() -> None:
    """The embedded sample: comments, properties, odd states, a default row, parents out of order."""
    assert_same(parse(BIF), LAWN)


def test_text_of_a_network() -> None:
    """The writer quotes names only if necessary, and writes the shortest numbers that are restored exactly."""
    text = bif.render(LAWN)
    assert text.startswith("network unknown {\n}\nvariable rain {\n  type discrete [ 2 ] { yes, no };\n}\n")
    assert '{ "soaking wet", dry };' in text
    assert "probability ( rain ) {\n  table 0.2, 0.8;\n}\n" in text
    assert text.endswith(
        "probability ( grass | rain, sprinkler ) {\n  (yes, off) 0.8, 0.2;\n  (yes, <5) 1.0, 0.0;\n"
        "  (yes, 5-10/h) 1.0, 0.0;\n  (no, off) 0.05, 0.95;\n  (no, <5) 0.7, 0.3;\n"
        "  (no, 5-10/h) 1.0, 0.0;\n}\n"
    )


@given(networks())
def test_round_trip(network: BayesianNetwork) -> None:
    """Any names, states and probabilities are restored exactly."""
    assert_same(parse(bif.render(network)), network)


@pytest.mark.parametrize("label", ["<5", "5-10", "3.5", "in/out", "x_>=_5", "12+", "a=b", "#1", "50%", "a'b", "/"])
def test_odd_labels_stay_bare(label: str) -> None:
    """Labels that are unquoted in files of the repository are read and written without quotes."""
    text = f"variable X {{ type discrete [ 2 ] {{ {label}, other }}; }}\nprobability ( X ) {{ table 0.5, 0.5; }}"
    network = parse(text)
    assert network.states == ((label, "other"),)
    assert f"{{ {label}, other }}" in bif.render(network)


def test_flat_table_has_the_variable_slowest() -> None:
    """P(B=b0 | a0, a1) = 0.6, 0.05, then P(B=b1 | a0, a1) = 0.4, 0.95."""
    block = "probability ( B | A ) { table 0.6 0.05 0.4 0.95 ; }"
    assert table_of_b(block) == [[0.6, 0.4], [0.05, 0.95]]


def test_flat_table_of_two_parents() -> None:
    """The last parent varies fastest: P(C=c0 | A, B) runs (a0,b0), (a0,b1), (a1,b0), (a1,b1)."""
    text = TWO + "variable C { type discrete [ 2 ] { c0, c1 }; } probability ( B ) { table 1, 0; }\n"
    network = parse(text + "probability ( C | A, B ) { table .1, .2, .3, .4, .9, .8, .7, .6; }")
    assert network.tables[2][:, :, 0].tolist() == [[0.1, 0.2], [0.3, 0.4]]


@pytest.mark.parametrize(
    "block",
    [
        "probability ( B | A ) { (a0) 0.5, 0.5; (a1) 1e-1, 9E-1; }",
        "probability ( B A ) { (a1) 0.1 0.9; (a0) 0.5 0.5; }",
        'probability ( "B" "A" ) { ("a0") 0.5 0.5 ( "a1" ) 0.1 0.9 }',
        "probability(B|A){(a0)0.5,0.5,;(a1)0.1,0.9}",
        "probability ( B | A, ) { default 0.5, 0.5; (a1) 0.1, /* nine */ 0.9; property x = (a, b); ; }",
        "probability ( B | A ) { (a0) 0.5, 0.5; (a1) 0.1, 0.9; default 0.7, 0.3; }",
    ],
)
def test_ways_to_write_a_table(block: str) -> None:
    """The separators, quotes, defaults and orders of different programs produce the same table."""
    assert table_of_b(block) == [[0.5, 0.5], [0.1, 0.9]]


def test_blocks_in_any_order() -> None:
    """A table may come before its variable."""
    assert parse("probability ( X ) { table 1; } variable X { type discrete [ 1 ] { x } }").names == ("X",)


def test_blanks_in_bare_names() -> None:
    """A blank is part of an unquoted name if commas separate the list, or if such a variable exists."""
    text = """
    variable a b { type discrete [ 2 ] { x y, z }; }
    variable c { type discrete [ 3 ] { p q r }; }
    probability ( a b ) { table 0.5, 0.5; }
    probability ( c | a b ) { ( x y ) 1, 0, 0; (z) 0, 0, 1; }
    """
    network = parse(text)
    assert network.names == ("a b", "c")
    assert network.states == (("x y", "z"), ("p", "q", "r"))
    assert network.tables[1].tolist() == [[1, 0, 0], [0, 0, 1]]


def test_rounded_rows_keep_their_numbers() -> None:
    """0.333 * 3 = 0.999 is rounding; the numbers stay as they are."""
    text = "variable X { type discrete [ 3 ] { a, b, c }; } probability ( X ) { table 0.333, 0.333, 0.333; }"
    assert parse(text).tables[0].tolist() == [0.333, 0.333, 0.333]


HEAD = "probability ( B | A ) {\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("variable X {\n  type discrete [ 2 ] { a };\n}", 2, "1 states"),
        ("variable X {\n  type discrete [ 1000000000 ] { a, b };\n}", 2, "the declared number is '1000000000'"),
        ("variable X {\n  type continuous;\n}", 2, "'type discrete'"),
        ("\nvariable X {\n}", 2, "no type"),
        ("variable X {\n type discrete [ 2 ] { a, a };\n}", 1, "two states with the same label"),
        (TWO + "variable A {\n type discrete [ 1 ] { a };\n}", 10, "declared twice"),
        (TWO + "\nvariabel C {}", 11, "expected network, variable or probability"),
        (TWO + "probability ( B | C ) {\n}", 10, "no variable is named 'C'"),
        (TWO + "probability ( A ) {\n}", 10, "two tables"),
        (TWO + "probability ( B | B ) {\n}", 10, "its own parent"),
        (TWO + "probability ( B | A A ) {\n}", 10, "the same parent twice"),
        (TWO + HEAD + "  (a0) 0.5, 0.5;\n}", 10, "1 of its 2 rows"),
        (TWO + HEAD + "  (a0) 0.5, 0.5;\n  (a0) 0.5, 0.5;\n}", 12, "twice"),
        (TWO + HEAD + "  (a0) 0.5, 0.5;\n  (a2) 0.5, 0.5;\n}", 12, "'a2' is not a state of 'A'"),
        (TWO + HEAD + "  (a0) 0.5, 0.5;\n  (a1, b1) 0.5, 0.5;\n}", 12, "has 2 states for 1 parents"),
        (TWO + HEAD + "  (a0) 0.5, 0.5;\n  (a1) 0.5;\n}", 12, "1 probabilities for the 2 states"),
        (TWO + HEAD + "  (a0) 0.5, 0.5;\n  (a1) 0.5, 0.4;\n}", 12, "not a distribution (0.5, 0.4)"),
        (TWO + HEAD + "  (a0) 0.5, 0.5;\n  (a1) -0.5, 1.5;\n}", 12, "not a distribution"),
        (TWO + HEAD + "  (a0) nan, 0.5;\n  (a1) 0.5, 0.5;\n}", 11, "not a distribution"),
        (TWO + HEAD + "  (a0) 1e308, 1e308;\n  (a1) 0.5, 0.5;\n}", 11, "not a distribution"),
        (TWO + HEAD + "  default 1, 1;\n (a0) 0.5, 0.5;\n}", 11, "not a distribution"),
        (TWO + HEAD + "  (a0) 0.5,\n 0.x;\n  (a1) 0.5, 0.5;\n}", 12, "'0.x' is not a number"),
        (TWO + HEAD + "  (a0) 0_1, 0;\n  (a1) 0.5, 0.5;\n}", 11, "'0_1' is not a number"),
        (TWO + HEAD + "  table 0.5, 0.5;\n}", 11, "has 2 numbers; it must have 4"),
        (TWO + HEAD + "  (a0) 0.5, 0.5;\n  table 1 1 0 0;\n}", 12, "no other rows"),
        (TWO + HEAD + "  (a0) 0.5, 0.5", 11, "the file ends in a probability block"),
        (TWO + HEAD + "  (a0) 0.5, 0.5 [\n  (a1) 0.5, 0.5;\n}", 11, "a number or ';'"),
        (TWO + "probability ( ) {\n}", 10, "a probability block has no variable"),
        (TWO + "probability ( B { A ) {\n}", 10, "')'"),
        ("variable X, Y {\n  type discrete [ 1 ] { a };\n}", 1, "must begin with 'variable NAME {'"),
        (TWO + "\nnetwork x {", 11, "the file ends"),
        (TWO + "\n/* no end", 11, "a comment starts here and is never closed"),
        (TWO + '\nvariable "no end', 11, "a quoted text starts here and is never closed"),
    ],
)
def test_errors_name_the_line(text: str, line: int, words: str) -> None:
    """Every error names the file, the line and the reason, in one line."""
    message = error(text)
    assert message.startswith(f"lawn.bif, line {line}: ")
    assert words in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file has no variables"),
        ("network unknown {\n}\n", "the file has no variables"),
        (TWO, "no table for 'B'"),
        (
            TWO.replace("( A )", "( A | B )").replace("table", "default") + HEAD + "default 1, 0; }",
            "directed cycle",
        ),
    ],
)
def test_errors_of_the_whole_file(text: str, words: str) -> None:
    """An error without a line names the file and the reason."""
    assert error(text).startswith("lawn.bif: ")
    assert words in error(text)


def many_parents(n: int, arity: int, body: str) -> str:
    """Return a file in which X has n parents."""
    states = ", ".join(f"s{i}" for i in range(arity))
    parents = [f"P{i}" for i in range(n)]
    text = "".join(f"variable {p} {{ type discrete [ {arity} ] {{ {states} }}; }}\n" for p in [*parents, "X"])
    row = ", ".join(["1"] + ["0"] * (arity - 1))
    text += "".join(f"probability ( {p} ) {{ table {row}; }}\n" for p in parents)
    return text + f"probability ( X | {', '.join(parents)} ) {{\n{body.format(row=row)}\n}}\n"


@pytest.mark.parametrize("body", ["  table {row};", "  default {row};", "", "  ({row}) {row};"])
def test_astronomic_tables_are_refused_unallocated(body: str) -> None:
    """60 parents of 10 states make 10^60 rows: refused by arithmetic, with or without a default row."""
    assert "lawn.bif, line " in error(many_parents(60, 10, body))


def test_defaults_share_one_allowance() -> None:
    """A default for 2^20 rows of 2 cells is fine; the fifth passes 10 million: 5 * 2^21 = 10,485,760."""
    text = many_parents(20, 2, "  default {row};")
    extra = "".join(
        f"variable Y{i} {{ type discrete [ 2 ] {{ a, b }}; }}\n"
        f"probability ( Y{i} | {', '.join(f'P{j}' for j in range(20))} ) {{ default 1, 0; }}\n"
        for i in range(4)
    )
    assert parse(text).tables[20].shape == (2,) * 21
    assert "the default row of 'Y3' would fill 1048576 rows" in error(text + extra)


def test_more_parents_than_axes() -> None:
    """64 parents of one state make a table of one row, but numpy has no array of 65 axes."""
    assert "64 parents; at most 63 are possible" in error(many_parents(64, 1, "  default {row};"))
    assert parse(many_parents(63, 1, "  default {row};")).tables[-1].size == 1


@pytest.mark.parametrize("piece", ["/*", '"\\', "{", "(", "probability (", "variable ", "//", ",", "/", "x "])
def test_repetition_is_no_trap(piece: str) -> None:
    """A piece of text repeated 100,000 times raises an error quickly; a quadratic reader would take very long."""
    assert error(TWO + piece * 100_000).startswith("lawn.bif")


def test_repository_networks_round_trip(shared_data: Path) -> None:
    """Every public network can be read; those of up to 50,000 probabilities are restored exactly after writing."""
    files = sorted((shared_data / "networks").glob("*.bif.gz"))
    assert files
    for file in files:
        network = read_network(file)
        if sum(table.size for table in network.tables) <= 50_000:
            assert_same(parse(bif.render(network)), network)


def test_repository_tables(shared_data: Path) -> None:
    """The table of Cancer given Pollution (low, high) and Smoker (True, False), copied by hand."""
    network = read_network(shared_data / "networks" / "cancer.bif.gz")
    cancer = network.tables[network.names.index("Cancer")]
    assert np.array_equal(cancer[..., 0], [[0.03, 0.001], [0.05, 0.02]])
