"""Objects made from the name of a class and its parameters."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from bnsearch.errors import InputError

T = TypeVar("T")


def make(
    what: str, kinds: Mapping[str, type[T]], name: str, parameters: Mapping[str, Any], aliases: Mapping[str, str]
) -> T:
    """
    Return an instance of the dataclass with a name.

    Parameters
    ----------
    what : noun for the classes in error messages, such as "score"
    kinds : classes by name
    name : name of the class, in upper or lower case
    parameters : values of its fields
    aliases : further names
    """
    key = aliases.get(name.lower(), name.lower())
    if key not in kinds:
        raise InputError(
            f"there is no {what} {name!r}{suggest(key, [*kinds, *aliases])}: choose from {', '.join(kinds)}"
        )
    kind = kinds[key]
    known = [field.name for field in dataclasses.fields(kind)]  # type: ignore[arg-type]
    for given in parameters:
        if given not in known:
            takes = f"takes {', '.join(known)}" if known else "takes no parameters"
            raise InputError(f"the {key} {what} has no parameter {given!r}{suggest(given, known)}: it {takes}")
    return kind(**parameters)


def require_choice(name: str, value: object, known: Iterable[str]) -> None:
    """Raise an error that names the parameter, its legal values and its value, if the value is not legal."""
    words = list(known)
    if value not in words:
        raise InputError(f"{name} must be one of {', '.join(words)}, not {value!r}{suggest(str(value), words)}")


def suggest(name: str, known: list[str]) -> str:
    """Return a hint such as "(did you mean 'bic'?)", or an empty string if no known name is similar."""
    near = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
