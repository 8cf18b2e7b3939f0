"""Objects that have a structure."""

from __future__ import annotations

from typing import Protocol

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG


class HasStructure(Protocol):
    """An object with a structure, such as a `BayesianNetwork` or a `Result`."""

    @property
    def dag(self) -> DAG:
        """The structure."""
        ...


def get_dag(graph: DAG | HasStructure) -> DAG:
    """Return a DAG, or the structure of a network or of a result; any other object raises an InputError."""
    found = graph if isinstance(graph, DAG) else getattr(graph, "dag", None)
    if not isinstance(found, DAG):
        raise InputError(
            f"a DAG, a network or a result is needed here, not a {type(graph).__name__}: load_network and "
            "read_network read networks from files"
        )
    return found
