"""Locks between the processes of a machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def hold_file_lock(path: Path | None) -> Iterator[None]:
    """Wait until no other process of this machine is in such a block with the same file; without fcntl, do not wait."""
    try:
        import fcntl

        file = None if path is None else path.open("a")
    except (ImportError, OSError):
        file = None
    if file is None:
        yield
        return
    with file:  # closing the file releases the lock
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextmanager
def try_file_lock(path: Path) -> Iterator[bool]:
    """Yield True if no other process of this machine is in such a block with the same file; without fcntl, True."""
    try:
        import fcntl
    except ImportError:
        yield True
        return
    with path.open("a") as file:  # closing the file releases the lock
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            yield False
            return
        yield True
