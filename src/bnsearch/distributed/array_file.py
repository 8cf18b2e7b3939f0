"""Arrays in a file that processes of the same machine map into memory."""

from __future__ import annotations

import mmap
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

ALIGNMENT = 64  # arrays in a file begin at multiples of this number of bytes, as vector instructions expect


@dataclass(frozen=True)
class ArrayFile:
    """
    A file with arrays, which the system keeps in memory once for all processes that map it.

    Attributes
    ----------
    path : file on the machine on which it was written
    entries : type, shape and first byte of each array
    size : number of bytes
    """

    path: str
    entries: tuple[tuple[str, tuple[int, ...], int], ...]
    size: int

    @classmethod
    def write(cls, folder: Path, arrays: Sequence[NDArray[Any]]) -> ArrayFile:
        """Write arrays to a new file of a folder; raise an OSError if that fails."""
        return cls.write_joined(folder, [[array] for array in arrays])

    @classmethod
    def write_joined(cls, folder: Path, arrays: Sequence[Sequence[NDArray[Any]]]) -> ArrayFile:
        """Write arrays that are given in parts, which are joined along their first axis; otherwise as `write`."""
        path = folder / uuid.uuid4().hex
        entries = []
        with path.open("wb") as file:
            for parts in arrays:
                file.write(bytes(-file.tell() % ALIGNMENT))
                shape = (sum(len(part) for part in parts), *parts[0].shape[1:])
                entries.append((parts[0].dtype.str, shape, file.tell()))
                for part in parts:
                    file.write(np.ascontiguousarray(part).data)
            size = file.tell()
        return cls(str(path), tuple(entries), size)

    def map(self) -> list[NDArray[Any]] | None:
        """
        Return the arrays; None if this process does not find the file.

        Kernels need arrays that can be written, because other arrays have another type. A process that writes to an
        array gets a copy of the page.
        """
        try:
            with Path(self.path).open("rb") as file:
                content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        except (OSError, ValueError):
            return None
        if len(content) != self.size:
            return None
        return [
            np.frombuffer(content, dtype, int(np.prod(shape, dtype=np.int64)), first).reshape(shape)
            for dtype, shape, first in self.entries
        ]

    def remove(self) -> None:
        """Delete the file; processes that have mapped it keep their arrays."""
        with suppress(OSError):  # on Windows, a file that is mapped is deleted with its folder later
            Path(self.path).unlink()
