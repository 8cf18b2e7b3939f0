"""
The Bayesian Interchange Format (.bif).

::

    network unknown {
    }
    variable rain {
      type discrete [ 2 ] { yes, no };
    }
    variable grass {
      type discrete [ 2 ] { "soaking wet", dry };
    }
    probability ( rain ) {
      table 0.2, 0.8;
    }
    probability ( grass | rain ) {
      (yes) 0.9, 0.1;
      (no) 0.05, 0.95;
    }

The reader accepts comments (// and /* */), properties (ignored), blocks in any order, lists separated by commas or
blanks, `table` with parents (the variable varies slowest, the last parent fastest), `default` rows, missing semicolons
and superfluous commas. An unquoted name may contain any characters except blanks, the marks {}()[];,|" and the start of
a comment; in a list with commas it may also contain blanks. A quoted name may contain any characters, with a backslash
before a quote or a backslash. The writer quotes names only if necessary, because not all programs read quotes.

References
----------
Cozman, "The Interchange Format for Bayesian Networks" (1998).
"""

from __future__ import annotations

from itertools import product

from bnsearch.networks.formats.bif_reader import MARKS, BifReader
from bnsearch.networks.formats.lexer import quote
from bnsearch.networks.formats.source import Source
from bnsearch.networks.network import BayesianNetwork

_NOT_BARE = {*MARKS, ",", '"', " "}


def parse(source: Source) -> BayesianNetwork:
    """Return the network that a BIF text describes."""
    return BifReader(source).read()


def render(network: BayesianNetwork) -> str:
    """Return a network as BIF; reading restores exactly the same numbers."""
    names = [_render_name(name) for name in network.names]
    states = [[_render_name(state) for state in labels] for labels in network.states]
    parts = ["network unknown {\n}\n"]
    for name, labels in zip(names, states, strict=True):
        type_line = f"  type discrete [ {len(labels)} ] {{ {', '.join(labels)} }};\n"
        parts.append(f"variable {name} {{\n{type_line}}}\n")
    for name, parents, table in zip(names, network.dag.parents, network.tables, strict=True):
        rows = [", ".join(map(repr, row)) for row in table.reshape(-1, table.shape[-1]).tolist()]
        if parents:
            parts.append(f"probability ( {name} | {', '.join(names[p] for p in parents)} ) {{\n")
            configurations = product(*(states[p] for p in parents))
            parts += [f"  ({', '.join(c)}) {row};\n" for c, row in zip(configurations, rows, strict=True)]
        else:
            parts.append(f"probability ( {name} ) {{\n  table {rows[0]};\n")
        parts.append("}\n")
    return "".join(parts)


def _render_name(name: str) -> str:
    """Return a name, quoted if necessary."""
    if name and name.isprintable() and _NOT_BARE.isdisjoint(name) and "//" not in name and "/*" not in name:
        return name
    return quote(name)
