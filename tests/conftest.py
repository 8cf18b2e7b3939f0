"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("bnsearch", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("checked", parent=settings.get_profile("bnsearch"), max_examples=15)
settings.register_profile("compile", parent=settings.get_profile("bnsearch"), max_examples=1)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "bnsearch"))


gc.set_threshold(100_000, 20, 20)  # with Python's defaults, garbage collection is a sixth of the time of compiling
GROUPS = {"scores": "counting"}  # packages whose tests use the same kernels, by the group of their tests


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Assign the tests of a package to one process (`--dist loadgroup`): it compiles their kernels once."""
    for item in items:
        package = item.path.parent.name
        item.add_marker(pytest.mark.xdist_group(GROUPS.get(package, package)))


def pytest_configure() -> None:
    """Let Ctrl-C through: a shell that starts the suite in the background has it ignored, also by what tests start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of public data sets, or skip where it is absent."""
    default = Path(__file__).parents[1].parent / "shared" / "data"
    folder = Path(os.environ.get("BNSEARCH_DATA", default))
    if not folder.is_dir():
        pytest.skip("no public data sets here (set BNSEARCH_DATA)")
    return folder
