"""Quotation of input in error messages, on one line and of limited length."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

MAX_LENGTH = 60  # maximum number of characters of a quoted text
MAX_TEXTS = 5  # maximum number of texts in a list


def shown(text: str) -> str:
    """Return a text in quotes, shortened if it is long."""
    return repr(text if len(text) <= MAX_LENGTH else text[: MAX_LENGTH - 3] + "...")


def listed(texts: Iterable[str]) -> str:
    """Return the first texts of a list in quotes, separated by commas."""
    first = [shown(text) for text in islice(texts, MAX_TEXTS + 1)]
    return ", ".join(first[:MAX_TEXTS] + ["..."] * (len(first) > MAX_TEXTS))
