"""The files of a checkpoint: they are written as a whole, and damage is always found."""

from __future__ import annotations

import json
import os
import shutil
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from bnsearch.checkpoints.container import MANIFEST, Container, Part
from bnsearch.errors import InputError

TYPES = [np.dtype(name) for name in ("<i4", "<i8", "<u8", "<f8", "?")]
any_array = st.sampled_from(TYPES).flatmap(
    lambda dtype: arrays(dtype, array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=5))
)


def frozen(array: np.ndarray) -> np.ndarray:
    """Return an array as a read-only one."""
    array.flags.writeable = False
    return array


def make_parts() -> dict[str, Part]:
    """Return a part with facts alone, and one with arrays of both kinds."""
    return {
        "run": Part({"score": -1.5, "notes": ["a", "\N{GREEK SMALL LETTER ALPHA}"], "big": 2**100}),
        "table": Part(
            {}, {"kept": frozen(np.arange(1000)), "state": np.arange(6.0).reshape(2, 3), "none": np.empty(0)}
        ),
    }


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the content of all files of a folder."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def made(tmp_path: Path) -> Container:
    """Return a checkpoint with some parts."""
    container = Container(tmp_path / "run.bns")
    assert not container.check()
    container.create(make_parts())
    return container


@settings(max_examples=30)
@given(content=st.dictionaries(st.text(max_size=5), any_array, max_size=4), final=st.booleans())
def test_what_is_written_is_read(tmp_path_factory, content, final):
    """Arrays of any type and shape come back, whether they are read-only or not."""
    for array in content.values() if final else ():
        array.flags.writeable = False
    container = Container(tmp_path_factory.mktemp("any") / "run.bns")
    container.create({"part": Part({"name": "x"}, content)})
    again = Container(container.path).read()["part"]
    assert again.facts == {"name": "x"}
    assert list(again.arrays) == sorted(content)
    for name, array in content.items():
        np.testing.assert_array_equal(again.arrays[name], array)
        assert again.arrays[name].dtype == array.dtype
        assert again.arrays[name].flags.writeable != final


def test_a_read_only_array_is_a_plain_npy_file(made):
    """NumPy can map it into memory, without pickles."""
    (path,) = made.path.glob("kept-*.npy")
    mapped = np.load(path, mmap_mode="r", allow_pickle=False)
    assert mapped.tolist() == list(range(1000))
    assert made.read()["table"].arrays["kept"].ctypes.data % 64 == 0


def test_a_read_only_array_is_written_once(made):
    """The same object keeps its file, also after the checkpoint was read; another object gets a new file."""
    container = Container(made.path)
    parts = container.read()
    (kept,) = made.path.glob("kept-*.npy")
    stamp = kept.stat().st_mtime_ns
    container.write({**parts, "run": Part({"score": -1.0})})
    assert kept.stat().st_mtime_ns == stamp
    assert len(list(made.path.iterdir())) == 3  # manifest, kept, state
    container.write({"table": Part({}, {"kept": frozen(np.arange(5))})})
    assert not kept.exists()
    assert Container(made.path).read()["table"].arrays["kept"].tolist() == list(range(5))


def test_new_bytes(made):
    """The read-only array of 1,000 numbers is on disk; the others are always written again."""
    container = Container(made.path)
    table = container.read()["table"]
    assert container.count_new_bytes("table", table) == 6 * 8
    assert container.count_new_bytes("other", table) == 1006 * 8


def test_a_lost_file_is_written_again(made):
    """A read-only array whose file was removed by somebody else is not taken for written."""
    container = Container(made.path)
    parts = container.read()
    next(made.path.glob("kept-*.npy")).unlink()
    container.write(parts)
    assert Container(made.path).read()["table"].arrays["kept"].tolist() == list(range(1000))


def test_a_part_that_is_none_stays(made):
    """Its facts and arrays are those of the last write; a part that is not named is gone."""
    container = Container(made.path)
    container.read()
    container.write({"table": None, "other": Part({"x": 1})})
    parts = Container(made.path).read()
    assert set(parts) == {"table", "other"}
    assert parts["table"].arrays["state"].tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_write_that_fails_changes_nothing(made, monkeypatch):
    """An error in the middle of a write leaves the old files and no others."""
    before = read_files(made.path)

    def fail(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((OSError, InputError), match="No space left"):
        made.write({"table": Part({}, {"kept": frozen(np.arange(3)), "state": np.zeros(9)})})
    assert read_files(made.path) == before
    monkeypatch.undo()
    made.write({"table": None})
    assert Container(made.path).read()["table"].arrays["kept"].tolist() == list(range(1000))


def test_a_folder_that_cannot_be_made_is_refused(tmp_path):
    """One line says why; nothing is left behind."""
    with pytest.raises(InputError, match=r"the folder .* does not exist"):
        Container(tmp_path / "none" / "run.bns").check()
    with pytest.raises(FileNotFoundError):
        Container(tmp_path / "none" / "run.bns").create({})
    assert not list(tmp_path.iterdir())


def test_other_files_are_refused(made, tmp_path):
    """A file, a folder without manifest and a folder with the manifest of something else are not checkpoints."""
    (tmp_path / "file.bns").write_text("something")
    (tmp_path / "folder.bns").mkdir()
    (tmp_path / "other.bns").mkdir()
    (tmp_path / "other.bns" / MANIFEST).write_text('{"name": "an extension of a browser"}')
    (made.path / "network.bif").write_text("something")
    assert Container(made.path).check()  # a file beside those of a checkpoint does no harm
    (made.path / MANIFEST).write_text("{")
    for name in ("file.bns", "folder.bns", "other.bns", "run.bns"):
        with pytest.raises(InputError, match=f"{name} is not a checkpoint of bnsearch: choose another name"):
            Container(tmp_path / name).check()


def test_leftovers_are_removed(made):
    """Files of an interrupted write are removed; they do no harm before."""
    (made.path / "state-0123456789abcdef.npy").write_bytes(b"half")
    (made.path / f".01234567.{MANIFEST}").write_bytes(b"{")
    container = Container(made.path)
    assert container.check()
    container.read()
    container.remove_leftovers()
    assert len(list(made.path.iterdir())) == 3


def test_another_version_is_refused(made):
    """The error names the version."""
    path = made.path / MANIFEST
    document = json.loads(path.read_bytes())
    path.write_text(json.dumps({**document, "version": 99}))
    with pytest.raises(InputError, match="has version 99 of the format, not 1"):
        Container(made.path).read()


def check_damage(container: Container, name: str, content: bytes) -> None:
    """Replace a file; reading gives the old parts or a one-line error, and changes no file."""
    (container.path / name).write_bytes(content)
    before = read_files(container.path)
    try:
        parts = Container(container.path).read()
    except InputError as error:
        assert "\n" not in str(error)
    else:
        for key, part in make_parts().items():
            assert part.facts == parts[key].facts
            for array_name, array in part.arrays.items():
                np.testing.assert_array_equal(parts[key].arrays[array_name], array)
    assert read_files(container.path) == before


share = st.floats(0, 1, exclude_max=True)


@settings(max_examples=150)
@given(
    kind=st.sampled_from(["kept", "manifest", "state"]),
    cut=st.none() | share,
    flips=st.lists(st.tuples(share, st.integers(1, 255)), min_size=1, max_size=3),
)
def test_damaged_files_give_one_line(tmp_path_factory, kind, cut, flips):
    """A file is truncated, or some of its bytes are changed, at any place: the content is right or refused."""
    container = Container(tmp_path_factory.mktemp("damage") / "run.bns")
    container.create(make_parts())
    (path,) = container.path.glob(f"{kind}*")
    content = bytearray(path.read_bytes())
    if cut is not None:
        del content[int(cut * len(content)) :]
    else:
        for place, bits in flips:
            content[int(place * len(content))] ^= bits
    check_damage(container, path.name, bytes(content))
    shutil.rmtree(container.path)


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"format": 1}', "[" * 100_000, '"\ud800"'])
def test_a_manifest_of_something_else(made, text):
    """Any other JSON value is refused in one line."""
    with pytest.raises(InputError, match=r"is damaged \(the manifest is not complete\)"):
        check_then_read(made, text)


def check_then_read(container: Container, text: str) -> None:
    """Write a manifest and read the checkpoint."""
    (container.path / MANIFEST).write_bytes(text.encode("utf-8", "surrogatepass"))
    Container(container.path).read()


def test_a_path_out_of_the_folder_is_refused(made):
    """The manifest cannot name files elsewhere."""
    document = json.loads((made.path / MANIFEST).read_bytes())
    document["content"]["table"]["arrays"]["kept"][0] = "../../etc/passwd"
    dump = json.dumps(document["content"], sort_keys=True, separators=(",", ":")).encode()
    document["crc32"] = zlib.crc32(dump)
    with pytest.raises(InputError, match="unknown name of a file"):
        check_then_read(made, json.dumps(document))
