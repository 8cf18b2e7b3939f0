"""Search methods by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bnsearch._tools.registry import make
from bnsearch.learning.built_in import ENDLESS, TABLE_METHODS

if TYPE_CHECKING:
    from bnsearch.runs.method import Method


def methods() -> dict[str, type[Method]]:
    """Return every method by its name, grouped by the space that it searches."""
    from bnsearch.dags.hillclimb import HillClimb, Tabu
    from bnsearch.dags.k2 import K2
    from bnsearch.equivalence import GES, GRESP, IGES, ILGES, VNGES
    from bnsearch.exact.dynamic import Exact
    from bnsearch.genetic.bncpso import BNCPSO
    from bnsearch.genetic.cga import CGA
    from bnsearch.genetic.dga import DGA
    from bnsearch.genetic.miiga import MIIGA
    from bnsearch.independence.bnpc import BNPC
    from bnsearch.independence.ik2vmb import IK2vMB
    from bnsearch.independence.mmhc import MMHC
    from bnsearch.learning.auto import AutoSearch
    from bnsearch.ondemand.ginobs import GINOBS
    from bnsearch.orderings.asobs import ASOBS
    from bnsearch.orderings.iinobs import IINOBS
    from bnsearch.orderings.inobs import INOBS
    from bnsearch.orderings.minobs import MINOBS
    from bnsearch.orderings.obs import OBS
    from bnsearch.orderings.rinobs import RINOBS

    orderings = (GINOBS, RINOBS, MINOBS, IINOBS, INOBS, ASOBS, OBS, Exact)
    classes = (GES, IGES, ILGES, VNGES, GRESP)
    dags = (HillClimb, Tabu, K2)
    populations = (MIIGA, CGA, DGA, BNCPSO)
    tests = (MMHC, BNPC, IK2vMB)
    return {kind.name: kind for kind in (AutoSearch, *orderings, *classes, *dags, *populations, *tests)}


def uses_table(method: Method) -> bool:
    """Tell whether a method searches over candidate parent sets; one that is not of the library may."""
    kind = methods().get(method.name)
    return not isinstance(method, kind or object) or method.name in TABLE_METHODS


def has_end(method: Method) -> bool:
    """Tell whether a method of the library ends by itself: after a number of iterations, or with nothing left to do."""
    known = isinstance(method, methods().get(method.name, ()))
    return known and method.name not in ENDLESS and getattr(method, "restarts", 0) is not None


def make_method(name: str, /, **parameters: Any) -> Method:
    """Make a method from its name and parameters: make_method("minobs", population=10)."""
    return make("method", methods(), name, parameters, {})
