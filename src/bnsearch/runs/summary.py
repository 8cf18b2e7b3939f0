"""A result in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnsearch.runs.result import Result


def summarise(result: Result) -> str:
    """Return the size, the score, its quality and the work of a result in one line."""
    n_edges = len(result.dag.edges)
    parts = [
        f"{len(result.dag.names)} variables",
        f"{n_edges} edge{'' if n_edges == 1 else 's'}",
        f"score {result.score:.6f}",
        result.quality,
        result.method,
        f"{result.seconds:.1f} s",
        f"stopped: {result.stop}",
    ]
    return ", ".join(part for part in parts if part)
