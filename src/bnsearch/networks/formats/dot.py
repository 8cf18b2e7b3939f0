"""
Structures in the DOT language of Graphviz (.dot), which can only be written.

::

    digraph {
      "rain";
      "grass";
      "rain" -> "grass";
    }
"""

from __future__ import annotations

from bnsearch.graphs.dag import DAG
from bnsearch.networks.formats.lexer import quote


def render_structure(dag: DAG) -> str:
    """Return a structure in the DOT language."""
    nodes = [f"  {quote(name)};\n" for name in dag.names]
    edges = [f"  {quote(parent)} -> {quote(child)};\n" for parent, child in dag.edges]
    return "".join(["digraph {\n", *nodes, *edges, "}\n"])
