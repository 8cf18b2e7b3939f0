"""Files of arrays in NumPy's .npy format, one after the other, with checksums."""

from __future__ import annotations

import io
import os
import zlib
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

ALIGNMENT = 64  # arrays start at multiples of this offset, so that mapped arrays are aligned in memory
MAX_HEADER = 2**12  # bytes that the header of an array can have


class Entry(NamedTuple):
    """The place of an array: file, offset and number of bytes, with the checksum of these bytes."""

    file: str
    offset: int
    length: int
    checksum: int


class ArrayFile:
    """A new file of arrays, which is created by the first of them; `made` gets its path."""

    def __init__(self, path: Path, made: list[Path]) -> None:
        self._path, self.made = path, made
        self._file: IO[bytes] | None = None
        self._checksum = 0

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            with self._file:
                if error[0] is None:
                    sync(self._file)

    def append(self, array: NDArray[Any]) -> Entry:
        """Write an array at the end of the file."""
        if self._file is None:
            self.made.append(self._path)
            self._file = self._path.open("xb")
        self._file.write(bytes(-self._file.tell() % ALIGNMENT))
        start, self._checksum = self._file.tell(), 0
        array = np.ascontiguousarray(array)
        npy.write_array_header_1_0(cast("IO[bytes]", self), npy.header_data_from_array_1_0(array))
        self.write(array.data if array.size else b"")
        return Entry(self._path.name, start, self._file.tell() - start, self._checksum)

    def write(self, content: bytes | memoryview) -> int:
        """Write bytes, and add them to the checksum; the header is written in this way, too."""
        assert self._file is not None
        self._checksum = zlib.crc32(content, self._checksum)
        return self._file.write(content)


def map_array(folder: Path, entry: Entry) -> NDArray[Any] | None:
    """Return an array of a file, mapped into memory; None if the file is too short or the checksum is wrong."""
    path = folder / entry.file
    if not path.is_file() or path.stat().st_size < entry.offset + entry.length:
        return None
    content = np.memmap(path, np.uint8, "r", entry.offset, (entry.length,))
    if zlib.crc32(content.data) != entry.checksum:
        return None
    header = io.BytesIO(content[:MAX_HEADER].tobytes())
    npy.read_magic(header)
    shape, _, dtype = npy.read_array_header_1_0(header)
    return np.asarray(content[header.tell() :]).view(dtype).reshape(shape)


def sync(file: IO[bytes]) -> None:
    """Wait until the content of a file is on the disk."""
    file.flush()
    os.fsync(file.fileno())
