"""Comparison of two scores within kernels."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.kernels.compile import inlined_kernel


@inlined_kernel
def tie_margin(score, tolerance):
    """Return the largest difference at which another score counts as equal, as `scores.tie_margin` does."""
    return tolerance * max(1.0, abs(score))


@inlined_kernel
def improves_on(score, best, tolerance):
    """Return True if a score exceeds another, finite one by more than rounding errors, as `scores.improves` does."""
    return score > best + tie_margin(best, tolerance)
