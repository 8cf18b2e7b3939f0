"""Search over DAGs: hill climbing, tabu search, K2."""

from __future__ import annotations

from bnsearch.dags.hillclimb import HillClimb, Tabu
from bnsearch.dags.k2 import K2

__all__ = ["K2", "HillClimb", "Tabu"]
