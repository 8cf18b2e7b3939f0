"""What is known of the methods of the library without importing them."""

from __future__ import annotations

TABLE_METHODS = ("auto", "rinobs", "minobs", "iinobs", "inobs", "asobs", "obs", "exact")
ENDLESS = ("auto", "ginobs", "rinobs", "minobs", "iinobs", "inobs", "asobs", "obs")  # they restart until told to stop


def is_built_in(kind: type) -> bool:
    """Tell whether a class is of the library."""
    return kind.__module__.partition(".")[0] == "bnsearch"
