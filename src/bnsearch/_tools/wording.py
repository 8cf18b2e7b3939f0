"""How an error shows what was handed in: quoted, on one line, not too long."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

LONGEST = 60  # characters of a text
MOST = 5  # texts of a list


def shown(text: str) -> str:
    """Return a text as an error shows it."""
    return repr(text if len(text) <= LONGEST else text[: LONGEST - 3] + "...")


def listed(texts: Iterable[str]) -> str:
    """Return the first few of some texts as an error shows them."""
    first = [shown(text) for text in islice(texts, MOST + 1)]
    return ", ".join(first[:MOST] + ["..."] * (len(first) > MOST))
