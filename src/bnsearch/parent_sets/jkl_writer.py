"""Writing of score files (`.jkl`)."""

from __future__ import annotations

import json
import os

import numpy as np

from bnsearch._tools.files import atomic_open
from bnsearch.parent_sets.jkl import NAMES
from bnsearch.parent_sets.table import ParentSets

CHUNK = 1 << 16  # number of rows that are written at once


def write_scores(table: ParentSets, path: str | os.PathLike[str]) -> None:
    """
    Write a table as a score file, gzipped if the name ends in .gz; reading it gives the same table.

    Variables are numbered. If their names are not these numbers, the names follow in a comment at the end, where it
    does not disturb tools that do not know comments.

    Parameters
    ----------
    table : ParentSets
        The candidate table.
    path : str or path
        The .jkl file.

    Raises
    ------
    InputError
        If the file cannot be written.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> table = bnsearch.Sequential(max_parents=1).select(data, bnsearch.BIC()).table
    >>> bnsearch.write_scores(table, "asia.jkl.gz")
    """
    from bnsearch.parent_sets.kernels_jkl import write_sets

    with atomic_open(path) as file:
        file.write(b"%d\n" % table.n_variables)
        for v in range(table.n_variables):
            begin, end = int(table.begin[v]), int(table.begin[v + 1])
            file.write(b"%d %d\n" % (v, end - begin))
            for start in range(begin, end, CHUNK):
                stop = min(start + CHUNK, end)
                scores = ("\n".join(map(repr, table.scores[start:stop].tolist())) + "\n").encode()
                numbers = stop - start + int(table.first[stop] - table.first[start])
                out = np.empty(len(scores) + 12 * numbers, dtype=np.uint8)  # 12: a blank, ten digits, a line end
                text = np.frombuffer(scores, dtype=np.uint8)
                file.write(out[: write_sets(text, table.first, table.members, start, stop, out)].tobytes())
        if table.names != tuple(map(str, range(table.n_variables))):
            file.write(NAMES + json.dumps(table.names).encode() + b"\n")
