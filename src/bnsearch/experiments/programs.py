"""Methods of a plan that are other programs: their command, their run, and the network that they print."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.experiments.plan import MethodEntry
from bnsearch.graphs import PDAG, extension
from bnsearch.graphs.dag import DAG
from bnsearch.runs.problem import Problem
from bnsearch.runs.result import Result
from bnsearch.runs.stop import Progress
from bnsearch.runs.trace import Trace
from bnsearch.scores.score import Score

PLACES = ("codes", "score", "seconds", "seed", "threads")
INTERPRETER = "BNSEARCH_PEERS"  # environment variable: the interpreter of commands that begin with "python"
MAX_STARTUP = 60.0  # seconds that a program may take to import, compile and read the table
PATIENCE = 10.0  # a program that does not end by itself is killed after this multiple of its limit and the start
ENDED_BY_TIMER = (
    -signal.SIGALRM,
    -signal.SIGPROF,
    -signal.SIGVTALRM,
)  # exit codes of a program whose timer has ended it
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


@dataclass(frozen=True)
class ProgramEntry(MethodEntry):
    """
    Another program as a method of a plan.

    Attributes
    ----------
    words : the command; {codes}, {score}, {seconds}, {seed} and {threads} are replaced
    folder : folder of the plan, in which the program runs
    limit : value of {seconds}, after which the program should end by itself; None for the seconds of the budget
    """

    words: tuple[str, ...] = ()
    folder: str = "."
    limit: float | None = None

    def identify(self) -> dict[str, Any]:
        """Return the command and the limit; the folder of the plan is not part of them."""
        return {"method": "program", "parameters": {"program": list(self.words), "limit": self.limit}}

    @property
    def parameters_shown(self) -> dict[str, Any]:
        """The command."""
        return {"program": " ".join(self.words)}

    def fill_in(self, values: dict[str, Any]) -> list[str]:
        """Return the command with the values of its places."""
        words = [word.format(**values) for word in self.words]
        first = os.environ.get(INTERPRETER) or sys.executable
        return [first if words[0] == "python" else words[0], *words[1:]]


def check_words(words: Sequence[str]) -> tuple[str, ...]:
    """Return a command; raise an InputError if it has other places than those that are known, or not the table."""
    try:
        text = " ".join(word.format(**{name: f"<{name}>" for name in PLACES}) for word in words)
    except (KeyError, IndexError, ValueError) as error:
        places = ", ".join(f"{{{name}}}" for name in PLACES)
        raise InputError(f"program has an unknown place ({error}): the places are {places}") from None
    if "<codes>" not in text:
        raise InputError("program has no {codes}: it must receive the file of the table")
    return tuple(words)


def run_program(
    entry: ProgramEntry, data: Dataset, score: Score, name: str, *, seconds: float | None, seed: int, threads: int
) -> Result:
    """
    Run a program on a table, and score its network.

    The program receives the path of an array of codes (.npy) with a row for each row of the table, and the name of the
    score. The last line of its output is a JSON object with `directed` and `undirected` edges, as pairs of columns, and
    optionally its `seconds` without start-up and its `version`.
    """
    limit = entry.limit or seconds
    with tempfile.TemporaryDirectory() as folder:
        codes = Path(folder) / "codes.npy"
        np.save(codes, data.codes.T)
        values = {"codes": codes, "score": name, "seconds": limit or 0, "seed": seed, "threads": threads}
        found = _call(entry, entry.fill_in(values), limit, threads)
    dag = _make_dag(found, data.names, entry.label)
    value = Problem(data=data, score=score).score_of(dag)
    spent = float(found.get("seconds") or 0.0)
    notes = (str(found["version"]),) if found.get("version") else ()
    return Result(
        dag=dag, score=value, bound=None, optimal=False, stop="complete", iterations=0, evaluations=0, computed=0,
        trace=Trace([Progress(seconds=spent, score=value)]), seconds=spent, method=entry.label,
        parameters={"program": list(entry.words)}, seed=seed, notes=notes,
    )  # fmt: skip


def _call(entry: ProgramEntry, command: list[str], limit: float | None, threads: int) -> dict[str, Any]:
    """Run a command and return the object in the last line of its output."""
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads))
    late = f"{entry.label} did not end within {limit:g} s" if limit else ""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=entry.folder, env=environment,
            timeout=None if limit is None else PATIENCE * limit + MAX_STARTUP,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InputError(late) from None
    except OSError as error:
        raise InputError(f"cannot start {command[0]}: {error.strerror}") from None
    if limit and done.returncode in ENDED_BY_TIMER:
        raise InputError(late)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
        raise InputError(f"{entry.label} failed: {said[:300]}")
    try:
        found = json.loads((done.stdout.strip().splitlines() or [""])[-1])
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise InputError(f"the last line of the output of {entry.label} is not a JSON object")
    return found


def _make_dag(found: dict[str, Any], names: tuple[str, ...], label: str) -> DAG:
    """Return the DAG of a program's edges, or a DAG of their equivalence class."""
    try:
        parts = [[(names[a], names[b]) for a, b in found.get(kind) or ()] for kind in ("directed", "undirected")]
        return extension(PDAG.from_edges(names, *parts)) if parts[1] else DAG.from_edges(names, parts[0])
    except (TypeError, ValueError, IndexError, InputError) as error:
        raise InputError(f"the edges of {label} are not a network: {error}") from None
