"""Peak memory of this process during a cell, and whether another cell ran in the same process."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_CLEAR, _STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
_lock = threading.Lock()
_active: list[MemoryMeter] = []


@dataclass(eq=False)
class MemoryMeter:
    """
    The peak memory of the process while a block runs.

    Attributes
    ----------
    is_alone : whether no other block ran at the same time
    mebibytes : peak memory in MiB; None if it is not known or other blocks ran at the same time
    """

    is_alone: bool = True
    mebibytes: float | None = field(default=None)


@contextmanager
def measure_memory() -> Iterator[MemoryMeter]:
    """Measure the peak memory of a block; Linux only."""
    meter = MemoryMeter()
    with _lock:
        for other in _active:
            meter.is_alone = other.is_alone = False
        _active.append(meter)
        is_reset = meter.is_alone and reset_peak()
    try:
        yield meter
    finally:
        with _lock:
            _active.remove(meter)
            meter.mebibytes = read_peak() if is_reset and meter.is_alone else None


def reset_peak() -> bool:
    """Reset the peak memory that Linux reports for this process; return False if that is not possible."""
    try:
        _CLEAR.write_text("5")
    except OSError:
        return False
    return True


def read_peak() -> float | None:
    """Return the peak memory of this process in MiB; None if the system does not report it."""
    try:
        lines = _STATUS.read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM:")), None)
