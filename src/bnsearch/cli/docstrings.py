"""Parts of numpydoc docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import MISSING
from typing import Any, NamedTuple

from bnsearch._tools.registry import parameters_of

_TITLE = re.compile(r"^(\w+)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+)(?: : (.*)|$)((?:\n[ ]+.*)*)", re.MULTILINE)  # a name, its type, and indented lines


class Description(NamedTuple):
    """Summary, parameters and references of a class."""

    summary: str
    parameters: Mapping[str, str]
    references: str


def describe(kind: type) -> Description:
    """Return the description of a class, each text on one line; parameters of base classes are included."""
    parameters = {
        name: text for base in reversed(kind.__mro__) for name, text in _parse_docstring(base).parameters.items()
    }
    return _parse_docstring(kind)._replace(parameters=parameters)


def describe_parameters(kind: type) -> dict[str, dict[str, Any]]:
    """Return the default and the meaning of each parameter of a class."""
    meanings = describe(kind).parameters
    return {
        name: {"default": None if default is MISSING else default, "meaning": meanings.get(name, "")}
        for name, default in parameters_of(kind).items()
    }


def _parse_docstring(kind: type) -> Description:
    summary, *parts = _TITLE.split(inspect.cleandoc(vars(kind).get("__doc__") or ""))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    return Description(
        _join_lines(summary.partition("\n\n")[0]),
        # Some authors write the description in place of the type.
        {name: _join_lines(text or kind) for name, kind, text in _ENTRY.findall(sections.get("Parameters", ""))},
        _join_lines(sections.get("References", "")),
    )


def _join_lines(text: str) -> str:
    return " ".join(text.split())
