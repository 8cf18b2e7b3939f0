"""Whole reads with clear errors, and writes that are never seen half done."""

from __future__ import annotations

import gzip
import os
import stat
from pathlib import Path

import pytest

from bnsearch.errors import InputError
from bnsearch.files import atomic_write, read_bytes


def test_read_bytes_unpacks_gzip_by_name_or_content(tmp_path: Path) -> None:
    """A gzipped file gives its content, whatever it is called; a plain one is left alone."""
    for name in ("a.csv.gz", "a.csv"):
        (tmp_path / name).write_bytes(gzip.compress(b"hello"))
        assert read_bytes(tmp_path / name) == b"hello"
    (tmp_path / "b.csv").write_bytes(b"plain")
    assert read_bytes(str(tmp_path / "b.csv")) == b"plain"


@pytest.mark.parametrize("data", [b"plain", gzip.compress(b"x" * 1000)[:-5], b"\x1f\x8b\x08\x00junk" * 3])
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
