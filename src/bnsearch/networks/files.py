"""
Read and write networks and structures; the file's extension names the format.

| extension | format | read | written |
|---|---|---|---|
| .bif | Bayesian Interchange Format | network, structure | network |
| .net | Hugin's NET language | network, structure | network |
| .json | JSON, see `bnsearch.networks.formats.json_format` | network, structure | network, structure |
| .csv | adjacency matrix | structure | structure |
| .dot | Graphviz drawing | | structure |
| .svg | drawing | | structure |

Each may be gzipped (.bif.gz). Writing a network as .csv, .dot or .svg writes its structure.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from bnsearch._tools.files import atomic_open, check_writable
from bnsearch.drawing import svg
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.formats import adjacency, bif, dot, hugin, json_format
from bnsearch.networks.formats.source import Source
from bnsearch.networks.network import BayesianNetwork

_READERS: dict[str, Callable[[Source], BayesianNetwork | DAG]] = {
    ".bif": bif.parse,
    ".net": hugin.parse,
    ".json": json_format.parse,
    ".csv": adjacency.parse_structure,
}
_WRITERS: dict[str, Callable[[BayesianNetwork], str]] = {
    ".bif": bif.render,
    ".net": hugin.render,
    ".json": json_format.render,
}
_STRUCTURE_WRITERS: dict[str, Callable[[DAG], str]] = {
    ".json": json_format.render_structure,
    ".csv": adjacency.render_structure,
    ".dot": dot.render_structure,
    ".svg": svg.render_structure,
}
#: The formats that are older than UTF-8.
_LEGACY = {".bif", ".net"}
#: Every extension that something here reads or writes; each may be followed by .gz.
EXTENSIONS = (".bif", ".net", ".json", ".csv", ".dot", ".svg")


def read_graph(path: str | os.PathLike[str]) -> BayesianNetwork | DAG:
    """
    Read what a file holds: a network, or a structure where there are no tables.

    What is wrong with a file is an InputError that names the file and, where there is one, the line.
    """
    extension = _get_extension(path)
    if extension not in _READERS:
        raise InputError(f"{os.fspath(path)}: {extension} is written, not read; read {', '.join(_READERS)}")
    return _READERS[extension](Source.read(path, legacy=extension in _LEGACY))


def read_network(path: str | os.PathLike[str]) -> BayesianNetwork:
    """Read a network: its structure, states and tables; errors as in `read_graph`."""
    graph = read_graph(path)
    if isinstance(graph, DAG):
        raise InputError(f"{os.fspath(path)}: a structure without tables; `read_structure` reads it")
    return graph


def read_structure(path: str | os.PathLike[str]) -> DAG:
    """Read a structure, from a file that may also hold states and tables; errors as in `read_graph`."""
    graph = read_graph(path)
    return graph if isinstance(graph, DAG) else graph.dag


def check_network_target(path: str | os.PathLike[str]) -> None:
    """Refuse a path that no network or structure can be written to; to be asked before the work."""
    _get_extension(path)
    check_writable(path)


def write_network(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """Write a network, or to .csv, .dot and .svg its structure; the file is replaced in one step."""
    extension = _get_extension(path)
    if extension in _WRITERS:
        _write_text(path, _WRITERS[extension](network))
    else:
        write_structure(network.dag, path)


def check_structure_target(path: str | os.PathLike[str]) -> None:
    """Refuse a path that no structure can be written to; to be asked before the work."""
    _get_structure_extension(path)
    check_writable(path)


def needs_tables(path: str | os.PathLike[str]) -> bool:
    """Say whether the extension is that of a format that cannot hold a structure without tables."""
    return _get_extension(path) not in _STRUCTURE_WRITERS


def write_structure(dag: DAG, path: str | os.PathLike[str]) -> None:
    """Write a structure; the file is replaced in one step."""
    _write_text(path, _STRUCTURE_WRITERS[_get_structure_extension(path)](dag))


def _get_structure_extension(path: str | os.PathLike[str]) -> str:
    """Return the extension of a path that a structure without tables can be written to."""
    extension = _get_extension(path)
    if needs_tables(path):
        raise InputError(
            f"{os.fspath(path)}: a {extension} file needs tables, and a structure has none;"
            f" write {', '.join(_STRUCTURE_WRITERS)}"
        )
    return extension


def _get_extension(path: str | os.PathLike[str]) -> str:
    """Return the extension that names the format, lower case, without .gz."""
    name = Path(path).name.lower().removesuffix(".gz")
    extension = Path(name).suffix
    if extension not in EXTENSIONS:
        raise InputError(f"{os.fspath(path)}: the extension must be one of {', '.join(EXTENSIONS)} (or that and .gz)")
    return extension


def _write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as UTF-8, gzipped where the name says so."""
    if text.startswith("\ufeff"):  # the reader takes the first one for a byte-order mark
        text = "\ufeff" + text
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{os.fspath(path)}: {text[error.start : error.end]!r} in a name is half a character; rename it"
        ) from None
    with atomic_open(path) as file:
        file.write(data)
