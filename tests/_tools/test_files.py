"""Whole reads with clear errors, and writes that are never seen half done."""

from __future__ import annotations

import gzip
import os
import stat
import tracemalloc
from pathlib import Path

import pytest

from bnsearch._tools import files
from bnsearch._tools.files import atomic_open, atomic_write, check_writable, read_bytes
from bnsearch.errors import InputError


def test_read_bytes_unpacks_gzip_by_name_or_content(tmp_path: Path) -> None:
    """A gzipped file with any name is unpacked; a plain file is returned unchanged."""
    for name in ("a.csv.gz", "a.csv"):
        (tmp_path / name).write_bytes(gzip.compress(b"hello"))
        assert read_bytes(tmp_path / name) == b"hello"
    (tmp_path / "b.csv").write_bytes(b"plain")
    assert read_bytes(str(tmp_path / "b.csv")) == b"plain"


@pytest.mark.parametrize(
    "data",
    [b"plain", gzip.compress(b"x" * 1000, mtime=0)[:-5], b"\x1f\x8b\x08\x00junk" * 3],
    ids=["plain", "truncated", "junk"],
)
def test_read_bytes_refuses_broken_gzip(tmp_path: Path, data: bytes) -> None:
    """Plain text under .gz, a truncated stream and junk are all one clear error."""
    path = tmp_path / "a.gz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"a\.gz is not a whole gzip file"):
        read_bytes(path)


def test_read_bytes_names_what_is_not_there(tmp_path: Path) -> None:
    """A missing file and a folder are refused by name."""
    with pytest.raises(InputError, match=r"nothing\.csv does not exist"):
        read_bytes(tmp_path / "nothing.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_bytes(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot read"):
        read_bytes(tmp_path / "file" / "below")


def test_atomic_write_replaces_at_the_end(tmp_path: Path) -> None:
    """The old content stands until the block ends; then the new, with ordinary permissions, and no litter."""
    target = tmp_path / "out.csv.gz"
    target.write_text("old")
    with atomic_write(target) as temporary:
        temporary.write_text("new")
        assert target.read_text() == "old"
        assert temporary.parent == tmp_path
        assert temporary.name.endswith(".out.csv.gz")
    assert target.read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out.csv.gz"]
    (tmp_path / "plain").touch()
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_atomic_write_leaves_the_old_file_when_the_block_fails(tmp_path: Path) -> None:
    """An exception inside the block passes through; the target is untouched and nothing is left behind."""
    target = tmp_path / "out.txt"
    target.write_text("old")
    with pytest.raises(KeyError), atomic_write(target) as temporary:
        temporary.write_text("half")
        raise KeyError("oops")
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_atomic_write_refuses_bad_targets(tmp_path: Path) -> None:
    """A missing folder, a folder as target and an error of the system are InputErrors that name the path."""
    with pytest.raises(InputError, match=r"a\.csv: the folder .*none does not exist"):
        atomic_write(tmp_path / "none" / "a.csv").__enter__()
    with pytest.raises(InputError, match="it is a folder"):
        atomic_write(tmp_path).__enter__()
    with (
        pytest.raises(InputError, match=r"cannot write .*b\.csv: .*denied"),
        atomic_write(tmp_path / "b.csv"),
    ):
        raise PermissionError(13, "Permission denied")


def test_atomic_write_follows_links_and_spares_devices(tmp_path: Path) -> None:
    """A symbolic link stays a link to the new content; a pipe is written in place, not replaced."""
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic_write(tmp_path / "link") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    os.mkfifo(tmp_path / "pipe")
    with atomic_write(tmp_path / "pipe") as temporary:
        assert temporary == tmp_path / "pipe"
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_read_bytes_stops_at_the_limit(tmp_path: Path) -> None:
    """Of a plain file and of a gzipped one 2 MiB are read where that is the limit, and not one byte more."""
    for name, pack in (("a", bytes), ("a.gz", gzip.compress)):
        (tmp_path / name).write_bytes(pack(b"x" * 2**21))
        assert read_bytes(tmp_path / name, limit=2**21) == b"x" * 2**21
        (tmp_path / name).write_bytes(pack(b"x" * (2**21 + 1)))
        with pytest.raises(InputError, match=rf"{name} has more than 2 MiB.*, the maximum size"):
            read_bytes(tmp_path / name, limit=2**21)


def test_read_bytes_joins_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of many pieces, and a gzip file of many members, come back whole."""
    monkeypatch.setattr(files, "_CHUNK", 7)
    content = bytes(range(256))
    (tmp_path / "a").write_bytes(content)
    (tmp_path / "a.gz").write_bytes(gzip.compress(content[:100]) + gzip.compress(content[100:]))
    assert read_bytes(tmp_path / "a") == read_bytes(tmp_path / "a.gz") == content


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", "x" * 5_000], ids=["nul", "half", "long"])
def test_names_that_no_file_has(tmp_path: Path, name: str) -> None:
    """A NUL character, half a character and a name too long are refused as any other bad path."""
    with pytest.raises(InputError, match=r"^cannot read "):
        read_bytes(tmp_path / name)
    for refuse in (check_writable, lambda path: atomic_write(path).__enter__()):
        with pytest.raises(InputError, match=r"^cannot write "):
            refuse(tmp_path / name)


def test_check_writable(tmp_path: Path) -> None:
    """New and old files and pipes are fine and left alone; folders, and files in no folder, are refused."""
    (tmp_path / "old").write_text("old")
    os.mkfifo(tmp_path / "pipe")
    for name in ("new", "old", "pipe"):
        check_writable(tmp_path / name)
    assert (tmp_path / "old").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["old", "pipe"]
    with pytest.raises(InputError, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(InputError, match=r"the folder .*none does not exist"):
        check_writable(tmp_path / "none" / "a")


def test_check_writable_asks_for_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a new file its folder must be writable, of a pipe the pipe itself."""
    os.mkfifo(tmp_path / "pipe")
    asked = []
    monkeypatch.setattr(os, "access", lambda path, mode: asked.append((path, mode)))
    for name in ("new", "pipe"):
        with pytest.raises(InputError, match=rf"cannot write .*{name}: Permission denied"):
            check_writable(tmp_path / name)
    assert asked == [(tmp_path, os.W_OK), (tmp_path / "pipe", os.W_OK)]


def test_atomic_write_takes_the_longest_names(tmp_path: Path) -> None:
    """A name may be as long as the system allows, 255 bytes, though a temporary one stands beside it."""
    target = tmp_path / ("é" * 125 + ".json")
    with atomic_write(target) as temporary:
        temporary.write_text("new")
        assert temporary.suffix == ".json"
    assert target.read_text() == "new"


def test_atomic_open_packs_by_name(tmp_path: Path) -> None:
    """What is written under .gz is gzipped, without a time, so that it is always the same; else it is as it is."""
    for name in ("a.txt", "a.txt.GZ"):
        with atomic_open(tmp_path / name) as file:
            file.write(b"hello")
        assert read_bytes(tmp_path / name) == b"hello"
    assert (tmp_path / "a.txt").read_bytes() == b"hello"
    packed = (tmp_path / "a.txt.GZ").read_bytes()
    assert packed[:2] == b"\x1f\x8b"
    assert packed[3:8] == bytes(5)  # no name, no time


def test_atomic_open_leaves_nothing_half_done(tmp_path: Path) -> None:
    """A block that fails leaves no file, packed or not."""
    for name in ("a.txt", "a.txt.gz"):
        with pytest.raises(KeyError), atomic_open(tmp_path / name) as file:
            file.write(b"half")
            raise KeyError("oops")
    assert not list(tmp_path.iterdir())


def test_read_bytes_takes_memory_for_one_copy(tmp_path: Path) -> None:
    """While 64 MiB are read, plain or gzipped, less than 1.4 times as much memory is in use."""
    data = b"0,1\n" * 2**24
    (tmp_path / "a.csv").write_bytes(data)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(data))
    del data
    for name in ("a.csv", "a.csv.gz"):
        tracemalloc.start()
        try:
            assert len(read_bytes(tmp_path / name)) == 2**26
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < 1.4 * 2**26


def test_read_bytes_leaves_half_of_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine with 2 MiB of memory, a small gzip file that unpacks to more than 1 MiB is refused."""
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"0" * 2**22))
    assert len(read_bytes(tmp_path / "bomb.csv.gz")) == 2**22
    monkeypatch.setattr(files, "machine_memory", lambda: 2**21)
    with pytest.raises(InputError, match=r"bomb\.csv\.gz has more than 1 MiB after decompression, the maximum size"):
        read_bytes(tmp_path / "bomb.csv.gz")
    monkeypatch.setattr(files, "machine_memory", lambda: None)
    assert len(read_bytes(tmp_path / "bomb.csv.gz")) == 2**22
