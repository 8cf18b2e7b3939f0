"""Knowledge drawn at random, free of contradictions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bnsearch import Knowledge


def random_knowledge(names: Sequence[str], seed: int) -> Knowledge:
    """Return some required and forbidden edges along a hidden ordering, a tier or two, maybe a root and in-degrees."""
    rng = np.random.default_rng(seed)
    order = [names[i] for i in rng.permutation(len(names))]
    forward = [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    drawn = [forward[i] for i in rng.permutation(len(forward))]
    required = drawn[: rng.integers(len(names))]
    backward = [(b, a) for a, b in forward]
    forbidden = [edge for edge in drawn + backward if edge not in required and rng.random() < 0.2]
    needed = {name: sum(child == name for _, child in required) for name in names}
    cut = int(rng.integers(len(names) + 1))
    return Knowledge(
        required=required,
        forbidden=forbidden,
        allowed=None if rng.random() < 0.7 else [edge for edge in forward + backward if rng.random() < 0.6],
        tiers=[order[:cut], order[cut:]] if rng.random() < 0.3 else [],
        roots=[name for name in names if needed[name] == 0 and rng.random() < 0.1],
        max_parents={name: needed[name] + int(rng.integers(3)) for name in names if rng.random() < 0.5},
    )
