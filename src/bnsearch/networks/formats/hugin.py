"""
Hugin's NET language (.net).

::

    net {
    }
    node rain {
      states = ("yes" "no");
    }
    node grass {
      states = ("soaking wet" "dry");
    }
    potential (rain) {
      data = (0.2 0.8);
    }
    potential (grass | rain) {
      data = ((0.9 0.1)
              (0.05 0.95));
    }

The reader accepts networks of discrete chance nodes, also within a `class`. Comments start with %. Attributes
other than states and probabilities are ignored. Labels of states may be unquoted. The parentheses in `data` must match,
but only the order of the numbers matters: the variable varies fastest, then the last parent.

The name of a node must be an identifier. Other names are replaced by identifiers such as x12 and stored in the
attribute `bnsearch_name`, which other programs ignore.

References
----------
Hugin API reference manual, chapter "The NET language".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from math import prod

from bnsearch.networks.formats.hugin_reader import NAME_ATTRIBUTE, HuginReader
from bnsearch.networks.formats.lexer import quote
from bnsearch.networks.formats.source import Source
from bnsearch.networks.network import BayesianNetwork

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_KEYWORDS = {
    *("net", "class", "node", "discrete", "continuous", "decision", "utility", "function", "instance"),
    *("potential", "data", "states", "normal"),
}


def parse(source: Source) -> BayesianNetwork:
    """Return the network that a NET text describes."""
    return HuginReader(source).read()


def render(network: BayesianNetwork) -> str:
    """Return a network in the NET language; reading restores exactly the same numbers."""
    nodes = _make_identifiers(network.names)
    parts = ["net {\n}\n"]
    for node, name, labels in zip(nodes, network.names, network.states, strict=True):
        parts.append(f"node {node} {{\n  states = ({' '.join(map(quote, labels))});\n")
        if node != name:
            parts.append(f"  {NAME_ATTRIBUTE} = {quote(name)};\n")
        parts.append("}\n")
    for node, parents, table in zip(nodes, network.dag.parents, network.tables, strict=True):
        given = " | " + " ".join(nodes[p] for p in parents) if parents else ""
        rows = table.reshape(-1, table.shape[-1]).tolist()
        data = "\n    ".join(_nest_rows([" ".join(map(repr, row)) for row in rows], table.shape[:-1]))
        parts.append(f"potential ({node}{given}) {{\n  data =\n    {data};\n}}\n")
    return "".join(parts)


def _nest_rows(rows: Sequence[str], shape: tuple[int, ...]) -> Iterator[str]:
    """Yield the rows of a table with parentheses: one pair for each row and one for each parent."""
    sizes = [prod(shape[k:]) for k in range(len(shape))]
    for i, row in enumerate(rows):
        opened = 1 + sum(i % size == 0 for size in sizes)
        closed = 1 + sum((i + 1) % size == 0 for size in sizes)
        yield "(" * opened + row + ")" * closed


def _make_identifiers(names: Sequence[str]) -> list[str]:
    """Return a distinct identifier for each name; the name itself if it is an identifier."""
    taken = {name for name in names if _IDENTIFIER.fullmatch(name) and name not in _KEYWORDS}
    identifiers = []
    for i, name in enumerate(names):
        identifier = name if name in taken else f"x{i}"
        while identifier != name and identifier in taken:
            identifier += "_"
        taken.add(identifier)
        identifiers.append(identifier)
    return identifiers
