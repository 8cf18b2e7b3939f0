"""
Check a certificate of an upper bound against a score file, in plain Python.

It uses no other part of bnsearch, and adds exactly. `certificate.py` describes the format.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import math
from itertools import takewhile
from pathlib import Path
from typing import Any

SCALE = 1 << 1074  # every finite float is a multiple of 1 / SCALE
TOLERANCE = 1e-9  # relative error of the claimed bound that is accepted: the solver rounds, this module does not
Table = dict[str, list[tuple[float, list[str]]]]


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


def check_certificate(table: Table, certificate: dict[str, Any]) -> float:
    """Return the bound of a certificate if it holds for all networks over a table; else raise a ValueError."""
    content = {key: value for key, value in certificate.items() if key != "checksum"}
    if certificate["checksum"] != compute_digest(content):
        raise ValueError("the checksum does not match: the certificate is damaged, write it again")
    if (certificate["format"], certificate["version"]) != ("bnsearch certificate", 1):
        raise ValueError("the format is not `bnsearch certificate`, version 1")
    names = certificate["variables"]
    empty = [max(score for score, parents in table.get(name, [(math.nan, [])]) if not parents) for name in names]
    if sorted(names) != sorted(table) or certificate["table"] != compute_digest([names, list(map(repr, empty))]):
        raise ValueError("the certificate was made for another table: the variables or their scores differ")
    check_cover([leaf["decisions"] for leaf in certificate["leaves"]])
    bound = float(certificate["bound"])
    limit = to_integer(bound) + to_integer(TOLERANCE * max(1.0, abs(bound)))
    for leaf in certificate["leaves"]:
        value = compute_value(table, names, leaf)
        if value is not None and value > limit:
            raise ValueError(f"the clusters allow the score {value / SCALE!r}, above the claimed bound {bound!r}")
    return bound


def check_cover(paths: list[list[Any]], depth: int = 0) -> None:
    """Raise a ValueError unless the decisions of the leaves are the paths of a complete binary tree."""
    if len(paths) == 1 and len(paths[0]) == depth:
        return
    sides = [[path for path in paths if path[depth:] and path[depth][2] is side] for side in (True, False)]
    edges = {tuple(path[depth][:2]) for path in paths if path[depth:]}
    if len(edges) != 1 or not all(sides) or len(sides[0]) + len(sides[1]) != len(paths):
        raise ValueError("the decisions of the leaves do not cover all networks")
    for side in sides:
        check_cover(side, depth + 1)


def compute_value(table: Table, names: list[str], leaf: dict[str, Any]) -> int | None:
    """Return the bound of a leaf in units of 1 / SCALE; None if a variable has no parent set."""
    bits = {name: 1 << v for v, name in enumerate(names)}
    total, prices = 0, [list[tuple[int, int, int]]() for _ in names]
    for members, order, multiplier in leaf["clusters"]:
        if not (set(members) <= set(range(len(names))) and 1 <= order <= len(set(members)) and multiplier >= 0.0):
            raise ValueError("a cluster has an invalid member, order or multiplier")
        mask, price = sum(1 << v for v in set(members)), to_integer(multiplier)
        total -= order * price
        for v in set(members):
            prices[v].append((mask, order, price))
    for v, name in enumerate(names):
        decided = [(1 << parent, wanted) for child, parent, wanted in leaf["decisions"] if child == v]
        rows = [(to_integer(score), sum(bits[parent] for parent in parents)) for score, parents in table[name]]
        rows = [(score, row) for score, row in rows if all(bool(row & bit) is wanted for bit, wanted in decided)]
        if not rows:
            return None
        total += max(s + sum(p for mask, k, p in prices[v] if (row & mask).bit_count() < k) for s, row in rows)
    return total


def to_integer(number: float) -> int:
    """Return a finite float in units of 1 / SCALE; raise an error for other numbers."""
    numerator, denominator = float(number).as_integer_ratio()
    return numerator * (SCALE // denominator)


def compute_digest(content: object) -> str:
    """Return the SHA-256 digest of the JSON text of an object."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
