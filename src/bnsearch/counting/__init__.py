"""Joint counts of variable sets, the operation that takes most of the library's time."""

from __future__ import annotations

from bnsearch.counting.counter import Counter, JointCounts
from bnsearch.counting.sweep import Sweep

__all__ = ["Counter", "JointCounts", "Sweep"]
