"""Search methods by name."""

from __future__ import annotations

from typing import Any

from bnsearch._tools.built_in import BUILT_IN_METHODS
from bnsearch._tools.registry import Registry
from bnsearch.errors import InputError
from bnsearch.runs.method import Method, Needs, check_method_class, get_declaration


def _adapt(name: str, loaded: Any) -> type[Method]:
    """Return the class of a method from another package."""
    if not isinstance(loaded, type):
        raise InputError(f"a method must be a class, not {loaded!r}")
    check_method_class(loaded)
    kind: type[Method] = loaded
    if kind.name != name:
        raise InputError(f"the attribute `name` of the class must be {name!r}, not {kind.name!r}")
    return kind


METHODS: Registry[Method] = Registry(
    "method",
    BUILT_IN_METHODS,
    group="bnsearch.methods",
    adapt=_adapt,
)


def uses_table(method: Method) -> bool:
    """Return True if a method may search over a candidate table."""
    return get_declaration(type(method)).needs != Needs.DATA


def has_end(method: Method) -> bool:
    """Return True if a method ends without a stopping rule; with `restarts=None` it restarts until the run stops."""
    return get_declaration(type(method)).ends_by_itself and getattr(method, "restarts", 0) is not None


def make_method(name: str, /, **parameters: Any) -> Method:
    """
    Return a method by name.

    Parameters
    ----------
    name : str
        Name of the method, in upper or lower case; `METHODS` lists them.
    **parameters
        Parameters of the method.

    Returns
    -------
    Method
        The method.

    Raises
    ------
    InputError
        If the name or a parameter is unknown, or a value is invalid.

    Examples
    --------
    >>> import bnsearch
    >>> bnsearch.make_method("minobs", population=10).population
    10
    """
    return METHODS.make(name, parameters)
