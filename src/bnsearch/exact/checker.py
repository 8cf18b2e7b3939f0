"""Check a certificate of an upper bound over a candidate table, in plain Python; `certificate.py` has the format."""

from __future__ import annotations

import hashlib
import json
from functools import reduce
from typing import Any

SCALE = 1 << 1074  # every finite float is a multiple of 1 / SCALE, so sums of integers are exact
TOLERANCE = 1e-9  # relative error of a claimed bound that is accepted: the solver rounds, this module does not
Rows = dict[int, list[tuple[int, int]]]  # for each variable: scores in units of 1 / SCALE, and parents as bits


def check_certificate(table: dict[str, list[tuple[float, list[str]]]], certificate: dict[str, Any]) -> float:
    """Return the bound of a certificate if it holds for all networks over a table; else raise a ValueError."""
    content = {key: value for key, value in certificate.items() if key != "checksum"}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    require(certificate["checksum"] == digest, "the checksum does not match: write the certificate again")
    require((content["format"], content["version"]) == ("bnsearch certificate", 2), "the format is not version 2")
    bits = {name: 1 << v for v, name in enumerate(content["variables"])}
    require(sorted(bits) == sorted(table), "the certificate was made for a table of other variables")
    rows = {v: [(to_integer(s), sum(bits[u] for u in own)) for s, own in table[x]] for v, x in enumerate(bits)}
    total = sum(check_part(part, {v: rows.pop(v) for v in part["variables"]}) for part in content["parts"])
    total += sum(max(own)[0] for own in rows.values())  # the variables that are in no part
    require(total <= to_integer(content["bound"], TOLERANCE), "the parts have more than the claimed bound")
    return float(content["bound"])


def check_part(part: dict[str, Any], rows: Rows) -> int:
    """Return the bound of a part if its tree of nodes proves it: a node with rows left has two children."""
    limit, nodes = to_integer(part["bound"], TOLERANCE), part["nodes"]
    cuts = [(*cut, find_limit(set(rows), *cut)) for cut in part["cuts"]]
    stack: list[tuple[int, Rows, dict[int, int]]] = [(0, rows, dict.fromkeys(rows, 0))]
    while stack:
        number, rows, before = stack.pop()  # before : the variables that precede each one, as bits
        _, decision, steps = nodes[number]
        if decision is not None:
            before[decision[1]] |= 1 << decision[0]
        rows = settle(rows, before)
        for step in steps:
            rows = settle(drop_rows(rows, [(*cuts[cut], to_integer(price)) for cut, price in step], limit), before)
        if rows:
            below = [child for child, node in enumerate(nodes) if node[0] == number < child]
            pairs = [nodes[child][1] for child in below]
            require(len(pairs) == 2 and pairs[0] == pairs[1][::-1] != pairs[1], "a node exceeds the claimed bound")
            stack += [(child, rows, dict(before)) for child in below]
    return to_integer(part["bound"])


def settle(rows: Rows, before: dict[int, int]) -> Rows:
    """Return the rows that precedences (changed) allow after all consequences; none if a variable has no row left."""
    after: dict[int, int] = {}
    while rows and after != (after := {v: sum(1 << w for w in rows if before[w] >> v & 1) for v in rows}):
        rows = {v: [row for row in own if not row[1] & after[v]] for v, own in rows.items()}
        if not all(rows.values()) or any(after[v] >> v & 1 for v in rows):
            return {}
        for v, own in rows.items():  # a parent in all rows precedes its child, and so does all that precedes the parent
            before[v] |= reduce(int.__and__, (row for _, row in own))
            before[v] |= reduce(int.__or__, (before[u] for u in rows if before[v] >> u & 1), 0)
    return rows


def drop_rows(rows: Rows, cuts: list[Any], limit: int) -> Rows:
    """Return the rows with which a network can score above the limit, by the prices of cuts; none if there are none."""
    reduced, excess = {v: [score for score, _ in own] for v, own in rows.items()}, -limit
    for members, order, weights, highest, price in cuts:
        require(price >= 0, "a multiplier is negative")
        mask, excess = sum(1 << v for v in members), excess + highest * price
        for i, v in enumerate(members if rows else []):
            for at, (_, row) in enumerate(rows[v]):
                inside = 0 if order else sum(1 << j for j, u in enumerate(members) if row >> u & 1)
                reduced[v][at] -= price * ((row & mask).bit_count() >= order if order else weights[i][inside])
    excess += sum(max(own) for own in reduced.values())
    least = {v: max(own) - excess for v, own in reduced.items()}
    kept = {v: [r for r, x in zip(own, reduced[v], strict=True) if x > least[v]] for v, own in rows.items()}
    return kept if excess > 0 else {}


def find_limit(variables: set[int], members: list[int], order: int, weights: list[list[int]]) -> int:
    """Return the highest value of a cut over all networks without cycles of its members."""
    require(set(members) <= variables and len(set(members)) == len(members) >= order >= 0, "a cut is invalid")
    require(all(isinstance(x, int) for own in ([order], *weights) for x in own), "a cut has a number with a fraction")
    best = [0]
    for inside in range(1, 1 << len(members) if order == 0 else 1):
        rests = [(i, inside ^ 1 << i) for i in range(len(members)) if inside >> i & 1]
        best.append(max(best[r] + max(w for s, w in enumerate(weights[i]) if s & ~r == 0) for i, r in rests))
    return len(members) - order if order else best[-1]


def to_integer(number: float, tolerance: float = 0.0) -> int:
    """Return a finite float, increased by a relative tolerance, in units of 1 / SCALE."""
    numerator, denominator = (float(number) + tolerance * max(1.0, abs(number))).as_integer_ratio()
    return numerator * (SCALE // denominator)


def require(condition: bool, message: str) -> None:
    """Raise a ValueError if a condition is not met."""
    if not condition:
        raise ValueError(message)
