"""Search methods by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bnsearch._tools.registry import make
from bnsearch.learning.built_in import ENDLESS, TABLE_METHODS

if TYPE_CHECKING:
    from bnsearch.runs.method import Method


def methods() -> dict[str, type[Method]]:
    """Return all methods by name, grouped by the space that they search."""
    from bnsearch.dags.hillclimb import HillClimb, Tabu
    from bnsearch.dags.k2 import K2
    from bnsearch.equivalence import GES, GRESP, IGES, ILGES, VNGES
    from bnsearch.exact.method import Exact
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
    """Return True if a method searches over a candidate table; methods from elsewhere may do so."""
    kind = methods().get(method.name)
    return not isinstance(method, kind or object) or method.name in TABLE_METHODS


def has_end(method: Method) -> bool:
    """Return True if a method of the library ends without a stopping rule; of other methods this is not known."""
    known = isinstance(method, methods().get(method.name, ()))
    return known and method.name not in ENDLESS and getattr(method, "restarts", 0) is not None


def make_method(name: str, /, **parameters: Any) -> Method:
    """Return a method by name with parameters, such as make_method("minobs", population=10)."""
    return make("method", methods(), name, parameters, {})
