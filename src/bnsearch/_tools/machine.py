"""The limits of cores and memory that a container sets, and available memory."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

CGROUP = Path("/sys/fs/cgroup")


def find_core_quota(root: Path = CGROUP) -> float | None:
    """Return the number of cores that a container may use, on average; None without a limit."""
    with suppress(OSError, ValueError):
        quota, period = (root / "cpu.max").read_text().split()  # version 2
        return None if quota == "max" else int(quota) / int(period)
    with suppress(OSError, ValueError):
        quota, period = ((root / "cpu" / f"cpu.cfs_{name}_us").read_text() for name in ("quota", "period"))
        return int(quota) / int(period) if int(quota) > 0 else None
    return None


def find_memory_quota(root: Path = CGROUP) -> int | None:
    """Return the number of bytes that a container may use; None without a limit."""
    for path in (root / "memory.max", root / "memory" / "memory.limit_in_bytes"):
        with suppress(OSError, ValueError):
            limit = int(path.read_text())
            return limit if limit < 2**60 else None  # version 1 has a huge number if there is no limit
    return None


def find_available_memory(path: Path = Path("/proc/meminfo")) -> int | None:
    """Return the number of bytes that programs can still use; None if the system does not tell."""
    with suppress(OSError, ValueError, IndexError):
        for line in path.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    return None
