"""A generator that follows a script: what an operator does with its random numbers is then known."""

from __future__ import annotations

from typing import Any

import numpy as np


class ScriptedGenerator(np.random.Generator):
    """
    Returns the given arrays in turn, and checks that they are legal draws.

    Parameters
    ----------
    draws : arrays for the calls to come

    Attributes
    ----------
    requests : the calls so far: the kind of draw, its bounds, its size
    """

    def __init__(self, *draws: Any) -> None:
        super().__init__(np.random.PCG64(0))
        self.draws = list(draws)
        self.requests: list[tuple[Any, ...]] = []

    def _next(self, low: float, high: float, size: Any, *request: Any) -> np.ndarray:
        drawn = np.asarray(self.draws.pop(0))
        assert drawn.shape == ((size,) if np.isscalar(size) else tuple(size))
        assert ((low <= drawn) & (drawn < high)).all()
        self.requests.append(request)
        return drawn

    def random(self, size: Any = None, *args: Any) -> np.ndarray:  # type: ignore[override]
        """Return the next array, of numbers in [0, 1)."""
        return self._next(0, 1, size, "random")

    def integers(self, low: int, high: int | None = None, size: Any = None, **kwargs: Any) -> np.ndarray:  # type: ignore[override]
        """Return the next array, of numbers within the bounds."""
        low, high = (0, low) if high is None else (low, high)
        return self._next(low, high, size, "integers", low, high).astype(np.int64)

    def permutation(self, x: int, axis: int = 0) -> np.ndarray:  # type: ignore[override]
        """Return the next array, a permutation."""
        drawn = self._next(0, x, x, "permutation", x)
        assert sorted(drawn.tolist()) == list(range(x))
        return drawn
