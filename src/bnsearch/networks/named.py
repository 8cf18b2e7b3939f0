"""
Networks by name.

Two examples come with the package. `asia` is the chest clinic of Lauritzen & Spiegelhalter (1988), 8 binary
variables. `greenhouse`, made for this library, tells how season, weather, equipment and care decide the
climate, the health and the harvest of a tomato greenhouse: 34 variables of 2 to 4 states. Where pgmpy is
installed, the networks of the Bayesian Network Repository that its wheel carries can be named too.
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
    """Return the names of the networks that come with this package."""
    return list(EXAMPLES)


def list_networks() -> list[str]:
    """Return every name that `load_network` knows here: the examples, and pgmpy's where it is installed."""
    return sorted({*EXAMPLES, *_find_repository_files()})


def load_network(name_or_path: str | os.PathLike[str]) -> BayesianNetwork:
    """
    Return a network by name or from a file.

    A text is, in this order: the name of an embedded example; a file, where it exists or looks like one (it
    has an extension or a folder); the name of a network that an installed pgmpy carries.
    """
    with _locate_file(name_or_path) as path:
        return read_network(path)


def load_graph(name_or_path: str | os.PathLike[str]) -> BayesianNetwork | DAG:
    """Return a network as `load_network` does, or the structure where a file has no tables."""
    with _locate_file(name_or_path) as path:
        return read_graph(path)


@contextmanager
def _locate_file(name_or_path: str | os.PathLike[str]) -> Iterator[Path]:
    """Find the file that a name or a path stands for."""
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
    except OSError:  # a name too long for any file
        return False


def _find_repository_files() -> dict[str, Path]:
    """Find the BIF files inside an installed pgmpy by name, without importing it (that takes seconds)."""
    spec = importlib.util.find_spec("pgmpy")
    folders = (spec.submodule_search_locations if spec else None) or []
    return {
        file.name.removesuffix(".bif.gz"): file
        for folder in folders
        for file in sorted(Path(folder, "utils", "example_models").glob("*.bif.gz"))
    }


def _describe_unknown(name: str, repository: dict[str, Path]) -> str:
    """Say which names there are, how to get more, and which one may have been meant."""
    text = f"there is no network or file {shown(name)}; embedded are {', '.join(EXAMPLES)}"
    if repository:
        text += f"; pgmpy has {', '.join(sorted(repository))}"
    else:
        text += "; `pip install bnsearch[networks]` adds the repository networks of pgmpy"
    near = difflib.get_close_matches(name.lower(), {*EXAMPLES, *repository}, n=1)
    return text + (f"; did you mean {near[0]!r}?" if near else "")
