"""Where a result is written: looked at before the work, and nothing lost where it cannot be after all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bnsearch.cli.console import print_json
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG
    from bnsearch.runs.result import Result


@dataclass(frozen=True)
class Outputs:
    """
    The files that a result goes to; what could not be written is refused at once.

    Parameters
    ----------
    network : .bif, .net, .json, .csv, .dot or .svg, or with .gz
    trace : a CSV file
    tables : whether there will be data to fit probability tables to; without, only formats that need none are legal
    inputs : the files that are read, which are not written over
    """

    network: Path | None
    trace: Path | None
    tables: bool = True
    inputs: tuple[str | Path | None, ...] = ()

    def __post_init__(self) -> None:
        from bnsearch._tools.files import check_writable
        from bnsearch.networks.files import check_network_target, check_structure_target

        check_apart(self.inputs, self.network, self.trace)
        if self.network is not None:
            (check_network_target if self.tables else check_structure_target)(self.network)
        if self.trace is not None:
            check_writable(self.trace)

    @contextmanager
    def written(self, result: Result, data: Dataset | None = None) -> Iterator[list[str]]:
        """
        Write the files, and yield what to say of them; a network that cannot be written is saved elsewhere.

        They are written first, because who reads what is shown within the block may have gone; and what cannot be
        written is told after it, because it should be shown all the same.
        """
        failure: InputError | None = None
        lines: list[str] = []
        try:
            lines.extend(self._write(result, data))
        except InputError as error:
            failure = error
        yield lines
        if failure is not None:
            raise failure

    def _write(self, result: Result, data: Dataset | None) -> Iterator[str]:
        if self.network is not None:
            try:
                result.write(self.network, data)
            except (InputError, OSError, MemoryError) as error:
                raise InputError(f"{error}; {rescued(result.dag, self.network)}") from None
            yield f"wrote {self.network}"
        if self.trace is not None:
            result.trace.write(self.trace)
            yield f"wrote {self.trace}"


def check_apart(inputs: Sequence[str | Path | None], *outputs: Path | None) -> None:
    """Refuse to write a file that is read, or two results to one file."""
    taken = {os.path.realpath(path) for path in inputs if path is not None}
    for path in outputs:
        if path is not None:
            where = os.path.realpath(path)
            if where in taken:
                raise InputError(f"{path} is already one of the files to read or to write: choose another name")
            taken.add(where)


def rescued(dag: DAG, path: Path) -> str:
    """Save a structure next to a path, or where else there is room, or print it; say where it is."""
    from bnsearch.networks.files import write_structure

    name = f"{path.name}.rescued.json"
    for folder in (path.parent, Path.cwd(), Path(tempfile.gettempdir())):
        with suppress(InputError, OSError):
            write_structure(dag, folder / name)
            return f"the structure is saved in {folder / name}"
    print_json({"edges": [list(edge) for edge in dag.edges]})
    return "the edges are printed instead"
