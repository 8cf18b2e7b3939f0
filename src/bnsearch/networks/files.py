"""
Reading and writing of networks and structures; the extension of a file determines its format.

| extension | format | read | written |
|---|---|---|---|
| .bif | Bayesian Interchange Format | network, structure | network |
| .net | Hugin's NET language | network, structure | network |
| .json | JSON, see `bnsearch.networks.formats.json_format` | network, structure | network, structure |
| .csv | adjacency matrix | structure | structure |
| .dot | Graphviz graph | | structure |
| .svg | drawing | | structure |

All files may be gzipped (.bif.gz). Writing a network to .csv, .dot or .svg writes its structure.
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
#: Formats that are older than UTF-8; files that are not valid UTF-8 are decoded as Latin-1.
_LEGACY = {".bif", ".net"}
#: All supported extensions, without .gz.
EXTENSIONS = (".bif", ".net", ".json", ".csv", ".dot", ".svg")


def read_graph(path: str | os.PathLike[str]) -> BayesianNetwork | DAG:
    """
    Read a network from a file, or a structure if the file has no tables.

    An invalid file raises an InputError that names the file and, if possible, the line.
    """
    extension = _get_extension(path)
    if extension not in _READERS:
        raise InputError(f"{os.fspath(path)}: {extension} files cannot be read; use {', '.join(_READERS)}")
    return _READERS[extension](Source.read(path, legacy=extension in _LEGACY))


def read_network(path: str | os.PathLike[str]) -> BayesianNetwork:
    """
    Read a network with its structure, states and tables; errors are raised as in `read_graph`.

    Parameters
    ----------
    path : str or path
        A .bif, .net or .json file, optionally followed by .gz.

    Returns
    -------
    BayesianNetwork
        The network.

    Raises
    ------
    InputError
        If the file is missing, not valid, or has no tables.

    Examples
    --------
    >>> import bnsearch
    >>> asia = bnsearch.load_network("asia")
    >>> bnsearch.write_network(asia, "asia.net")
    >>> bnsearch.read_network("asia.net").equals(asia)
    True
    """
    graph = read_graph(path)
    if isinstance(graph, DAG):
        raise InputError(f"{os.fspath(path)}: the file has a structure but no tables; read it with `read_structure`")
    return graph


def read_structure(path: str | os.PathLike[str]) -> DAG:
    """
    Read a structure; states and tables are ignored, and errors are raised as in `read_graph`.

    Parameters
    ----------
    path : str or path
        A .bif, .net, .json or .csv file, optionally followed by .gz.

    Returns
    -------
    DAG
        The structure.

    Raises
    ------
    InputError
        If the file is missing or not valid.

    Examples
    --------
    >>> import bnsearch
    >>> asia = bnsearch.load_network("asia")
    >>> bnsearch.write_structure(asia.dag, "asia.csv")
    >>> bnsearch.read_structure("asia.csv") == asia.dag
    True
    """
    graph = read_graph(path)
    return graph if isinstance(graph, DAG) else graph.dag


def check_network_target(path: str | os.PathLike[str]) -> None:
    """Raise an InputError if no network can be written to the path; call this before long computations."""
    _get_extension(path)
    check_writable(path)


def write_network(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """
    Write a network, or its structure to .csv, .dot and .svg; the file is replaced atomically.

    Parameters
    ----------
    network : BayesianNetwork
        The network.
    path : str or path
        File; the extension selects the format, and .gz compression.

    Raises
    ------
    InputError
        If the file cannot be written, or the format is unknown.

    Examples
    --------
    >>> import bnsearch
    >>> bnsearch.write_network(bnsearch.load_network("asia"), "asia.bif")
    """
    extension = _get_extension(path)
    if extension in _WRITERS:
        _write_text(path, _WRITERS[extension](network))
    else:
        write_structure(network.dag, path)


def check_structure_target(path: str | os.PathLike[str]) -> None:
    """Raise an InputError if no structure can be written to the path; call this before long computations."""
    _get_structure_extension(path)
    check_writable(path)


def needs_tables(path: str | os.PathLike[str]) -> bool:
    """Return True if the format of the path cannot store a structure without tables."""
    return _get_extension(path) not in _STRUCTURE_WRITERS


def write_structure(dag: DAG, path: str | os.PathLike[str]) -> None:
    """
    Write a structure; the file is replaced atomically.

    Parameters
    ----------
    dag : DAG
        The structure.
    path : str or path
        File; the extension selects the format, and .gz compression.

    Raises
    ------
    InputError
        If the file cannot be written, or the format needs tables.

    Examples
    --------
    >>> import bnsearch
    >>> bnsearch.write_structure(bnsearch.load_network("asia").dag, "asia.dot")
    """
    _write_text(path, _STRUCTURE_WRITERS[_get_structure_extension(path)](dag))


def _get_structure_extension(path: str | os.PathLike[str]) -> str:
    """Return the extension of a path; raise an InputError if its format needs tables."""
    extension = _get_extension(path)
    if needs_tables(path):
        raise InputError(
            f"{os.fspath(path)}: a {extension} file needs tables, but a structure has none;"
            f" use {', '.join(_STRUCTURE_WRITERS)}"
        )
    return extension


def _get_extension(path: str | os.PathLike[str]) -> str:
    """Return the extension in lower case, without .gz."""
    name = Path(path).name.lower().removesuffix(".gz")
    extension = Path(name).suffix
    if extension not in EXTENSIONS:
        raise InputError(
            f"{os.fspath(path)}: the extension must be one of {', '.join(EXTENSIONS)} (optionally followed by .gz)"
        )
    return extension


def _write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text as UTF-8, gzipped if the path ends with .gz."""
    if text.startswith("\ufeff"):  # the reader removes the first one as a byte-order mark
        text = "\ufeff" + text
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"{os.fspath(path)}: {text[error.start : error.end]!r} in a name is not a valid character; rename it"
        ) from None
    with atomic_open(path) as file:
        file.write(data)
