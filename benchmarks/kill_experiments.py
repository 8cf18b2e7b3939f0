"""
Kill an experiment at random times, and compare its results with those of an uninterrupted one.

The experiment runs in processes of its own under a budget of iterations. After each kill (SIGKILL) the same command
continues it. No result file may change after it was written, and both reports must be equal.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PLAN = """
budgets = [{ iterations = 200 }]
measures = ["score", "shd", "evaluations"]
methods = ["hillclimb", "tabu"]
seeds = { first = 1, count = 20 }
sources = [{ network = "greenhouse", rows = [200, 400, 800], sample_seeds = [1, 2] }]
"""


def start(plan: Path, out: Path, options: list[str]) -> subprocess.Popen[bytes]:
    """Start the experiment."""
    return subprocess.Popen(
        [sys.executable, "-m", "bnsearch", "experiment", str(plan), "-o", str(out), "--quiet", *options]
    )


def list_results(out: Path) -> dict[str, int]:
    """Return the time of each result file by its name."""
    return {file.name: file.stat().st_mtime_ns for file in out.glob("results/[!.]*.json")}


def kill_at_random(plan: Path, out: Path, options: list[str], seconds: float, rng: random.Random) -> tuple[int, int]:
    """Run the experiment for a random time, and kill it; return the numbers of results and of changed ones."""
    before = list_results(out)
    process = start(plan, out, options)
    time.sleep(rng.uniform(0.0, seconds))
    process.kill()
    process.wait()
    time.sleep(0.3)  # workers end with their parent
    after = list_results(out)
    return len(after), sum(after.get(name) != written for name, written in before.items())


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10.0, help="longest time until a kill")
    parser.add_argument("--workers", type=int, default=0, help="processes; 0 runs the cells in one process")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    options = ["--workers", str(arguments.workers)] if arguments.workers else []
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        plan, killed, whole = (Path(folder, name) for name in ("plan.toml", "killed", "whole"))
        plan.write_text(PLAN)
        lost = 0
        for number in range(arguments.kills):
            total, changed = kill_at_random(plan, killed, options, arguments.seconds, rng)
            lost += changed
            print(f"kill {number + 1}: {total} results, {changed} of the earlier ones changed", flush=True)
        assert start(plan, killed, options).wait() == 0
        assert start(plan, whole, options).wait() == 0
        equal = all(
            (killed / name).read_bytes() == (whole / name).read_bytes() for name in ("report.md", "report.html")
        )
        print(f"{lost} results were lost; the reports are {'equal' if equal else 'DIFFERENT'}")


if __name__ == "__main__":
    main()
