"""How kernels compare two scores."""

# Numba infers the types of kernels.
# mypy: allow-untyped-defs, no-check-untyped-defs
from __future__ import annotations

from bnsearch.kernel import inlined_kernel


@inlined_kernel
def improves_on(score, best, tolerance):
    """Tell whether a score beats another, finite one by more than rounding, as `scores.improves` does."""
    return score > best + tolerance * max(1.0, abs(best))
