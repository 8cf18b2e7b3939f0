"""The anytime curve of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from bnsearch.files import atomic_write
from bnsearch.stop import Progress


@dataclass(frozen=True)
class Trace:
    """Every improvement of a run, and where it ended: a growing list of `Progress` records."""

    points: list[Progress] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Progress]:
        return iter(self.points)

    def score_at(self, seconds: float) -> float:
        """Return the best score that was known after this much time; minus infinity before the first."""
        return max((point.score for point in self.points if point.seconds <= seconds), default=float("-inf"))

    def write(self, path: str | Path) -> None:
        """Write the curve as CSV: seconds, iterations, evaluations, score."""
        lines = [f"{p.seconds:.6f},{p.iterations},{p.evaluations},{p.score!r}" for p in self.points]
        with atomic_write(path) as to:
            to.write_text("\n".join(["seconds,iterations,evaluations,score", *lines, ""]))
