"""
Networks by name.

The package includes two examples. `asia` is the chest clinic of Lauritzen & Spiegelhalter (1988) with 8 binary
variables. `greenhouse`, made for this library, describes how season, weather, equipment and care determine the
climate, the health and the harvest of a tomato greenhouse. It has 34 variables of 2 to 4 states. If pgmpy is
installed, the networks of the Bayesian Network Repository included in pgmpy can also be loaded by name.
"""

from __future__ import annotations

import difflib
import importlib.util
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from bnsearch._tools.wording import shown
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.files import read_graph, read_network
from bnsearch.networks.network import BayesianNetwork

EXAMPLES = ("asia", "greenhouse")


def list_examples() -> list[str]:
    """Return the names of the networks that are included in this package."""
    return list(EXAMPLES)


def list_networks() -> list[str]:
    """
    Return all names that `load_network` accepts: the examples, and those of pgmpy if it is installed.

    Returns
    -------
    list of str
        The names.

    Examples
    --------
    >>> import bnsearch
    >>> "asia" in bnsearch.list_networks()
    True
    """
    return sorted({*EXAMPLES, *_find_repository_files()})


def load_network(name_or_path: str | os.PathLike[str]) -> BayesianNetwork:
    """
    Return a network by name or from a file.

    Parameters
    ----------
    name_or_path : str or path
        A string is interpreted in this order: the name of an embedded example; a file, if it exists or has an extension
        or a folder; the name of a network of pgmpy, if it is installed.

    Returns
    -------
    BayesianNetwork
        The network with its probability tables.

    Raises
    ------
    InputError
        If there is no such network or file, or the file is not valid.

    Examples
    --------
    >>> import bnsearch
    >>> len(bnsearch.load_network("greenhouse").names)
    34
    """
    with _locate_file(name_or_path) as path:
        return read_network(path)


def load_graph(name_or_path: str | os.PathLike[str]) -> BayesianNetwork | DAG:
    """Return a network as `load_network` does, or the structure if the file has no tables."""
    with _locate_file(name_or_path) as path:
        return read_graph(path)


@contextmanager
def _locate_file(name_or_path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield the file of a name or a path."""
    if name_or_path in EXAMPLES:
        example = resources.files("bnsearch.networks") / "examples" / f"{name_or_path}.bif"
        with resources.as_file(example) as path:
            yield path
        return
    path = Path(name_or_path)
    if not isinstance(name_or_path, str) or path.suffix or len(path.parts) > 1 or _is_file(path):
        yield path
        return
    repository = _find_repository_files()
    if name_or_path not in repository:
        raise InputError(_describe_unknown(name_or_path, repository))
    yield repository[name_or_path]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the name is too long for a file
        return False


def _find_repository_files() -> dict[str, Path]:
    """Return the BIF files of pgmpy by name, without importing pgmpy, which takes seconds."""
    spec = importlib.util.find_spec("pgmpy")
    folders = (spec.submodule_search_locations if spec else None) or []
    return {
        file.name.removesuffix(".bif.gz"): file
        for folder in folders
        for file in sorted(Path(folder, "utils", "example_models").glob("*.bif.gz"))
    }


def _describe_unknown(name: str, repository: dict[str, Path]) -> str:
    """Return the error message for an unknown name: the known names, and the most similar one."""
    text = f"there is no network or file {shown(name)}; the embedded networks are {', '.join(EXAMPLES)}"
    if repository:
        text += f"; pgmpy has {', '.join(sorted(repository))}"
    else:
        text += "; `pip install bnsearch[networks]` adds the repository networks of pgmpy"
    near = difflib.get_close_matches(name.lower(), {*EXAMPLES, *repository}, n=1)
    return text + (f"; did you mean {near[0]!r}?" if near else "")
