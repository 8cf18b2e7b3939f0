"""Random graphs to draw."""

from __future__ import annotations

from hypothesis import strategies as st

from bnsearch.graphs.dag import DAG


@st.composite
def dags(draw, most=12):
    """Draw a DAG over 1 to `most` variables with names of 1 to 30 characters, in a random order."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(n)))
    density = draw(st.sampled_from([0.1, 0.3, 0.7]))
    rng = draw(st.randoms(use_true_random=False))
    parents = [[] for _ in range(n)]
    for i, child in enumerate(order):
        parents[child] = [p for p in order[:i] if rng.random() < density]
    return DAG([f"{v}" + "x" * rng.randrange(30) for v in range(n)], parents)
