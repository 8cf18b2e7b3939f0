"""The time that writing the parts of a checkpoint takes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

SECONDS_BETWEEN_WRITES = 8.0  # below 10, so that a run that is killed during a write loses at most ten seconds
SECONDS_TO_FIRST_WRITE = 2.0  # earlier, because the first write takes longest: it creates the folder
MAX_SHARE = 0.005  # share of CPU time for writing counters, incumbent and trace
MAX_PART_SHARE = 0.001  # share of CPU time for each other part, of which there are at most four
MAX_EXPECTED_SHARE = 0.01  # share of CPU time so far that the next write of a part may be expected to take
SECONDS_PER_BYTE = 2e-9  # approximate CPU time for writing a byte, its checksum included
MAX_DISK_SHARE = 0.1  # share of the elapsed time for each other part, which includes waiting for the disk
MAX_DISK_SHARE_OF_INCUMBENT = 0.5  # larger: waiting takes no time of the run, and a late write loses work


def read_cpu_seconds() -> float:
    """Return the CPU time of this process so far."""
    return time.process_time()


class Cost(NamedTuple):
    """Elapsed time and CPU time of a thread, in seconds."""

    elapsed: float = 0.0
    cpu: float = 0.0

    def plus(self, other: Cost, sign: float = 1.0) -> Cost:
        """Return the sum of two costs, or their difference if the sign is -1."""
        return Cost(self.elapsed + sign * other.elapsed, self.cpu + sign * other.cpu)

    def get_interval(self, max_share: float, max_disk_share: float) -> float:
        """Return the seconds between the begins of two writes that may take shares of the CPU and the elapsed time."""
        return max(SECONDS_BETWEEN_WRITES, self.elapsed / max_disk_share, self.cpu / max_share)


class CostMeter:
    """
    Measures costs by name.

    Attributes
    ----------
    costs : the cost of each name so far
    """

    def __init__(self) -> None:
        self.costs: dict[str, Cost] = {}

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Add the cost of the block, which one thread executes, to that of a name."""
        elapsed, cpu = time.perf_counter(), time.thread_time()
        try:
            yield
        finally:
            spent = Cost(time.perf_counter() - elapsed, time.thread_time() - cpu)
            self.costs[name] = self.costs.get(name, Cost()).plus(spent)
