"""Files in and out: whole reads with clear errors, and writes that are never seen half done."""

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

from bnsearch.errors import InputError

#: A file that holds more than this, once unpacked, is refused: a small gzip file can hold any number of bytes.
LARGEST_FILE = 16 * 2**30
_GZIP_MAGIC = b"\x1f\x8b"
_PIECE = 2**26


def read_bytes(path: str | os.PathLike[str], *, limit: int | None = None) -> bytes:
    """
    Return the content of a file, unpacked where it is gzipped (by its name or by its first bytes).

    A file that holds more than `limit` bytes (by default LARGEST_FILE) is refused, and read no further.
    """
    limit = LARGEST_FILE if limit is None else limit
    try:
        with Path(path).open("rb") as file:
            data = _read_up_to(limit + 1, file.read)
        if Path(path).suffix.lower() == ".gz" or data.startswith(_GZIP_MAGIC):
            with gzip.open(io.BytesIO(data)) as unpacked:
                data = _read_up_to(limit + 1, unpacked.read)
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, not a file") from None
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {_reason(error)}") from None
    if len(data) > limit:
        raise InputError(f"{path} holds more than {limit // 2**20:,} MiB, the most that is read")
    return data


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """
    Yield a temporary path beside the target, and move it onto the target when the block ends well.

    The temporary name ends as the target's name does, so that code which looks at the extension works on it.
    When the block fails, the target stays as it was and nothing is left behind. A link is followed, and
    something that is no ordinary file (a pipe, /dev/stdout) is written in place.
    """
    check_writable(path)
    target = Path(os.path.realpath(path))
    in_place = target.exists() and not target.is_file()
    # of a long name only the end, or the temporary one could be too long
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
    """Open a file that appears as by `atomic_write`; what is written is gzipped where the name ends in .gz."""
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        if Path(path).suffix.lower() != ".gz":
            yield file
            return
        # without a time in the header the same content gives the same file; 6 is what gzip itself uses
        with gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0) as packed:
            yield cast("IO[bytes]", packed)  # it is, to all who write


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a target that `atomic_write` could not write; to be asked before the work whose result goes there."""
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


def _read_up_to(size: int, read: Callable[[int], bytes]) -> bytes:
    """Return the first bytes of a file, piece by piece: to ask for all at once would reserve memory for all."""
    pieces = []
    while size > 0 and (piece := read(min(size, _PIECE))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _reason(error: OSError | ValueError) -> str:
    """Return what the system says; a name that it cannot take, one with a NUL character, is a ValueError."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
