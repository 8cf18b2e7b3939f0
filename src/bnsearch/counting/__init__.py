"""Joint counts of variable sets: the one hot primitive of the library."""

from __future__ import annotations

from bnsearch.counting.counter import Counter, JointCounts
from bnsearch.counting.sweep import Sweep

__all__ = ["Counter", "JointCounts", "Sweep"]
