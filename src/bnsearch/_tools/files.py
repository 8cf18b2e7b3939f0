"""Reading of whole files, and atomic writing."""

from __future__ import annotations

import gzip
import io
import os
import secrets
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from bnsearch._tools.memory import machine_memory
from bnsearch.errors import InputError

MAX_FILE_BYTES = 16 * 2**30  # limit after decompression: a small gzip file can hold any number of bytes
MEMORY_SHARE = 2  # a file may have at most half as many bytes as the machine: its content is coded in memory
_GZIP_MAGIC = b"\x1f\x8b"
_CHUNK = 2**22  # bytes read at a time


def read_bytes(path: str | os.PathLike[str], *, limit: int | None = None) -> bytes:
    """
    Return the content of a file, decompressed if its name or its first bytes say that it is gzipped.

    A file with more than `limit` bytes after decompression is refused, and not read any further. The default is half of
    the machine's memory, at most MAX_FILE_BYTES.
    """
    limit = _default_limit() if limit is None else limit
    with _open_to_read(path) as file:
        is_packed = _is_packed(path, file)
        data = _read_up_to(limit + 1, gzip.GzipFile(fileobj=file).read if is_packed else file.read)
    if len(data) > limit:
        unpacked = " after decompression" if is_packed else ""
        raise InputError(f"{path} has more than {limit // 2**20:,} MiB{unpacked}, the maximum size of such a file")
    return data


def is_gzipped(path: str | os.PathLike[str]) -> bool:
    """Return True if the name or the first bytes of a file say that it is gzipped."""
    with _open_to_read(path) as file:
        return _is_packed(path, file)


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """
    Yield a temporary path in the folder of the target, and move the file to the target at the end of the block.

    The temporary name has the extension of the target. If the block fails, the target is unchanged and the temporary
    file is removed. Symbolic links are followed. A target that is not a regular file (a pipe, /dev/stdout) is written
    in place.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    in_place = target.exists() and not target.is_file()
    # Only the end of a long name is used: the temporary name must not exceed the limit of the file system.
    temporary = target if in_place else target.with_name(f".{secrets.token_hex(4)}.{target.name[-40:]}")
    try:
        yield temporary
        if not in_place:
            temporary.replace(target)
    except OSError as error:
        raise InputError(f"cannot write {path}: {_reason(error)}") from None
    finally:
        if not in_place:
            temporary.unlink(missing_ok=True)


@contextmanager
def atomic_open(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for atomic writing; the content is gzipped if the name ends in .gz."""
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        if Path(path).suffix.lower() != ".gz":
            yield file
            return
        # Without a time in the header, the same content gives the same file. 6 is the default level of gzip.
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            yield cast("IO[bytes]", packed)  # it has all methods for writing


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise an error if `atomic_write` could not write a target; called before the work starts."""
    try:
        target = Path(os.path.realpath(path))
        is_folder = target.is_dir()
        in_place = target.exists() and not target.is_file()
    except (OSError, ValueError) as error:
        raise InputError(f"cannot write {path}: {_reason(error)}") from None
    if is_folder:
        raise InputError(f"cannot write {path}: it is a folder")
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: the folder {target.parent} does not exist")
    if not os.access(target if in_place else target.parent, os.W_OK):
        raise InputError(f"cannot write {path}: Permission denied")


@contextmanager
def _open_to_read(path: str | os.PathLike[str]) -> Iterator[io.BufferedReader]:
    """Open a file; all errors until the end of the block become an InputError that names the file."""
    try:
        with Path(path).open("rb") as file:
            yield file
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, not a file") from None
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {_reason(error)}") from None


def _is_packed(path: str | os.PathLike[str], file: io.BufferedReader) -> bool:
    """Return True if an open file is gzipped."""
    return Path(path).suffix.lower() == ".gz" or file.peek(2).startswith(_GZIP_MAGIC)


def _read_up_to(size: int, read: Callable[[int], bytes]) -> bytes:
    """
    Return the first bytes of a file, read in chunks: a single read would allocate memory for `size` bytes.

    BytesIO grows in place and returns its content without a copy.
    """
    content = io.BytesIO()
    while size > 0 and (chunk := read(min(size, _CHUNK))):
        content.write(chunk)
        size -= len(chunk)
    return content.getvalue()


def _default_limit() -> int:
    memory = machine_memory()
    return MAX_FILE_BYTES if memory is None else min(MAX_FILE_BYTES, memory // MEMORY_SHARE)


def _reason(error: OSError | ValueError) -> str:
    """Return the message of the system; file names with a NUL character raise a ValueError."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
