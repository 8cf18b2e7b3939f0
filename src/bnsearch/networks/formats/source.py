"""The text of a file, and errors with line numbers."""

from __future__ import annotations

import os
from dataclasses import dataclass

from bnsearch._tools.files import read_bytes
from bnsearch.errors import InputError

#: Size of an unpacked network file in bytes; protects against files that unpack to huge sizes.
MAX_FILE_SIZE = 512 * 2**20


@dataclass(frozen=True)
class Source:
    """
    The text of a file with its name, which is part of error messages.

    Parameters
    ----------
    path : name of the file as given by the user
    text : text of the file
    """

    path: str
    text: str

    @classmethod
    def read(cls, path: str | os.PathLike[str], *, legacy: bool = False) -> Source:
        """
        Read a text file, which may be gzipped.

        The text is UTF-8. With `legacy`, a file that is not UTF-8 is decoded as Latin-1, which older programs wrote.
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
        """Return the error at position `start` of the text, or for the whole file if `start` is None."""
        if start is None:
            return InputError(f"{self.path}: {message}")
        return self.error_at_line(message, self.text.count("\n", 0, start) + 1)

    def error_at_line(self, message: str, line: int) -> InputError:
        """Return the error at a line of the file."""
        return InputError(f"{self.path}, line {line}: {message}")
