"""
End runs of `bnsearch learn --checkpoint` in the middle, continue them, and measure what was lost.

Some runs are killed with SIGKILL at a random time. The program reads the checkpoint, continues the run for a few
seconds, and reports the time between the checkpoint and the kill, which should be at most 10 s, and whether the result
is at least as good as the checkpoint. Other runs get SIGTERM, and should exit with status 143, with the same network in
the output and in the checkpoint. At last the disk becomes full, the folder becomes read-only or is deleted during a
run: the run should end with a network and one note. The exit status is 1 if a run does not behave in this way.

    python benchmarks/survive.py                          # 100 and 50 runs, about an hour
    python benchmarks/survive.py --kills 10 --terms 5
    python benchmarks/survive.py --kills 10 --terms 5 --learn --workers 2
    python benchmarks/survive.py --jobs 15 --learn --threads 1   # 15 trials at a time, four minutes on 16 cores
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

import bnsearch
from bnsearch.checkpoints.container import Container

MAX_LOST = 10.0  # seconds of work that a kill may lose
FAULTS = "full", "read-only", "deleted"

# The child writes the elapsed time of its run to a file, many times a second; a killed process leaves it there.
CHILD = """
import ctypes, os, resource, shutil, struct, sys, threading, time
import bnsearch.checkpoints.checkpoint as checkpoint
from bnsearch.checkpoints.container import Container

clock, fault, at = sys.argv.pop(1), sys.argv.pop(1), float(sys.argv.pop(1))

class Watched(checkpoint.Checkpoint):
    def __init__(self, container, run, *rest):
        super().__init__(container, run, *rest)
        threading.Thread(target=self.watch, args=(container.path, run), daemon=True).start()

    def watch(self, path, run):
        number, is_whole = os.open(clock, os.O_WRONLY), True
        while True:
            seconds = run.budget.elapsed_before_pause
            os.pwrite(number, struct.pack("d", seconds), 0)
            if is_whole and fault and seconds >= at:
                is_whole = False
                self.damage(path)
            time.sleep(0.01)

    def damage(self, path):
        if fault == "deleted":
            shutil.rmtree(path)
        elif fault == "full":
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
        else:
            path.chmod(0o555)
            Container.write = write_as_nobody

write = Container.write

def write_as_nobody(self, parts):
    is_root = os.geteuid() == 0  # to whom the rights of files do not apply; the next line changes this thread only
    user = ctypes.CDLL(None).setfsuid(65534) if is_root else 0
    try:
        write(self, parts)
    finally:
        is_root and ctypes.CDLL(None).setfsuid(user)

import bnsearch.checkpoints.opening as opening
opening.Checkpoint = Watched
from bnsearch.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True)
class Trial:
    """A folder with a table, in which runs are started; further options of `learn`."""

    folder: Path
    method: str
    seed: int
    options: tuple[str, ...]

    @property
    def checkpoint(self) -> Path:
        """The checkpoint of the run."""
        return self.folder / "run.bns"

    def start(self, seconds: float, *, fault: str = "", at: float = 0.0) -> subprocess.Popen[str]:
        """Start or continue the run."""
        (self.folder / "clock").write_bytes(struct.pack("d", 0.0))
        command = [sys.executable, "-c", CHILD, str(self.folder / "clock"), fault, str(at)]
        command += ["learn", str(self.folder / "table.csv"), "--seconds", str(seconds), "--method", self.method]
        command += ["--seed", str(self.seed), "--checkpoint", str(self.checkpoint), "--json", *self.options]
        paths = [str(Path(bnsearch.__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, seconds: float) -> dict[str, Any]:
        """Continue the run up to a number of seconds, and return its result."""
        process = self.start(seconds)
        output, errors = process.communicate()
        assert process.returncode == 0, errors
        facts: dict[str, Any] = json.loads(output)
        return facts

    def read_clock(self) -> float:
        """Return the elapsed time of the run."""
        return float(struct.unpack("d", (self.folder / "clock").read_bytes())[0])

    def wait_until(self, process: subprocess.Popen[str], seconds: float) -> None:
        """Wait until the run has searched for some seconds."""
        while self.read_clock() < seconds and process.poll() is None:
            time.sleep(0.01)

    def read_state(self) -> tuple[float, float]:
        """Return the score and the elapsed time of the checkpoint; minus infinity and 0 if it was not made yet."""
        if not self.checkpoint.exists():
            return -inf, 0.0
        facts = Container(self.checkpoint).read()["run"].facts
        return float(facts["score"]), float(facts["seconds"])


def kill_run(trial: Trial, at: float, total: float, more: float) -> tuple[bool, str]:
    """Kill a run after some seconds, and continue it; return whether all is well, and a report."""
    process = trial.start(total)
    trial.wait_until(process, at)
    process.kill()
    process.communicate()
    reached = trial.read_clock()
    score, seconds = trial.read_state()
    facts = trial.finish(seconds + more)
    lost = reached - seconds
    good = lost <= MAX_LOST and facts["score"] >= score
    return good, f"killed at {reached:6.2f} s, lost {lost:5.2f} s, saved {score:.3f}, continued to {facts['score']:.3f}"


def terminate_run(trial: Trial, at: float, total: float, more: float) -> tuple[bool, str]:
    """Send SIGTERM after some seconds; return whether network and checkpoint are kept, and a report."""
    process = trial.start(total)
    trial.wait_until(process, at)
    process.send_signal(signal.SIGTERM)
    sent = time.monotonic()
    output, _ = process.communicate()
    took = time.monotonic() - sent
    score, _ = trial.read_state()
    facts = json.loads(output or '{"score": null}')
    good = process.returncode == 128 + signal.SIGTERM and facts["score"] == score
    again = trial.finish(trial.read_state()[1] + more)["score"]
    report = f"terminated at {at:6.2f} s in {took:.2f} s, status {process.returncode}, saved {score:.3f}"
    return good and again >= score, f"{report}, continued to {again:.3f}"


def break_disk(trial: Trial, fault: str, total: float) -> tuple[bool, str]:
    """Let the checkpoint fail during a run; return whether the run ends with a network and one note."""
    process = trial.start(total, fault=fault, at=total / 2)
    output, errors = process.communicate()
    facts = json.loads(output or '{"notes": [], "score": null}')
    notes = [note for note in facts["notes"] if note.startswith("writing the checkpoint")]
    good = process.returncode == 0 and len(notes) == 1 and "Traceback" not in errors
    return good, f"{fault}: status {process.returncode}, score {facts['score']}, note: {' '.join(notes)}"


@dataclass(frozen=True)
class Plan:
    """A trial that is not run yet: its number, its kind, and the time of the signal."""

    number: int
    kind: str
    at: float


def run_trial(plan: Plan, data: bnsearch.Dataset, options: argparse.Namespace) -> tuple[bool, str]:
    """Run a trial in a folder of its own; return whether all is well, and a report."""
    folder = Path(tempfile.mkdtemp(prefix="survive-"))
    folder.chmod(0o755)
    data.write(folder / "table.csv")
    trial = Trial(folder, options.method, plan.number, tuple(options.learn))
    try:
        if plan.kind in FAULTS:
            return break_disk(trial, plan.kind, 6.0)
        run = kill_run if plan.kind == "kill" else terminate_run
        return run(trial, plan.at, 10.0 * options.seconds, options.more)
    except Exception as error:  # the other trials go on
        return False, f"{plan.kind} at {plan.at:.2f} s: {error!r}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def make_plans(options: argparse.Namespace) -> list[Plan]:
    """Return all trials, those that take longest first, so that several jobs end together."""
    rng = random.Random(options.seed)
    kinds = ["kill"] * options.kills + ["term"] * options.terms + list(FAULTS)
    plans = [Plan(number, kind, rng.uniform(0.0, options.seconds)) for number, kind in enumerate(kinds)]
    return sorted(plans, key=lambda plan: -plan.at)


def main() -> int:
    """Run all trials, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=100, help="runs that are killed")
    parser.add_argument("--terms", type=int, default=50, help="runs that get SIGTERM")
    parser.add_argument("--seconds", type=float, default=30.0, help="latest time of a signal")
    parser.add_argument("--more", type=float, default=3.0, help="seconds for which a run continues")
    parser.add_argument("--variables", type=int, default=100)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--method", default="auto")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="trials at a time")
    parser.add_argument("--learn", nargs=argparse.REMAINDER, default=[], help="further options of learn: --workers 2")
    options = parser.parse_args()
    data = bnsearch.random_network(options.variables, 3.0, 3, options.seed).sample(options.rows, options.seed)
    plans, failures = make_plans(options), 0
    with ThreadPoolExecutor(options.jobs) as threads:
        running = {threads.submit(run_trial, plan, data, options): plan for plan in plans}
        for future in as_completed(running):
            good, report = future.result()
            failures += not good
            print(f"{running[future].number:3} {'ok  ' if good else 'FAIL'} {report}", flush=True)
    print(f"{len(plans)} runs, {failures} failures")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())
