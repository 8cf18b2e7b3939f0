"""
Structures as adjacency matrices (.csv).

::

    rain,grass
    0,1
    0,0

The header contains the names of the variables. A 1 in row i, column j means that i is a parent of j. A first column
with the names is accepted, with or without a cell above it.
"""

from __future__ import annotations

import csv
import io

import numpy as np

from bnsearch._tools.wording import shown
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.networks.formats.source import Source


def parse_structure(source: Source) -> DAG:
    """Return the structure that an adjacency matrix describes."""
    names, lines = _read_rows(source)
    rows = [cells for _, cells in lines]
    if len(names) == len(rows) + 1 and all(row[0] == name for row, name in zip(rows, names[1:], strict=True)):
        del names[0]
    if len(names) != len(rows) or not names:
        raise source.error(
            f"{len(names)} names in the header but {len(rows)} rows: an adjacency matrix is square. From a table, "
            "learn a network first: bnsearch learn"
        )
    matrix = np.zeros((len(names), len(names)), dtype=bool)
    for i, (line, cells) in enumerate(lines):
        if len(cells) == len(names) + 1 and cells[0] == names[i]:
            del cells[0]
        if len(cells) != len(names):
            raise source.error_at_line(f"{len(cells)} cells for {len(names)} variables", line)
        for j, cell in enumerate(cells):
            if cell.strip() not in {"0", "1"}:
                raise source.error_at_line(f"cell {j + 1} is {shown(cell)}; it must be 0 or 1", line)
            matrix[i, j] = cell.strip() == "1"
    try:
        return DAG.from_adjacency(names, matrix)
    except InputError as error:
        raise source.error(str(error)) from None


def render_structure(dag: DAG) -> str:
    """Return a structure as an adjacency matrix."""
    text = io.StringIO(newline="")
    # The csv module reads a carriage return as the end of a line but does not quote it when writing.
    quote_all = any("\r" in name for name in dag.names)
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL)
    writer.writerow(dag.names)
    writer.writerows(dag.adjacency.astype(np.int8).tolist())
    return text.getvalue()


def _read_rows(source: Source) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the header, and the other rows with their line numbers; blank lines are skipped."""
    reader = csv.reader(io.StringIO(source.text, newline=""))
    try:
        rows = [(reader.line_num, cells) for cells in reader if cells]
    except csv.Error as error:
        raise source.error_at_line(f"not CSV: {error}", reader.line_num) from None
    if not rows:
        raise source.error("the file is empty; expected a header of names and a row for each name")
    return rows[0][1], rows[1:]
