"""Structures as other libraries hold them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bnsearch._tools.extras import import_optional

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG


def to_pgmpy(dag: DAG) -> Any:
    """Return a structure as pgmpy's DAG."""
    structure = import_optional("pgmpy.base", "networks").DAG()
    structure.add_nodes_from(dag.names)
    structure.add_edges_from(dag.edges)
    return structure


def to_pyagrum(dag: DAG) -> Any:
    """
    Return a structure as pyAgrum's DAG.

    The nodes of a pyAgrum DAG are numbers: variable i becomes node i, as its learners number the columns of a table.
    """
    structure = import_optional("pyagrum", "pyagrum").DAG()
    for node in range(len(dag.names)):
        structure.addNodeWithId(node)
    for child, parents in enumerate(dag.parents):
        for parent in parents:
            structure.addArc(parent, child)
    return structure
