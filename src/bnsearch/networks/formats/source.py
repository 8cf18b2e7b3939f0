"""The text of a file, read with care, and errors that point into it."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bnsearch.errors import InputError
from bnsearch.files import GZIP_MAGIC

#: A network file larger than this, once decompressed, is refused: a small gzip can hold gigabytes.
LARGEST_FILE = 512 * 2**20


@dataclass(frozen=True)
class Source:
    """
    A file's text and its name, for error messages.

    Parameters
    ----------
    path : the file's name as the user gave it
    text : everything in it
    """

    path: str
    text: str

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, legacy: bool = False) -> Source:
        """
        Read a text file, through gzip where its name ends in .gz.

        The text is UTF-8. With `legacy`, bytes that are not are taken for Latin-1, which the programs
        that made the older formats wrote.
        """
        path = os.fspath(path)
        data = _read_bytes(path)
        try:
            return cls(path, data.decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            if legacy:
                return cls(path, data.decode("latin-1"))
            line = data.count(b"\n", 0, error.start) + 1
            raise InputError(f"{path}, line {line}: not UTF-8 text; convert the file to UTF-8") from None

    def error(self, message: str, start: int | None = None) -> InputError:
        """Return the error for what stands at `start` (a position in the text; None: the whole file)."""
        if start is None:
            return InputError(f"{self.path}: {message}")
        return self.error_at_line(message, self.text.count("\n", 0, start) + 1)

    def error_at_line(self, message: str, line: int) -> InputError:
        """Return the error for a line of the file."""
        return InputError(f"{self.path}, line {line}: {message}")


def shown(text: str) -> str:
    """Return a text as an error message shows it: quoted, on one line, not too long."""
    return repr(text if len(text) <= 60 else text[:57] + "...")


def listed(names: Sequence[str]) -> str:
    """Return the first few of some names as an error message shows them."""
    return ", ".join(map(shown, names[:5])) + (", ..." if len(names) > 5 else "")


def _read_bytes(path: str) -> bytes:
    """Return what the file holds, unpacked where it is gzipped, by its name or by its first bytes."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
        if path.lower().endswith(".gz") or data.startswith(GZIP_MAGIC):
            with gzip.open(io.BytesIO(data)) as unpacked:
                data = unpacked.read(LARGEST_FILE + 1)
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, not a file") from None
    except FileNotFoundError:
        raise InputError(f"{path} does not exist") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path} is not a whole gzip file: {error}") from None
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None
    if len(data) > LARGEST_FILE:
        raise InputError(f"{path} holds more than {LARGEST_FILE // 2**20} MiB, too much for a network")
    return data
