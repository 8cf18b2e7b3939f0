"""Properties of the methods of the library that are known without importing them."""

from __future__ import annotations

TABLE_METHODS = ("auto", "rinobs", "minobs", "iinobs", "inobs", "asobs", "obs", "exact")
ENDLESS = ("auto", "ginobs", "rinobs", "minobs", "iinobs", "inobs", "asobs", "obs")  # they restart until the run stops


def is_built_in(kind: type) -> bool:
    """Return True if a class belongs to the library."""
    return kind.__module__.partition(".")[0] == "bnsearch"
