"""Records of a run: its improvements and its climbs."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.files import atomic_write
from bnsearch.runs.stop import Progress


@dataclass(frozen=True)
class Trace:
    """
    All improvements of a run and its final state, as `Progress` records.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> result = bnsearch.learn(data, seconds=10)
    >>> result.trace.score_at(10.0) == result.score
    True
    """

    points: list[Progress] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Progress]:
        return iter(self.points)

    def score_at(self, seconds: float) -> float:
        """Return the best score after a number of seconds; minus infinity before the first network."""
        return max((point.score for point in self.points if point.seconds <= seconds), default=float("-inf"))

    def write(self, path: str | Path) -> None:
        """Write the records as CSV: seconds, iterations, evaluations, score."""
        lines = [f"{p.seconds:.6f},{p.iterations},{p.evaluations},{p.score!r}" for p in self.points]
        with atomic_write(path) as to:
            to.write_text("\n".join(["seconds,iterations,evaluations,score", *lines, ""]))


class Climbs:
    """Initial score, final score and number of steps of all climbs of a run, in the order of their starts."""

    def __init__(self) -> None:
        self._numbers = array("d")  # three numbers for each climb, in little memory: there may be millions of climbs

    def add(self, initial: float, final: float, steps: int) -> None:
        """Add a climb."""
        self._numbers.extend((initial, final, steps))

    def __len__(self) -> int:
        return len(self._numbers) // 3

    @property
    def initial(self) -> NDArray[np.float64]:
        """Score of the initial ordering of each climb."""
        return self._column(0)

    @property
    def final(self) -> NDArray[np.float64]:
        """Final score of each climb."""
        return self._column(1)

    @property
    def steps(self) -> NDArray[np.int64]:
        """Number of steps of each climb."""
        return self._column(2).astype(np.int64)

    def _column(self, number: int) -> NDArray[np.float64]:
        return np.array(self._numbers[number::3])

    def write(self, path: str | Path) -> None:
        """Write the climbs as CSV: initial, final, steps."""
        rows = zip(self.initial.tolist(), self.final.tolist(), self.steps.tolist(), strict=True)
        with atomic_write(path) as to:
            to.write_text("\n".join(["initial,final,steps", *(f"{a!r},{b!r},{k}" for a, b, k in rows), ""]))
