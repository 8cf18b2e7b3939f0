"""What the classes say about themselves: the parts of a numpydoc docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import NamedTuple

_TITLE = re.compile(r"^(\w+)\n-{3,}\n", re.MULTILINE)
_ENTRY = re.compile(r"^(\w+) : (.*(?:\n[ ]+.*)*)", re.MULTILINE)


class Description(NamedTuple):
    """A class in words: its first paragraph, the meaning of its parameters, its references."""

    summary: str
    parameters: Mapping[str, str]
    references: str


def describe(kind: type) -> Description:
    """Return what the docstring of a class says, every text on one line; of parameters also those of its bases."""
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
