"""A task as it travels to a worker, and the answer."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bnsearch.distributed.parcels import Parcel, open_parcel
from bnsearch.errors import InputError


@dataclass(frozen=True)
class Call:
    """
    A call of a function on a worker.

    Attributes
    ----------
    function : function at the top level of a module, called with the task and the values of the parcels
    task : small description of the work; the result depends on it and on the parcels only, or also on the clock
    parcels : data sets and tables that the function needs
    """

    function: Callable[..., Any]
    task: Any
    parcels: tuple[Parcel, ...]


@dataclass(frozen=True)
class Done:
    """The value of a call."""

    value: Any


@dataclass(frozen=True)
class Missing:
    """The answer of a worker that has not the values of some parcels: their keys."""

    keys: frozenset[str]


@dataclass(frozen=True)
class Failed:
    """
    The answer of a call that has raised an exception.

    Attributes
    ----------
    message : the exception in one line
    is_input_error : True if the input is invalid, so that no traceback helps
    details : the traceback
    """

    message: str
    is_input_error: bool
    details: str


def perform(call: Call) -> Done | Missing | Failed:
    """
    Perform a call; this function runs on a worker.

    An exception is returned and not raised: if an executor raises one, the worker was lost, and the call is repeated.
    """
    values, missing = [], set()
    for parcel in call.parcels:
        try:
            values.append(open_parcel(parcel))
        except FileNotFoundError:
            missing.add(parcel.key)
    if missing:
        return Missing(frozenset(missing))
    try:
        return Done(call.function(call.task, *values))
    except MemoryError:
        raise  # another worker may have more memory
    except Exception as error:
        message = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        return Failed(message, isinstance(error, InputError), traceback.format_exc())
