"""The text of a file, read with care, and errors that point into it."""

from __future__ import annotations

import os
from dataclasses import dataclass

from bnsearch._tools.files import read_bytes
from bnsearch.errors import InputError

#: A network file that holds more than this, once unpacked, is refused: it would only be a hostile one.
MAX_FILE_SIZE = 512 * 2**20


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
        Read a text file, unpacked where it is gzipped.

        The text is UTF-8. With `legacy`, bytes that are not are taken for Latin-1, which the programs
        that made the older formats wrote.
        """
        path = os.fspath(path)
        data = read_bytes(path, limit=MAX_FILE_SIZE)
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
