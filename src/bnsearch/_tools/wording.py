"""Words for messages: quotations of input, on one line and of limited length, and durations."""

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


def describe_duration(seconds: float) -> str:
    """Return a time in words, such as "3 min"."""
    for unit, name in ((86_400.0, "days"), (3_600.0, "h"), (60.0, "min")):
        if seconds >= 1.5 * unit:
            return f"{seconds / unit:,.1f} {name}" if unit > 60 else f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} s"
