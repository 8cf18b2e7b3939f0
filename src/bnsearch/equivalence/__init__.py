"""Search over Markov equivalence classes: GES, its single-stage variant, and metaheuristics around it."""

from __future__ import annotations

from bnsearch.equivalence.ges import GES
from bnsearch.equivalence.gresp import GRESP
from bnsearch.equivalence.iges import IGES
from bnsearch.equivalence.ilges import ILGES
from bnsearch.equivalence.neighbourhood import Neighbourhood
from bnsearch.equivalence.operators import Kind, Operator, apply, delete, gain, insert, is_valid
from bnsearch.equivalence.vnges import VNGES

__all__ = [
    "GES",
    "GRESP",
    "IGES",
    "ILGES",
    "VNGES",
    "Kind",
    "Neighbourhood",
    "Operator",
    "apply",
    "delete",
    "gain",
    "insert",
    "is_valid",
]
