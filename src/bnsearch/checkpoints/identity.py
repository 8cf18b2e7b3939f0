"""The identity of a run: what must be the same for a run that continues it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.runs.method import get_parameters
from bnsearch.runs.stop import AnyOf, Seconds, Stop

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG
    from bnsearch.runs.method import Method
    from bnsearch.runs.problem import Problem

Identity = dict[str, str | None]
DIGESTS = "table", "knowledge", "start"  # settings that are compared by a digest, which is not shown


def identify_run(problem: Problem, method: Method, seed: int | None, stop: Stop | None) -> Identity:
    """Return the input and the settings of a run, except for its time, memory and threads."""
    known = problem.constraints
    return {
        "table": compute_table_digest(problem),
        "knowledge": None if known is None else _digest(known.allowed, known.required, known.max_parents),
        "start": None if problem.start is None else _compute_network_digest(problem.start),
        "score": None if problem.score is None else describe_value(problem.score),
        "method": method.name,
        "parameters of the method": describe_value(get_parameters(method)),
        "selection": None if problem.builder is None else describe_value(problem.builder),
        "seed": describe_value(seed),
        "stopping rule": describe_rule(stop),
    }


def list_differences(old: Mapping[str, Any], new: Identity) -> list[str]:
    """Return the differences of two runs in words."""
    found = []
    for name, value in new.items():
        before = old.get(name)
        if before != value:
            found.append(f"another {name}" if name in DIGESTS else f"{name} {before or 'none'}, not {value or 'none'}")
    return found


def describe_rule(stop: Stop | None) -> str | None:
    """Return a stopping rule in words, without its time budget; None if there is no other rule."""
    rules = () if stop is None else stop.rules if isinstance(stop, AnyOf) else (stop,)
    return " | ".join(sorted(describe_value(rule) for rule in rules if not isinstance(rule, Seconds))) or None


def describe_value(value: Any) -> str:
    """Return a value in words that are the same in every process."""
    if isinstance(value, np.ndarray):
        return f"array {_digest(value)}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={describe_value(each)}" for name, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return f"[{', '.join(map(describe_value, value))}]"
    if is_dataclass(value) and not isinstance(value, type):
        settings = {each.name: getattr(value, each.name) for each in fields(value)}
        return f"{type(value).__name__}({describe_value(settings)})"
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        value = int(value)  # equal numbers have the same description
    text = repr(value)
    return type(value).__qualname__ if " at 0x" in text else text  # an address differs between processes


def compute_table_digest(problem: Problem) -> str:
    """Return a digest of the data and of the candidate table of a problem."""
    parts: list[Any] = [list(problem.names)]
    if problem.data is not None:
        parts += [problem.data.states, problem.data.codes]
    if problem.table is not None:
        table = problem.table
        parts += [table.begin, table.scores, table.first, table.members]
    return _digest(*parts)


def _compute_network_digest(dag: DAG) -> str:
    return _digest(list(dag.names), dag.parents)


def _digest(*values: NDArray[Any] | Sequence[Any]) -> str:
    """Return the SHA-256 digest of arrays and of lists of JSON values."""
    digest = hashlib.sha256()
    for value in values:
        if isinstance(value, np.ndarray):
            digest.update(f"{value.dtype.str}{value.shape}".encode())
            digest.update(np.ascontiguousarray(value).data if value.size else b"")
        else:
            digest.update(json.dumps(value).encode())
    return digest.hexdigest()
