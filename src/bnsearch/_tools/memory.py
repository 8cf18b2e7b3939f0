"""Memory limits of tables and caches."""

from __future__ import annotations

import os
import re

from bnsearch.errors import InputError

MACHINE_SHARE = 4  # the default is a quarter of the machine's memory
MAX_DEFAULT = 4 << 30  # upper limit of the default in bytes
MIN_MEMORY = 64 * 10**6  # smallest limit in bytes that can be set
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def default_memory() -> int:
    """Return the default memory limit of tables and caches in bytes."""
    machine = machine_memory()
    return MAX_DEFAULT // 2 if machine is None else max(MIN_MEMORY, min(MAX_DEFAULT, machine // MACHINE_SHARE))


def machine_memory() -> int | None:
    """Return the memory of the machine in bytes; None if the system does not report it."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def parse_memory(asked: int | float | str | None) -> int:
    """Return a memory limit in bytes, given as a number or as text such as "2GB" or "512MiB"; None is the default."""
    if asked is None:
        return default_memory()
    number = float(asked) if isinstance(asked, int | float) and not isinstance(asked, bool) else _parse_text(asked)
    if not MIN_MEMORY <= number <= 2**60:
        raise InputError(f"memory must be at least 64MB, such as '2GB', not {asked!r}")
    return int(number)


def format_memory(size: int) -> str:
    """Return a number of bytes with a unit, such as "1.5 GB"."""
    if size >= 10**18:
        return "more than 1000 PB"
    power = max(p for p in range(0, 18, 3) if size >= 10**p or p == 0)
    return f"{size / 10**power:.3g} {('bytes', 'kB', 'MB', 'GB', 'TB', 'PB')[power // 3]}"


def _parse_text(text: object) -> float:
    found = re.fullmatch(r"\s*([0-9]*\.?[0-9]+)\s*([kmgt]i?)?b?\s*", str(text).lower())
    if found is None:
        raise InputError(f"memory must be a number of bytes or text such as '2GB', not {text!r}")
    return float(found[1]) * UNITS[found[2] or ""]
