"""
The files of a checkpoint: a folder with a manifest and arrays.

The manifest is a JSON file that lists the parts of the state. Each part has facts, which are JSON values, and named
arrays, of which the manifest has the file, the offset, the length and the checksum. Arrays are stored in NumPy's .npy
format, without pickles. A read-only array has a file of its own and is written once. All other arrays of one write
follow each other in one file.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import weakref
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from bnsearch._tools.files import atomic_write, check_writable, read_bytes
from bnsearch.checkpoints.array_files import ArrayFile, Entry, map_array, sync
from bnsearch.checkpoints.costs import CostMeter
from bnsearch.errors import InputError

MANIFEST = "manifest.json"
FORMAT, VERSION = "bnsearch checkpoint", 1
MAX_MANIFEST_BYTES = 2**28
WRITTEN_ONCE, LATEST = "kept", "state"  # beginnings of the names of array files
ARRAY_FILE = re.compile(rf"({WRITTEN_ONCE}|{LATEST})-[0-9a-f]{{16}}\.npy")
TEMPORARY_FILE = re.compile(rf"\.[0-9a-f]{{8}}\.{re.escape(MANIFEST)}")


@dataclass(frozen=True)
class Part:
    """
    One part of the state of a run.

    Attributes
    ----------
    facts : JSON values by name
    arrays : arrays by name. A read-only array that is the same object as in the last write is not written again
    """

    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)


class Container:
    """
    A checkpoint on disk.

    Parameters
    ----------
    path : the folder
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = os.fspath(path)  # as the user wrote it, for messages
        self.path = Path(os.path.realpath(path))
        self.meter = CostMeter()  # measures the time for each part
        self._manifest: dict[str, Any] = {}  # facts and entries of the arrays of each part
        # The read-only arrays of the last manifest: a weak reference keeps no replaced table in memory.
        self._written: dict[tuple[str, str], tuple[weakref.ref[NDArray[Any]], Entry]] = {}

    def check(self) -> bool:
        """Return True if there is a checkpoint; raise an error if the path is something else or is not writable."""
        try:
            is_there = self.path.exists()
            is_checkpoint = self.path.is_dir() and (self.path / MANIFEST).is_file() and self._is_own()
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"cannot use {self.name} as a checkpoint: {why}") from None
        if is_there and not is_checkpoint:
            raise InputError(f"{self.name} is not a checkpoint of bnsearch: choose another name")
        check_writable(self.path / MANIFEST if is_there else self.name)
        return is_there

    def _is_own(self) -> bool:
        """Return True if the manifest has the format of a checkpoint, or is damaged and there are no other files."""
        document = self._parse_manifest()
        if document is not None:
            return isinstance(document, dict) and document.get("format") == FORMAT
        names = {path.name for path in self.path.iterdir()} - {MANIFEST}
        return all(ARRAY_FILE.fullmatch(name) or TEMPORARY_FILE.fullmatch(name) for name in names)

    def read(self) -> dict[str, Part]:
        """Return all parts; an InputError if a file is damaged or has another format."""
        document = self._read_manifest()
        with self.damage_reported():
            manifest = document["content"]
            if document["crc32"] != zlib.crc32(_dump(manifest)):
                raise self.make_damage_error("wrong checksum of the manifest")
            parts = {
                name: Part(part["facts"], {key: self._load(Entry(*entry)) for key, entry in part["arrays"].items()})
                for name, part in manifest.items()
            }
        self._manifest = manifest
        for name, part in parts.items():
            for key, array in part.arrays.items():
                self._remember(name, key, array, Entry(*manifest[name]["arrays"][key]))
        return parts

    def make_damage_error(self, what: str) -> InputError:
        """Return the error of a damaged checkpoint."""
        return InputError(
            f"the checkpoint {self.name} is damaged ({what}): choose another name, or start over with --restart "
            "(restart=True)"
        )

    @contextmanager
    def damage_reported(self) -> Iterator[None]:
        """Report a state that lacks something or has values of another kind as a damaged checkpoint."""
        try:
            yield
        except (LookupError, TypeError, AttributeError, ValueError, OSError) as error:
            if isinstance(error, InputError):
                raise
            raise self.make_damage_error(f"{type(error).__name__}: {error}") from None

    def _parse_manifest(self) -> Any:
        """Return the JSON value of the manifest; None if it is damaged."""
        try:
            return json.loads(read_bytes(self.path / MANIFEST, limit=MAX_MANIFEST_BYTES))
        except (ValueError, RecursionError):  # an InputError is a ValueError
            return None

    def _read_manifest(self) -> dict[str, Any]:
        """Return the manifest; an InputError if it is damaged or has another version."""
        document = self._parse_manifest()
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            raise self.make_damage_error("the manifest is not complete")
        if document.get("version") != VERSION:
            raise InputError(
                f"the checkpoint {self.name} has version {document.get('version')!r} of the format, not {VERSION}: use "
                "the version of bnsearch that has written it, or start over with --restart (restart=True)"
            )
        return document

    def _load(self, entry: Entry) -> NDArray[Any]:
        """Return an array: mapped into memory and read-only if it has a file of its own, otherwise a copy."""
        if not ARRAY_FILE.fullmatch(entry.file):
            raise self.make_damage_error("unknown name of a file")
        array = map_array(self.path, entry)
        if array is None:
            raise self.make_damage_error(f"{entry.file} is not complete, or has changed")
        return array if entry.file.startswith(WRITTEN_ONCE) else array.copy()

    def create(self, parts: Mapping[str, Part]) -> None:
        """Make the folder with its first content; it appears as a whole."""
        temporary = Container(self.path.with_name(f".{secrets.token_hex(4)}.{self.path.name[-40:]}"))
        try:
            temporary.path.mkdir()
            temporary.write(parts)
            temporary.path.rename(self.path)
        finally:
            shutil.rmtree(temporary.path, ignore_errors=True)
        self._manifest, self._written = temporary._manifest, temporary._written

    def write(self, parts: Mapping[str, Part | None]) -> None:
        """Replace the content; a part that is None stays as it is. If this fails, the old content is unchanged."""
        made: list[Path] = []
        remembered = dict(self._written)
        try:
            manifest = self._write_arrays(parts, made)
            content = {"format": FORMAT, "version": VERSION, "crc32": zlib.crc32(_dump(manifest)), "content": manifest}
            with atomic_write(self.path / MANIFEST) as temporary, temporary.open("wb") as file:
                file.write(_dump(content))
                sync(file)
        except BaseException:
            self._written = remembered
            for path in made:
                path.unlink(missing_ok=True)
            raise
        before, self._manifest = self._manifest, manifest
        _sync_folder(self.path)
        for name in _list_files(before) - _list_files(manifest):
            with suppress(OSError):  # a file that is mapped into memory cannot be removed on Windows
                (self.path / name).unlink(missing_ok=True)

    def remove_leftovers(self) -> None:
        """Remove files of interrupted writes and of an earlier run."""
        used = {MANIFEST, *_list_files(self._manifest)}
        for path in self.path.iterdir():
            if path.name not in used and (ARRAY_FILE.fullmatch(path.name) or TEMPORARY_FILE.fullmatch(path.name)):
                with suppress(OSError):
                    path.unlink(missing_ok=True)

    def _write_arrays(self, parts: Mapping[str, Part | None], made: list[Path]) -> dict[str, Any]:
        """Write the arrays that have changed; return the manifest."""
        manifest: dict[str, Any] = {}
        latest = self.path / f"{LATEST}-{secrets.token_hex(8)}.npy"
        with ArrayFile(latest, made) as file:
            for name, part in parts.items():
                if part is None:
                    if name in self._manifest:
                        manifest[name] = self._manifest[name]
                    continue
                with self.meter.measure(name):
                    entries = {key: self._write_array(name, key, array, file) for key, array in part.arrays.items()}
                manifest[name] = {"facts": dict(part.facts), "arrays": entries}
        return manifest

    def _write_array(self, name: str, key: str, array: NDArray[Any], latest: ArrayFile) -> list[Any]:
        """Write an array, unless it is read-only and the last manifest has it; return its entry."""
        if array.flags.writeable:
            return list(latest.append(array))
        entry = self._find_written(name, key, array)
        if entry is None:
            with ArrayFile(self.path / f"{WRITTEN_ONCE}-{secrets.token_hex(8)}.npy", latest.made) as file:
                entry = file.append(array)
        self._remember(name, key, array, entry)
        return list(entry)

    def count_new_bytes(self, name: str, part: Part) -> int:
        """Return the number of bytes of the arrays of a part that are to be written."""
        return sum(
            a.nbytes for key, a in part.arrays.items() if a.flags.writeable or not self._find_written(name, key, a)
        )

    def _find_written(self, name: str, key: str, array: NDArray[Any]) -> Entry | None:
        """Return the entry of a read-only array that the last manifest has; None if there is none."""
        reference, entry = self._written.get((name, key), (None, None))
        is_same = reference is not None and reference() is array
        return entry if is_same and entry is not None and (self.path / entry.file).exists() else None

    def _remember(self, name: str, key: str, array: NDArray[Any], entry: Entry) -> None:
        if not array.flags.writeable:
            self._written[name, key] = weakref.ref(array), entry


def _dump(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, allow_nan=False, separators=(",", ":")).encode()


def _list_files(manifest: Mapping[str, Any]) -> set[str]:
    """Return the names of all array files of a manifest."""
    return {entry[0] for part in manifest.values() for entry in part["arrays"].values()}


def _sync_folder(path: Path) -> None:
    """Wait until the new names in a folder are on the disk, where the system allows this."""
    with suppress(OSError):
        number = os.open(path, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)
