"""
Send a signal to runs of `bnsearch learn` at random times, and measure how long the search goes on.

Each run is a process of its own. The program waits until the run has searched for a random share of its time budget,
sends the signal, and prints the time from the signal to the end of the search, in seconds of elapsed time and of CPU
time of all threads, and the time to the end of the process, which also writes the network. On a busy machine only the
CPU time is meaningful: divided by the number of threads it is at most the time that the search would take alone. The
last column says where the main thread was when it noticed the signal. The exit status is 1 if a run ends without a
network or with another status than that of its signal.

    python benchmarks/interrupts.py                              # five tables, 10 signals each, budgets of 60 s
    python benchmarks/interrupts.py --seconds 12 --signals 4 --only alarm
    python benchmarks/interrupts.py --term --seconds 12
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bnsearch
from bnsearch.data import Dataset
from tables import load_table

TABLES = "alarm/10000", "diabetes/10000", "munin1/10000", "debd/accidents.train", "random/1000"
STATUS = {signal.SIGINT: 0, signal.SIGTERM: 143}

# The child writes a line when its budget starts, and the times and the stack when the signal and the end arrive.
CHILD = """
import json, sys, time, traceback
from bnsearch.budgets.budget import Budget
from bnsearch.runs.run import Run

request_stop, finish, going = Budget.request_stop, Run.finish, Run.offer
log, noted = open(sys.argv.pop(1), "w", buffering=1), {}

def measure():
    return time.monotonic(), time.process_time()

def note_begin(self, *arguments):
    if "begin" not in noted:
        noted["begin"] = True
        log.write(json.dumps(["begin", *measure()]) + chr(10))
    return going(self, *arguments)

def note_request(self, reason="interrupted"):
    stack = [frame.name for frame in traceback.extract_stack()[:-2]]
    noted["request"] = ["request", *measure(), stack[-4:]]
    request_stop(self, reason)

def note_end(self):
    if "request" in noted:
        log.write(json.dumps(noted["request"]) + chr(10))
        log.write(json.dumps(["end", *measure()]) + chr(10))
    finish(self)

Budget.request_stop, Run.finish, Run.offer = note_request, note_end, note_begin
from bnsearch.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Outcome:
    """
    What followed a signal.

    Attributes
    ----------
    at : seconds of search before the signal
    search, cpu, process : seconds from the signal to the end of the search, CPU seconds from when it was noticed, and
        seconds from the signal to the end of the process
    noticed : seconds from the signal until the main thread ran the handler
    place : functions of the main thread at that time
    is_good : True if the run has ended with a network and with the status of its signal
    """

    at: float
    search: float
    cpu: float
    process: float
    noticed: float
    place: str
    is_good: bool


def write_table(name: str, path: Path) -> None:
    """Write a table of a benchmark to a file."""
    kind, _, size = name.partition("/")
    if kind == "random":
        data: Dataset = bnsearch.random_network(int(size), 2.0, 4, 1, max_parents=3).sample(2000, 1)
    else:
        data = load_table(name)
    data.write(path)


def read_log(path: Path) -> dict[str, list[Any]]:
    """Return the complete lines of a child's log by their names."""
    lines = path.read_text().split("\n")[:-1] if path.exists() else []
    return {name: rest for name, *rest in map(json.loads, lines)}


def interrupt(table: Path, after: float, number: signal.Signals, options: list[str]) -> Outcome | None:
    """Run `bnsearch learn`, and send a signal after some seconds of search; None if the run ended before."""
    log, output = table.with_suffix(".log"), table.with_suffix(".bif")
    for old in (log, output):
        old.unlink(missing_ok=True)
    command = [sys.executable, "-c", CHILD, str(log), "learn", str(table), "-q", "-o", str(output), *options]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while "begin" not in read_log(log) and process.poll() is None:
        time.sleep(0.01)
    time.sleep(after)
    sent = time.monotonic()
    process.send_signal(number)
    status = process.wait()
    ended, found = time.monotonic(), read_log(log)
    if "end" not in found:
        return None
    (seen, cpu_before, place), (stopped, cpu_after) = found["request"], found["end"]
    is_good = status == STATUS[number] and output.exists()
    return Outcome(after, stopped - sent, cpu_after - cpu_before, ended - sent, seen - sent, " > ".join(place), is_good)


def measure_table(name: str, folder: Path, number: signal.Signals, given: argparse.Namespace) -> bool:
    """Interrupt several runs on a table, and print the times; return True if all runs ended well."""
    table = folder / f"{name.replace('/', '_')}.csv"
    write_table(name, table)
    options = ["--seconds", str(given.seconds), "--threads", str(given.threads), "--seed", "1"]
    rng, outcomes = random.Random(f"{given.seed} {name}"), []
    for _ in range(given.signals):
        outcome = interrupt(table, rng.uniform(0.0, 0.97 * given.seconds), number, options)
        if outcome is None:
            print(f"{name:22} ended before the signal", flush=True)
            continue
        outcomes.append(outcome)
        print(
            f"{name:22} at {outcome.at:5.1f} s: search ended after {outcome.search:.3f} s ({outcome.cpu:.3f} s CPU; "
            f"noticed after {outcome.noticed:.3f} s), process after {outcome.process:.2f} s  {outcome.place}",
            flush=True,
        )
    if outcomes:
        times = [outcome.search for outcome in outcomes]
        print(f"{name:22} median {statistics.median(times):.3f} s, longest {max(times):.3f} s", flush=True)
    return all(outcome.is_good for outcome in outcomes)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="time budget of a run")
    parser.add_argument("--signals", type=int, default=10, help="number of runs on each table")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1, help="seed of the times")
    parser.add_argument("--term", action="store_true", help="send SIGTERM; SIGINT by default")
    parser.add_argument("--only", default="", help="measure the tables whose names contain this text")
    given = parser.parse_args()
    number = signal.SIGTERM if given.term else signal.SIGINT
    with tempfile.TemporaryDirectory() as folder:
        chosen = [name for name in TABLES if given.only in name]
        is_good = [measure_table(name, Path(folder), number, given) for name in chosen]
    sys.exit(0 if all(is_good) else 1)


if __name__ == "__main__":
    main()
