"""Fixtures that every test may use."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("bnsearch", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("checked", parent=settings.get_profile("bnsearch"), max_examples=15)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "bnsearch"))


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
