"""How kernels compare two scores."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.kernels.compile import inlined_kernel


@inlined_kernel
def tie_margin(score, tolerance):
    """Return how far another score may lie from this one and still count as the same, as `scores.tie_margin` does."""
    return tolerance * max(1.0, abs(score))


@inlined_kernel
def improves_on(score, best, tolerance):
    """Tell whether a score beats another, finite one by more than rounding, as `scores.improves` does."""
    return score > best + tie_margin(best, tolerance)
