"""Values that travel to each worker once: data sets and candidate tables, identified by their content."""

from __future__ import annotations

import hashlib
import mmap
import pickle
import tempfile
import threading
from collections import OrderedDict
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bnsearch.errors import InputError

ALIGNMENT = 64  # arrays in a file begin at multiples of this number of bytes, as NumPy and vector instructions expect
MAX_OPEN = 4  # values that a process keeps: the data and the candidate table of two runs


@dataclass(frozen=True)
class Parcel:
    """
    A value that workers read from a file on their machine, or get with a task.

    Attributes
    ----------
    key : digest of the content
    path : file that was written on the machine of the driver
    sizes : numbers of bytes: of the pickled value without its arrays, then of each array
    content : bytes of the file; None if the worker is expected to have the value or to find the file
    """

    key: str
    path: str
    sizes: tuple[int, ...]
    content: bytes | None = None

    def with_content(self) -> Parcel:
        """Return the parcel with its content, for a worker on another machine."""
        return replace(self, content=Path(self.path).read_bytes())


class ParcelFolder:
    """A temporary folder of parcels, which is deleted at the end of a `with` block."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bnsearch-", ignore_cleanup_errors=True)
        self._keys: list[str] = []

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self._folder.name)

    def __enter__(self) -> ParcelFolder:
        return self

    def __exit__(self, *_: object) -> None:
        for key in self._keys:
            _forget(key)
        self._folder.cleanup()

    def write(self, value: Any) -> Parcel:
        """Write a value to a file, and return its parcel; in this process, the value itself is used."""
        buffers: list[pickle.PickleBuffer] = []
        try:
            head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise InputError(
                f"the score or the knowledge cannot be sent to workers ({error}): define its class in a module"
            ) from None
        parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
        digest = hashlib.sha256()
        for part in parts:
            digest.update(str(len(part)).encode())
            digest.update(part)
        key = digest.hexdigest()
        path = self.path / key
        try:
            with path.open("wb") as file:
                for part in parts:
                    file.write(part)
                    file.write(bytes(-len(part) % ALIGNMENT))
        except OSError as error:
            raise InputError(
                f"the data for the workers cannot be written to {path.parent} ({error.strerror}): "
                "set the environment variable TMPDIR to a folder with more space"
            ) from None
        self._keys.append(key)
        _keep(key, value)
        return Parcel(key, str(path), tuple(len(part) for part in parts))


def open_parcel(parcel: Parcel) -> Any:
    """
    Return the value of a parcel.

    Raises
    ------
    FileNotFoundError
        If this process does not have the value, does not find its file, and did not get its content.
    """
    with _lock:
        if parcel.key in _values:
            _values.move_to_end(parcel.key)
            return _values[parcel.key]
    source: Any = parcel.content if parcel.content is not None else _map_file(Path(parcel.path))
    whole, parts, start = memoryview(source), [], 0
    for size in parcel.sizes:
        parts.append(whole[start : start + size])
        start += size + -size % ALIGNMENT
    if len(whole) < start:
        raise FileNotFoundError(f"the file {parcel.path} is shorter than expected")
    value = pickle.loads(parts[0], buffers=parts[1:])
    _keep(parcel.key, value)
    return value


def _map_file(path: Path) -> mmap.mmap:
    """Return the content of a file, which the system loads when it is read and shares between processes."""
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError) as error:
        raise FileNotFoundError(str(error)) from None


_lock = threading.Lock()
_values: OrderedDict[str, Any] = OrderedDict()  # the last values used, by key


def _keep(key: str, value: Any) -> None:
    with _lock:
        _values[key] = value
        _values.move_to_end(key)
        while len(_values) > MAX_OPEN:
            _values.popitem(last=False)


def _forget(key: str) -> None:
    with _lock, suppress(KeyError):
        del _values[key]
