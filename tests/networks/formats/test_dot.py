"""Structures in the DOT language."""

from __future__ import annotations

from bnsearch.graphs.dag import DAG
from bnsearch.networks.formats import dot
from format_samples import LAWN


def test_text_of_a_structure() -> None:
    """Every variable is a node, every parent an arrow."""
    assert dot.render_structure(LAWN.dag) == (
        'digraph {\n  "rain";\n  "sprinkler";\n  "grass";\n'
        '  "rain" -> "sprinkler";\n  "rain" -> "grass";\n  "sprinkler" -> "grass";\n}\n'
    )


def test_names_are_quoted() -> None:
    """A quote and a backslash get a backslash, so that no name ends the text early."""
    assert dot.render_structure(DAG.empty(['a "b"', "c\\"])) == 'digraph {\n  "a \\"b\\"";\n  "c\\\\";\n}\n'
