"""The output files of a result; their paths are checked before the search starts."""

from __future__ import annotations

import os
import shlex
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING

from bnsearch.cli.console import print_json
from bnsearch.cli.json_log import STDERR
from bnsearch.errors import InputError, require

if TYPE_CHECKING:
    from bnsearch.data import Dataset
    from bnsearch.graphs.dag import DAG
    from bnsearch.runs.result import Result


@dataclass(frozen=True)
class Outputs:
    """
    The output files of a result; a path that cannot be written is an error at construction.

    Parameters
    ----------
    network : file of the network: .bif, .net, .json, .csv, .dot or .svg, or with .gz
    trace : CSV file of the trace
    certificate : JSON file of the certificate of the upper bound
    parents : .jkl file of the candidate table of the certificate
    report : HTML file of the report
    log : file of the log of events, which is written during the run; "-" is stderr
    table_ess : equivalent sample size of the probability tables of the network and the report
    tables : True if probability tables can be estimated; if False, formats that need them are refused
    inputs : files that are read, which must not be overwritten
    """

    network: Path | None
    trace: Path | None
    certificate: Path | None = None
    parents: Path | None = None
    report: Path | None = None
    log: Path | None = None
    table_ess: float = 0.0
    tables: bool = True
    inputs: tuple[str | Path | None, ...] = ()

    def __post_init__(self) -> None:
        from bnsearch._tools.files import check_writable
        from bnsearch.networks.files import check_network_target, check_structure_target

        require("--table-ess", self.table_ess, at_least=0, below=inf)
        log = None if self.log == STDERR else self.log
        check_apart(self.inputs, self.network, self.trace, self.certificate, self.parents, self.report, log)
        if self.report is not None:
            from bnsearch.reports.report import check_report_target

            check_report_target(self.report)
        if self.network is not None:
            (check_network_target if self.tables else check_structure_target)(self.network)
        for path in (self.trace, self.certificate, self.parents, log):
            if path is not None:
                check_writable(path)

    def write(self, result: Result, data: Dataset | None = None) -> tuple[list[str], InputError | None]:
        """
        Write the files; return a line about each file written, and the error if one could not be written.

        After an error, the remaining files are not written. If the network could not be written, its structure is saved
        elsewhere, and the error says where.
        """
        lines: list[str] = []
        try:
            if self.network is not None:
                self._write_network(self.network, result, data)
                lines.append(f"wrote {self.network}")
            if self.trace is not None:
                result.trace.write(self.trace)
                lines.append(f"wrote {self.trace}")
            lines += self._write_certificate(result)
            if self.report is not None:
                self._write_report(self.report, result, data)
                lines.append(f"wrote {self.report}")
        except InputError as error:
            return lines, error
        return lines, None

    def _write_report(self, path: Path, result: Result, data: Dataset | None) -> None:
        from bnsearch.reports.report import write_result_report
        from bnsearch.runs.explanation import find_score

        score, command = find_score(None, result.settings), get_command(result.seed)
        write_result_report(result, path, data, score=score, title=self._title, command=command, ess=self.table_ess)

    @property
    def _title(self) -> str | None:
        """Title of the report: the name of the first input file."""
        return None if not self.inputs or self.inputs[0] is None else Path(self.inputs[0]).name

    def _write_certificate(self, result: Result) -> list[str]:
        """Write the certificate and its candidate table, if wanted; return a line about each of them."""
        paths = [path for path in (self.certificate, self.parents) if path is not None]
        if paths and result.certificate is None:
            raise InputError(f"{paths[0]}: {result.method} has no certificate of an upper bound: use auto or exact")
        if self.certificate is not None:
            result.certificate.write(self.certificate)
        if self.parents is not None:
            result.certificate.write_table(self.parents)
        return [f"wrote {path}" for path in paths]

    def _write_network(self, path: Path, result: Result, data: Dataset | None) -> None:
        """Write the network; if that fails, save its structure elsewhere, and raise an error that says where."""
        from bnsearch.networks.files import write_network

        try:
            if data is not None and self.table_ess > 0:
                write_network(result.network(data, ess=self.table_ess), path)
            else:
                result.write(path, data)
        except (InputError, OSError, MemoryError) as error:
            raise InputError(f"{error}; {rescue_structure(result.dag, path)}") from None


def get_command(seed: int) -> str:
    """Return the command line of this process, with the seed of the run if none was given."""
    given = sys.argv[1:]
    has_seed = any(argument.partition("=")[0] == "--seed" for argument in given)
    return shlex.join(["bnsearch", *given, *([] if has_seed else ["--seed", str(seed)])])


def check_apart(inputs: Sequence[str | Path | None], *outputs: Path | None) -> None:
    """Raise an error if an output file is an input file or another output file."""
    taken = {os.path.realpath(path) for path in inputs if path is not None}
    for path in outputs:
        if path is not None:
            where = os.path.realpath(path)
            if where in taken:
                raise InputError(f"{path} is already one of the files to read or to write: choose another name")
            taken.add(where)


def rescue_structure(dag: DAG, path: Path) -> str:
    """Save a structure next to a path, in another folder, or print it; return a message that says where it is."""
    from bnsearch.networks.files import write_structure

    name = f"{path.name}.rescued.json"
    for folder in (path.parent, Path.cwd(), Path(tempfile.gettempdir())):
        with suppress(InputError, OSError):
            write_structure(dag, folder / name)
            return f"the structure is saved in {folder / name}"
    print_json({"edges": [list(edge) for edge in dag.edges]})
    return "the edges are printed instead"
