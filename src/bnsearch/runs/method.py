"""The protocol of search methods, and what a method declares about itself."""

from __future__ import annotations

import dataclasses
import inspect
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from bnsearch._tools.registry import parameters_of
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.runs.problem import Problem
    from bnsearch.runs.run import Run


class Needs(StrEnum):
    """
    The input that a method searches with.

    Examples
    --------
    >>> import bnsearch
    >>> bnsearch.METHODS["minobs"].needs == bnsearch.Needs.TABLE
    True
    """

    DATA = "data"
    TABLE = "candidate table"  # with data, a table is selected first
    DATA_OR_TABLE = "data or candidate table"


class Method(Protocol):
    """
    A search method.

    Those of the library are frozen dataclasses whose fields are the parameters. Any class with a name and a method
    `search` is accepted.

    `search` offers networks to the run until `run.going()` returns False or nothing is left to do. In addition to its
    name, the class declares what is known about it:

    - `space`: text, the search space;
    - `needs`: a value of `Needs`, or its text; by default "data or candidate table";
    - `ends_by_itself`: whether the method ends without a stopping rule; by default False;
    - `begins_at_start`: whether the search begins with the network `problem.initial_network`; by default False;
    - `paper` and `purpose`: texts, its origin and when to use it.

    If `run.checkpoint` is not None, the incumbent is saved. A search method can save further state with
    `run.checkpoint.provide`, and read the state of an earlier run with `run.checkpoint.take`.

    Examples
    --------
    >>> import bnsearch
    >>> class Empty:
    ...     name = "empty"
    ...     def search(self, problem, run):
    ...         run.offer(problem.base_score, lambda: problem.base)
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> bnsearch.learn(data, method=Empty(), seconds=10).dag.edges
    []
    """

    name: ClassVar[str]

    def search(self, problem: Problem, run: Run) -> None:
        """Search, and offer all networks found to the run."""
        ...


@dataclasses.dataclass(frozen=True)
class Declaration:
    """What a method class declares about itself; defaults for what it does not declare."""

    space: str = ""
    needs: Needs = Needs.DATA_OR_TABLE
    ends_by_itself: bool = False
    begins_at_start: bool = False
    paper: str = ""
    purpose: str = ""


def get_declaration(kind: type) -> Declaration:
    """Return what a method class declares; an InputError if `needs` is unknown."""
    fields = [field.name for field in dataclasses.fields(Declaration)]
    declared: dict[str, Any] = {name: getattr(kind, name) for name in fields if hasattr(kind, name)}
    try:
        declared["needs"] = Needs(declared.get("needs", Declaration.needs))
    except ValueError:
        legal = ", ".join(repr(str(value)) for value in Needs)
        raise InputError(f"`needs` of {kind.__name__} must be one of {legal}, not {declared['needs']!r}") from None
    return Declaration(**declared)


def get_parameters(method: Method) -> dict[str, Any]:
    """Return a method's parameters by name."""
    return {name: getattr(method, name) for name in parameters_of(type(method))}


def check_method_class(kind: type) -> None:
    """Raise an InputError if a class lacks a part of a method, so that no run ends with this error."""
    if not isinstance(getattr(kind, "name", None), str):
        raise InputError(f"the method {kind.__name__} has no name: add the attribute name, such as name = 'mine'")
    search = getattr(kind, "search", None)
    if not callable(search):
        raise InputError(f"the method {kind.__name__} has no method search(problem, run)")
    try:
        inspect.signature(search).bind(object(), object(), object())
    except TypeError:
        given = inspect.signature(search)
        raise InputError(f"{kind.__name__}.search must take a problem and a run, not {given}") from None
    get_declaration(kind)
