"""Seeds of random numbers."""

from __future__ import annotations

import numpy as np

from bnsearch.errors import require


def check_seed(seed: int | None) -> int:
    """Return a seed; None draws one."""
    if seed is None:
        return int(np.random.SeedSequence().entropy) % 2**32  # type: ignore[arg-type]
    require("seed", seed, at_least=0, whole=True, any_size=True)
    return int(seed)
