"""How much memory tables and caches may take."""

from __future__ import annotations

import os
import re

from bnsearch.errors import InputError

SHARE, MOST = 4, 4 << 30  # a quarter of the machine's memory, at most this
LEAST = 64 * 10**6  # bytes
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def default_memory() -> int:
    """Return the memory that tables and caches may take unless told otherwise, in bytes."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not on this system
        return MOST // 2
    return max(LEAST, min(MOST, machine // SHARE))


def memory_of(asked: int | float | str | None) -> int:
    """Return an amount of memory in bytes: a number of bytes, or text such as "2GB" or "512MiB"."""
    if asked is None:
        return default_memory()
    number = float(asked) if isinstance(asked, int | float) and not isinstance(asked, bool) else _parsed(asked)
    if not LEAST <= number <= 2**60:
        raise InputError(f"memory must be at least 64MB, such as '2GB', not {asked!r}")
    return int(number)


def _parsed(text: object) -> float:
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([kmgt]i?)?b?\s*", str(text).lower())
    if found is None:
        raise InputError(f"memory must be a number of bytes or text such as '2GB', not {text!r}")
    return float(found[1]) * UNITS[found[2] or ""]
