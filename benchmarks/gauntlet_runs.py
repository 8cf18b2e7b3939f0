"""The measurements of the gauntlet, the file of its results, and the worker processes."""

from __future__ import annotations

import json
import math
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from gauntlet_tables import LONG, WITH_BDEU
from peers import PEERS

OWN = ("auto", "tabu", "minobs", "iinobs", "rinobs", "ginobs", "ges", "ilges")
SHORT = 10.0  # seconds; larger budgets are measured on the tables of LONG, with BIC and the first seed
PATIENCE = 10.0  # a peer counts at a budget if it ends within this multiple of the budget
GRACE = 300.0  # seconds beyond ten times the budget after which a worker is killed
OVERHEAD = 0.5  # seconds of a cell in addition to its budget, for the estimate

Record = dict[str, Any]


@dataclass(frozen=True)
class Cell:
    """
    One measurement.

    Attributes
    ----------
    table, score, method, threads : what to run
    budget, seed : budget and seed of `learn`; zero for a peer, which runs once for a table and score
    limit : seconds after which a peer is killed; not part of the identity of the cell
    """

    table: str
    score: str
    method: str
    budget: float
    seed: int
    threads: int
    limit: float = field(default=0.0, compare=False)

    @property
    def is_peer(self) -> bool:
        """Return True for a program of another package."""
        return self.method in PEERS

    @property
    def seconds(self) -> float:
        """The maximum expected seconds of the cell."""
        return (self.limit if self.is_peer else self.budget) + OVERHEAD


def plan_cells(
    tables: Sequence[str],
    scores: Sequence[str],
    methods: Sequence[str],
    budgets: Sequence[float],
    seeds: Sequence[int],
    threads: int,
    peer_limit: float = math.inf,
) -> list[Cell]:
    """
    Return the cells of the regret tables: short budgets first, then peers, then long budgets.

    A peer is killed after ten times the largest budget of the table, or after `peer_limit` seconds if that is earlier.
    """
    cells = []
    for table in tables:
        for score in scores:
            if score == "bdeu" and table not in WITH_BDEU:
                continue
            allowed = [b for b in budgets if b <= SHORT or (table in LONG and score == "bic")]
            for method in methods:
                if method in PEERS:
                    limit = min(peer_limit, PATIENCE * max(allowed, default=0.0))
                    cells += [Cell(table, score, method, 0.0, 0, threads, limit)] if allowed else []
                    continue
                pairs = [(b, s) for b in allowed for s in (seeds if b <= SHORT else seeds[:1])]
                cells += [Cell(table, score, method, budget, seed, threads) for budget, seed in pairs]
    return sorted(cells, key=lambda cell: (cell.budget > SHORT, cell.is_peer, cell.budget))


def estimate_seconds(cells: Iterable[Cell]) -> tuple[float, float]:
    """Return the seconds of the runs of `learn` and the maximum seconds of the peers, one cell at a time."""
    own, peers = 0.0, 0.0
    for cell in cells:
        if cell.is_peer:
            peers += cell.seconds
        else:
            own += cell.seconds
    return own, peers


class Results:
    """
    The records of a file of JSON lines; the newest record of a cell counts.

    Parameters
    ----------
    path : path of the file, which is created with the first record
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._records: dict[Cell, Record] = {}
        self._lock = threading.Lock()
        text = path.read_text() if path.exists() else ""
        self._is_torn = bool(text) and not text.endswith("\n")  # an interrupted write leaves an incomplete line
        for line in text.splitlines():
            with suppress(json.JSONDecodeError):
                self._keep(json.loads(line))

    def _keep(self, record: Record) -> None:
        self._records[cell_of(record)] = record

    def __iter__(self) -> Iterator[tuple[Cell, Record]]:
        return iter((cell, record) for cell, record in self._records.items() if not record.get("discarded"))

    def get(self, cell: Cell) -> Record | None:
        """Return the valid record of a cell, or None if the cell must be measured."""
        record = self._records.get(cell)
        if record is None or record.get("discarded"):
            return None
        return None if "error" in record and record["limit"] < cell.limit else record

    def append(self, record: Record) -> None:
        """Append a record to the file."""
        with self._lock:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("a") as file:
                file.write("\n" * self._is_torn + json.dumps(record) + "\n")
            self._is_torn = False
            self._keep(record)

    def discard(self, cells: Iterable[Cell]) -> None:
        """Mark the records of cells as invalid, so that they are measured again."""
        for cell in cells:
            if self.get(cell) is not None:
                self.append(asdict(cell) | {"discarded": True})


def cell_of(record: Record) -> Cell:
    """Return the cell of a record."""
    return Cell(**{name: record[name] for name in Cell.__dataclass_fields__})


class Worker:
    """A process that measures cells; it is restarted after it was killed."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def measure(self, cell: Cell, python: str | None) -> Record:
        """Return the record of a cell, with an error if the worker was killed or ended."""
        if self._process is None:
            call = [sys.executable, str(Path(__file__).with_name("gauntlet_worker.py"))]
            self._process = subprocess.Popen(
                call, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
            )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        limit = GRACE + (cell.limit if cell.is_peer else PATIENCE * cell.budget)
        killer = threading.Timer(limit, self.kill)
        killer.start()
        try:
            self._process.stdin.write(json.dumps(asdict(cell) | {"python": python if cell.is_peer else None}) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            killer.cancel()
        if line.endswith("\n"):
            record: Record = json.loads(line)
            return record
        self.kill()
        self._process = None
        return asdict(cell) | {"error": f"the worker ended without a result; the hard limit is {limit:g} s"}

    def kill(self) -> None:
        """End the process and the peer that it may have started."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)


def measure_cells(cells: Sequence[Cell], results: Results, python: str | None, jobs: int) -> None:
    """Measure the cells without a record, `jobs` at a time, and store each record immediately."""
    waiting: queue.SimpleQueue[Cell] = queue.SimpleQueue()
    missing = [cell for cell in cells if results.get(cell) is None]
    for cell in missing:
        waiting.put(cell)
    commit = current_commit()
    workers = [Worker() for _ in range(jobs)]

    def work(worker: Worker) -> None:
        with suppress(queue.Empty):
            while True:
                cell = waiting.get_nowait()
                record = worker.measure(cell, python)
                if stopped.is_set() or record.get("stop") == "interrupted":
                    return
                results.append(record | {"commit": commit, "time": round(time.time())})
                left = waiting.qsize()
                print(f"{describe(record)}  [{left} left]", flush=True)

    stopped = threading.Event()
    threads = [threading.Thread(target=work, args=[worker]) for worker in workers]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        stopped.set()
        for worker in workers:
            worker.kill()


def describe(record: Record) -> str:
    """Return a record in one line."""
    budget = f"{record['budget']:g} s" if record["budget"] else ""
    head = f"{record['table']:22} {record['score']:5} {record['method']:13} {budget:>6} seed {record['seed']}"
    if "error" in record:
        return f"{head}  {record['error']}"
    return f"{head}  {record['value']:16.3f}  {record['seconds']:7.2f} s"


def current_commit() -> str:
    """Return the commit of the library that is measured, with a plus sign if files have changed since."""
    call = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty=+"]
    return subprocess.run(call, capture_output=True, text=True, check=False).stdout.strip()
