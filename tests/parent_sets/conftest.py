"""Fixtures of the tests of parent sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def score_file(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str | bytes], Path]:
    """Return a function that puts text into a file, always the same one, and returns its path."""
    path = tmp_path_factory.mktemp("scores") / "some.jkl"

    def write(content: str | bytes) -> Path:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write
