"""Parts of numpydoc docstrings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import NamedTuple

_TITLE = re.compile(r"^(\w+)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+) : (.*(?:\n[ ]+.*)*)", re.MULTILINE)


class Description(NamedTuple):
    """Summary, parameters and references of a class."""

    summary: str
    parameters: Mapping[str, str]
    references: str


def describe(kind: type) -> Description:
    """Return the description of a class, each text on one line; parameters of base classes are included."""
    parameters = {name: text for base in reversed(kind.__mro__) for name, text in _parsed(base).parameters.items()}
    return _parsed(kind)._replace(parameters=parameters)


def _parsed(kind: type) -> Description:
    summary, *parts = _TITLE.split(inspect.cleandoc(vars(kind).get("__doc__") or ""))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    return Description(
        _joined(summary.partition("\n\n")[0]),
        {name: _joined(text) for name, text in _ENTRY.findall(sections.get("Parameters", ""))},
        _joined(sections.get("References", "")),
    )


def _joined(text: str) -> str:
    return " ".join(text.split())
