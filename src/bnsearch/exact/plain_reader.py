"""A reader of score files in plain Python for the checker, which uses no other part of bnsearch."""

from __future__ import annotations

import gzip
import json
from itertools import takewhile
from pathlib import Path

Table = dict[str, list[tuple[float, list[str]]]]  # for each variable: scores and parents


def read_table(path: str) -> Table:
    """Return the parent sets of each variable of a score file, with their scores."""
    data = Path(path).read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8-sig")
    named = [line.removeprefix("# names: ") for line in text.splitlines() if line.startswith("# names: ")]
    names = {str(number): name for number, name in enumerate(json.loads(named[0]))} if named else {}
    tokens = [list(takewhile(lambda token: not token.startswith("#"), line.split())) for line in text.splitlines()]
    lines = [line for line in tokens[::-1] if line]
    table: Table = {}
    for _ in range(int(lines.pop()[0])):
        variable, count = lines.pop()
        rows = [lines.pop() for _ in range(int(count))]
        table[names.get(variable, variable)] = [(float(s), [names.get(u, u) for u in own]) for s, _, *own in rows]
    return table
