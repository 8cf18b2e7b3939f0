"""Selection of file formats by extension."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.files import (
    EXTENSIONS,
    check_network_target,
    read_graph,
    read_network,
    read_structure,
    write_network,
    write_structure,
)
from format_samples import BIF, LAWN, assert_same


@pytest.mark.parametrize("suffix", ["", ".gz", ".GZ"])
@pytest.mark.parametrize("extension", [".bif", ".net", ".json", ".BIF"])
def test_network_formats(tmp_path: Path, extension: str, suffix: str) -> None:
    """Every network format restores a network and its structure, plain and gzipped."""
    path = tmp_path / f"my.lawn{extension}{suffix}"
    write_network(LAWN, path)
    assert_same(read_network(path), LAWN)
    assert_same(read_network(str(path)), LAWN)
    assert read_structure(path) == LAWN.dag
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == bool(suffix)


@pytest.mark.parametrize("suffix", ["", ".gz"])
@pytest.mark.parametrize("extension", [".json", ".csv"])
def test_structure_formats(tmp_path: Path, extension: str, suffix: str) -> None:
    """Every structure format restores a structure."""
    path = tmp_path / f"lawn{extension}{suffix}"
    write_structure(LAWN.dag, path)
    assert read_structure(path) == LAWN.dag
    with pytest.raises(InputError, match="read it with `read_structure`"):
        read_network(path)


@pytest.mark.parametrize("extension", [".bif", ".net", ".json", ".csv"])
def test_graph_is_what_the_file_holds(tmp_path: Path, extension: str) -> None:
    """`read_graph` returns a network if the file has tables, otherwise a structure."""
    path = tmp_path / f"lawn{extension}"
    write_network(LAWN, path)
    if extension == ".csv":
        assert read_graph(path) == LAWN.dag
    else:
        assert_same(read_graph(path), LAWN)
    write_structure(LAWN.dag, tmp_path / "lawn.json")
    assert read_graph(tmp_path / "lawn.json") == LAWN.dag


@pytest.mark.parametrize("extension", [".csv", ".dot", ".svg"])
def test_network_written_as_structure(tmp_path: Path, extension: str) -> None:
    """Writing a network to .csv, .dot and .svg writes its structure."""
    write_network(LAWN, tmp_path / f"network{extension}")
    write_structure(LAWN.dag, tmp_path / f"structure{extension}")
    assert (tmp_path / f"network{extension}").read_bytes() == (tmp_path / f"structure{extension}").read_bytes()


@pytest.mark.parametrize("extension", [".dot", ".svg"])
def test_drawings_are_written_only(tmp_path: Path, extension: str) -> None:
    """Reading a drawing raises an error that lists the formats that can be read."""
    write_network(LAWN, tmp_path / f"lawn{extension}")
    for read in (read_graph, read_network, read_structure):
        with pytest.raises(InputError, match=rf"lawn\{extension}: \{extension} files cannot be read; use \.bif, \.net"):
            read(tmp_path / f"lawn{extension}")


@pytest.mark.parametrize("name", ["lawn", "lawn.xdsl", "lawn.gz", "lawn.bif.zip", ".bif", ""])
def test_unknown_extension(tmp_path: Path, name: str) -> None:
    """An unknown extension raises an error that lists the extensions, for reading and for writing."""
    path = tmp_path / name
    for use in (
        lambda: read_network(path),
        lambda: read_structure(path),
        lambda: write_network(LAWN, path),
        lambda: write_structure(LAWN.dag, path),
        lambda: check_network_target(path),
    ):
        with pytest.raises(InputError, match=", ".join(EXTENSIONS)):
            use()


@pytest.mark.parametrize("extension", [".bif", ".net"])
def test_structure_needs_tables(tmp_path: Path, extension: str) -> None:
    """Writing a structure to a format that needs tables raises an error that lists the other formats."""
    with pytest.raises(InputError, match=r"needs tables.*\.json, \.csv, \.dot"):
        write_structure(LAWN.dag, tmp_path / f"lawn{extension}")


def test_latin1_names(tmp_path: Path) -> None:
    """A file in Latin-1 can be read, and is written as UTF-8."""
    path = tmp_path / "lawn.bif"
    path.write_bytes(BIF.replace("grass", "græs").encode("latin-1"))
    network = read_network(path)
    assert network.names == ("rain", "sprinkler", "græs")
    write_network(network, path)
    assert "græs".encode() in path.read_bytes()
    assert_same(read_network(path), network)


def test_byte_order_mark(tmp_path: Path) -> None:
    """A byte-order mark at the start of a file is dropped; one at the start of a name is kept."""
    (tmp_path / "marked.csv").write_text("\ufeffa\n0\n", encoding="utf-8")
    assert read_structure(tmp_path / "marked.csv").names == ("a",)
    write_structure(DAG.empty(["\ufeffa"]), tmp_path / "named.csv")
    assert read_structure(tmp_path / "named.csv").names == ("\ufeffa",)


def test_half_a_character(tmp_path: Path) -> None:
    """A name that cannot be encoded raises an error, and nothing is written."""
    for extension in (".csv", ".dot", ".json"):
        with pytest.raises(InputError, match=r"'\\ud800' in a name is not a valid character"):
            write_structure(DAG.empty(["a\ud800"]), tmp_path / f"lawn{extension}")
    assert list(tmp_path.iterdir()) == []


def test_targets_are_checked_beforehand(tmp_path: Path) -> None:
    """The checks accept every extension in an existing folder, and write nothing."""
    for extension in EXTENSIONS:
        check_network_target(tmp_path / f"lawn{extension}.gz")
        with pytest.raises(InputError, match="cannot write"):
            check_network_target(tmp_path / "nowhere" / f"lawn{extension}")
    assert list(tmp_path.iterdir()) == []


def test_writing_is_atomic_and_repeatable(tmp_path: Path) -> None:
    """A missing folder raises an error; a file is replaced completely; the same network produces the same bytes."""
    with pytest.raises(InputError, match="nowhere"):
        write_network(LAWN, tmp_path / "nowhere" / "lawn.bif")
    path = tmp_path / "lawn.bif.gz"
    path.write_bytes(b"something else")
    write_network(LAWN, path)
    first = path.read_bytes()
    write_network(LAWN, path)
    assert path.read_bytes() == first
    assert gzip.decompress(first).startswith(b"network unknown")
    assert [file.name for file in tmp_path.iterdir()] == ["lawn.bif.gz"]


def test_no_such_file(tmp_path: Path) -> None:
    """A missing file, a folder and an empty file raise an error of one line that names them."""
    (tmp_path / "folder.bif").mkdir()
    for name, words in (("none.bif", "does not exist"), ("folder.bif", "is a folder")):
        with pytest.raises(InputError, match=rf"{name} {words}"):
            read_network(tmp_path / name)
    for extension in (".bif", ".net", ".json", ".csv"):
        (tmp_path / f"empty{extension}").touch()
        with pytest.raises(InputError, match="empty"):
            read_structure(tmp_path / f"empty{extension}")
