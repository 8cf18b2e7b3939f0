"""
Faster lists of the variables that an instruction of Numba's intermediate code uses.

After most passes over a kernel, Numba lists the variables of all instructions again. It tests the class of each
attribute several times, which takes a tenth of the time of compilation. Here the class is looked up once. Numba also
announces each pass to listeners; within the block it does not, because there are none.

This uses private names of Numba. Without them nothing is replaced.
"""

# Numba has no type annotations.
# mypy: allow-untyped-calls
from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

OTHER, VARIABLE, INSTRUCTION, SEQUENCE, MAPPING = range(5)

_kinds: dict[type, int] = {}


@contextmanager
def fast_variable_lists() -> Iterator[None]:
    """Replace Numba's lists within the block. The thread must hold Numba's compiler lock."""
    from numba.core import event, ir

    names: Any = ir
    if names.Stmt.list_vars is _list_of_statement or not hasattr(names.Inst, "_rec_list_vars"):
        yield
        return
    replaced: list[tuple[Any, str, Any]] = [
        (names.Stmt, "list_vars", _list_of_statement),
        (names.Expr, "list_vars", _list_of_expression),
    ]
    if not any(getattr(event, "_registered", {"unknown": True}).values()):
        replaced.append((event, "trigger_event", _ignore_event))
    originals = [getattr(owner, name) for owner, name, _ in replaced]
    for owner, name, replacement in replaced:
        setattr(owner, name, replacement)
    try:
        yield
    finally:
        for (owner, name, _), original in zip(replaced, originals, strict=True):
            setattr(owner, name, original)


def _list_of_statement(statement: Any) -> list[Any]:
    """Return the variables of a statement."""
    return _add_variables(statement.__dict__.values(), [])


def _list_of_expression(expression: Any) -> list[Any]:
    """Return the variables of an expression."""
    return _add_variables(expression._kws.values(), [])


def _ignore_event(*_: object, **__: object) -> nullcontext[None]:
    """Announce no event."""
    return nullcontext()


def _add_variables(values: Iterable[Any], found: list[Any]) -> list[Any]:
    """Add the variables among some values, and those that the values contain, to a list; return the list."""
    for value in values:
        kind = _kinds.get(type(value))
        if kind is None:
            kind = _kinds[type(value)] = _find_kind(type(value))
        if kind == VARIABLE:
            found.append(value)
        elif kind == INSTRUCTION:
            found += value.list_vars()
        elif kind == SEQUENCE:
            _add_variables(value, found)
        elif kind == MAPPING:
            _add_variables(value.values(), found)
    return found


def _find_kind(owner: type) -> int:
    """Return what a value of a class may contain, by the same order of tests as Numba's."""
    from numba.core import ir

    kinds = ((ir.Var, VARIABLE), (ir.Inst, INSTRUCTION), ((list, tuple), SEQUENCE), (dict, MAPPING))
    return next((kind for known, kind in kinds if issubclass(owner, known)), OTHER)
