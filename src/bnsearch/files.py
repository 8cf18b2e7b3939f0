"""Files in and out: whole reads with clear errors, and writes that are never seen half done."""

from __future__ import annotations

import gzip
import os
import secrets
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bnsearch.errors import InputError

GZIP_MAGIC = b"\x1f\x8b"


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file, unpacked where it is gzipped (by its name or by its first bytes)."""
    path = Path(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder, not a file")
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    if path.suffix.lower() != ".gz" and not data.startswith(GZIP_MAGIC):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}") from None


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[Path]:
    """
    Yield a temporary path beside the target, and move it onto the target when the block ends well.

    The temporary name ends with the target's name, so that code which looks at the extension works on it.
    When the block fails, the target stays as it was and nothing is left behind. A link is followed, and
    something that is no ordinary file (a pipe, /dev/stdout) is written in place.
    """
    path = Path(path)
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"cannot write {path}: it is a folder")
    if not target.parent.is_dir():
        raise InputError(f"cannot write {path}: the folder {target.parent} does not exist")
    in_place = target.exists() and not target.is_file()
    temporary = target if in_place else target.with_name(f".{secrets.token_hex(4)}.{target.name}")
    try:
        yield temporary
        if not in_place:
            temporary.replace(target)
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror or error}") from None
    finally:
        if not in_place:
            temporary.unlink(missing_ok=True)
