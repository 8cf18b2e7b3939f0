"""Limits of containers, from files such as the system has."""

from __future__ import annotations

import pytest

from bnsearch._tools.machine import find_available_memory, find_core_quota, find_memory_quota


@pytest.mark.parametrize(
    ("files", "cores", "memory"),
    [
        ({}, None, None),
        ({"cpu.max": "max 100000\n", "memory.max": "max\n"}, None, None),
        ({"cpu.max": "150000 100000\n", "memory.max": "1073741824\n"}, 1.5, 2**30),
        ({"cpu.max": "nonsense", "memory.max": ""}, None, None),
        (
            {
                "cpu/cpu.cfs_quota_us": "200000",
                "cpu/cpu.cfs_period_us": "100000",
                "memory/memory.limit_in_bytes": "1073741824",
            },
            2.0,
            2**30,
        ),
        (
            {
                "cpu/cpu.cfs_quota_us": "-1",
                "cpu/cpu.cfs_period_us": "100000",
                "memory/memory.limit_in_bytes": "9223372036854771712",
            },
            None,
            None,
        ),
    ],
)
def test_quotas(tmp_path, files, cores, memory):
    """Version 2 and version 1 of control groups, with and without limits, and files that cannot be read."""
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert find_core_quota(tmp_path) == cores
    assert find_memory_quota(tmp_path) == memory


def test_available_memory(tmp_path):
    """The system gives kB."""
    path = tmp_path / "meminfo"
    assert find_available_memory(path) is None
    path.write_text("MemTotal: 100 kB\nMemAvailable:     50 kB\n")
    assert find_available_memory(path) == 50 * 1024
