"""Search methods by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bnsearch.registry import make

if TYPE_CHECKING:
    from bnsearch.searching import Method


def methods() -> dict[str, type[Method]]:
    """Return every method by its name, grouped by the space that it searches."""
    from bnsearch.exact.dynamic import Exact
    from bnsearch.orderings.asobs import ASOBS
    from bnsearch.orderings.iinobs import IINOBS
    from bnsearch.orderings.inobs import INOBS
    from bnsearch.orderings.minobs import MINOBS
    from bnsearch.orderings.obs import OBS
    from bnsearch.orderings.rinobs import RINOBS

    return {kind.name: kind for kind in (RINOBS, MINOBS, IINOBS, INOBS, ASOBS, OBS, Exact)}


def make_method(name: str, /, **parameters: Any) -> Method:
    """Make a method from its name and parameters: make_method("minobs", population=10)."""
    return make("method", methods(), name, parameters, {})
