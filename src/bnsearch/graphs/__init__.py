"""Graphs: DAGs, partially directed graphs and their comparison."""

from bnsearch.graphs.compare import (
    Agreement,
    Comparison,
    StructuralHamming,
    compare,
    shd,
    shd_cpdag,
)
from bnsearch.graphs.completion import cpdag
from bnsearch.graphs.dag import DAG
from bnsearch.graphs.extension import extension
from bnsearch.graphs.meek import meek_closure
from bnsearch.graphs.pdag import PDAG

__all__ = [
    "DAG",
    "PDAG",
    "Agreement",
    "Comparison",
    "StructuralHamming",
    "compare",
    "cpdag",
    "extension",
    "meek_closure",
    "shd",
    "shd_cpdag",
]
