"""The text of a file, and errors with line numbers."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bnsearch.errors import InputError
from bnsearch.networks.formats import source
from bnsearch.networks.formats.source import Source


def error(path: Path, **options: bool) -> str:
    with pytest.raises(InputError) as caught:
        Source.read(path, **options)
    return str(caught.value)


def test_plain_and_gzipped(tmp_path: Path) -> None:
    """Gzip is recognised by the name or by the first bytes; a byte-order mark is dropped."""
    (tmp_path / "a.bif").write_bytes("\ufeffé\r\n".encode())
    (tmp_path / "b.bif.gz").write_bytes(gzip.compress("é\r\n".encode()))
    (tmp_path / "c.bif").write_bytes(gzip.compress("é\r\n".encode()))
    assert [Source.read(tmp_path / name).text for name in ("a.bif", "b.bif.gz", "c.bif")] == ["é\r\n"] * 3


def test_latin1_only_where_asked(tmp_path: Path) -> None:
    """The byte 0xe9 alone is é in Latin-1 and nothing in UTF-8."""
    path = tmp_path / "a.net"
    path.write_bytes(b"caf\n\xe9")
    assert Source.read(path, legacy=True).text == "caf\né"
    assert error(path) == f"{path}, line 2: not UTF-8 text; convert the file to UTF-8"


def test_no_file_to_read(tmp_path: Path) -> None:
    """A missing file, a folder and a broken gzip file raise different errors."""
    assert error(tmp_path / "none.bif").endswith("none.bif does not exist")
    assert error(tmp_path).endswith("is a folder, not a file")
    whole = gzip.compress(b"network unknown {}" * 100)
    path = tmp_path / "a.bif.gz"
    for broken in (b"plain", whole[:-9], whole[:30] + b"\xff\xff\xff" + whole[33:]):
        path.write_bytes(broken)
        assert "is not a whole gzip file" in error(path)
    assert error(tmp_path / ("x" * 5_000)).startswith("cannot read ")


def test_gzip_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unpacking stops at the limit, here 1 MiB: one byte less is read, one more refused."""
    monkeypatch.setattr(source, "MAX_FILE_SIZE", 2**20)
    path = tmp_path / "a.bif.gz"
    path.write_bytes(gzip.compress(b" " * 2**20))
    assert len(Source.read(path).text) == 2**20
    path.write_bytes(gzip.compress(b" " * (2**20 + 1)))
    assert error(path) == f"{path} has more than 1 MiB after decompression, the maximum size of such a file"


def test_errors_point_into_the_text() -> None:
    """Positions are converted to line numbers, which start at 1."""
    text = Source("f", "a\nb\nc")
    assert str(text.error("bad", 0)) == "f, line 1: bad"
    assert str(text.error("bad", 2)) == "f, line 2: bad"
    assert str(text.error("bad", 5)) == "f, line 3: bad"
    assert str(text.error("bad")) == "f: bad"
