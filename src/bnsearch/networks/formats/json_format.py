"""
Networks and structures as JSON (.json).

::

    {"format": "bnsearch-network", "version": 1, "variables": [
      {"name": "rain", "states": ["yes", "no"], "parents": [], "table": [[0.2, 0.8]]},
      {"name": "grass", "states": ["wet", "dry"], "parents": ["rain"], "table": [[0.9, 0.1], [0.05, 0.95]]}
    ]}

A table has one row for each configuration of the parents, and each row has one number for each state. The last parent
varies fastest. A structure has no `states` and no `table`. Other keys are ignored. The version increases with every
change that older readers would misunderstand.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.wording import shown
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.formats.builder import NetworkBuilder
from bnsearch.networks.formats.source import Source
from bnsearch.networks.network import BayesianNetwork

FORMAT = "bnsearch-network"
VERSION = 1


def parse(source: Source) -> BayesianNetwork | DAG:
    """Return the network that a JSON text describes, or the structure if no variable has a table."""
    variables = _read_variables(source)
    has_tables = any("table" in variable for variable in variables)
    return _build_network(source, variables) if has_tables else _build_structure(source, variables)


def render(network: BayesianNetwork) -> str:
    """Return a network as JSON; reading restores exactly the same numbers."""
    entries = _make_entries(network.dag)
    for entry, states, table in zip(entries, network.states, network.tables, strict=True):
        entry["states"] = states
        entry["table"] = table.reshape(-1, table.shape[-1]).tolist()
    return _render_document(entries)


def render_structure(dag: DAG) -> str:
    """Return a structure as JSON."""
    return _render_document(_make_entries(dag))


def _build_network(source: Source, variables: list[dict[str, Any]]) -> BayesianNetwork:
    """Return the network that the entries describe."""
    builder = NetworkBuilder(source)
    for variable in variables:
        builder.add_variable(variable["name"], _read_texts(source, variable, "states"))
    for variable in variables:
        name, parents = variable["name"], _read_texts(source, variable, "parents")
        child, _, n_rows = builder.start_family(name, parents)
        builder.end_family(child, _read_table(source, variable, n_rows, len(builder.states[child])))
    return builder.build()


def _build_structure(source: Source, variables: list[dict[str, Any]]) -> DAG:
    """Return the structure that the entries describe."""
    edges = [(p, variable["name"]) for variable in variables for p in _read_texts(source, variable, "parents")]
    try:
        return DAG.from_edges([variable["name"] for variable in variables], edges)
    except InputError as error:
        raise source.error(str(error)) from None


def _make_entries(dag: DAG) -> list[dict[str, Any]]:
    """Return the name and the parents of each variable."""
    families = zip(dag.names, dag.parents, strict=True)
    return [{"name": name, "parents": [dag.names[p] for p in parents]} for name, parents in families]


def _render_document(entries: list[dict[str, Any]]) -> str:
    """Return the JSON text with one variable per line."""
    lines = ",\n  ".join(json.dumps(entry, ensure_ascii=False) for entry in entries)
    return f'{{"format": "{FORMAT}", "version": {VERSION}, "variables": [\n  {lines}\n]}}\n'


def _read_variables(source: Source) -> list[dict[str, Any]]:
    """Return the entries of the variables; raise an InputError if one has no name or names are equal."""
    try:
        document = json.loads(source.text)
    except json.JSONDecodeError as error:
        raise source.error_at_line(f"not JSON: {error.msg}", error.lineno) from None
    except (RecursionError, ValueError):  # too deeply nested, or a number with thousands of digits
        raise source.error("invalid JSON: the nesting is too deep or a number is too long") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise source.error(f'not a network: "format" must be "{FORMAT}"')
    if document.get("version") != VERSION:
        raise source.error(f'only "version": {VERSION} can be read; a newer version of bnsearch may read this file')
    variables = document.get("variables")
    if not isinstance(variables, list) or not variables:
        raise source.error('"variables" must be a list with at least one variable')
    for number, variable in enumerate(variables, start=1):
        if not isinstance(variable, dict) or not _is_text(variable.get("name")):
            raise source.error(f'variable {number} must have a "name", a string')
    if len({variable["name"] for variable in variables}) < len(variables):
        raise source.error("two variables have the same name")
    return variables


def _read_texts(source: Source, variable: dict[str, Any], key: str) -> list[str]:
    """Return the list of strings under a key of a variable's entry."""
    texts = variable.get(key)
    if not isinstance(texts, list) or not all(map(_is_text, texts)):
        raise source.error(f'variable {shown(variable["name"])} must have "{key}", a list of strings')
    return texts


def _is_text(value: object) -> bool:
    r"""Return True if a value is a string that can be written; JSON allows \ud800, which is not a character."""
    return isinstance(value, str) and not any("\ud800" <= c <= "\udfff" for c in value)


def _read_table(source: Source, variable: dict[str, Any], n_rows: int, width: int) -> NDArray[np.float64]:
    """Return the table of a variable; raise an InputError if its shape is wrong."""
    rows = variable.get("table")
    if not isinstance(rows, list) or len(rows) != n_rows or not all(_is_row(row, width) for row in rows):
        raise source.error(
            f'variable {shown(variable["name"])} must have a "table" of {n_rows} rows of {width} numbers'
        )
    return np.array(rows, dtype=np.float64)


def _is_row(row: object, width: int) -> bool:
    """Return True if a value is a list of `width` numbers that floats can represent."""
    if not isinstance(row, list) or len(row) != width:
        return False
    return all(type(p) is float or (type(p) is int and 0 <= p <= 1) for p in row)
