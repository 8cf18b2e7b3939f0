"""
Compare the speed of two checkouts of this repository, side by side on one thread.

    git worktree add ../old COMMIT
    python benchmarks/side_by_side.py ../old . --repeats 5
    python benchmarks/side_by_side.py ../old . ges-munin --repeats 1

Each case is a fixed amount of work: counting, orderings, equivalence classes, genetic algorithms and `learn`. A process
of its own runs a case in one checkout, once to load the kernels (`ges-munin`: a small case) and then once for the
measurement. The processes of the two checkouts alternate, so that both have the same load of the machine. The table has
the median of the CPU seconds of each, the ratio of the medians, the smallest and the largest ratio of a pair, and
whether the scores are equal.

Compile the kernels of both checkouts first: a change of a kernel file makes the first process compile for minutes.
The cases use names of `bnsearch` itself only, so that older checkouts can run them. `ges-munin` is run only if it is
named; it reads networks/munin.bif.gz from BNSEARCH_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

Work = Callable[[], float]  # returns a score, or another number that shows whether the results are the same


def sample_random(variables: int, rows: int) -> Any:
    """Return rows of a random network."""
    import bnsearch

    return bnsearch.random_network(variables, 2.0, 3, 1).sample(rows, 1)


def count_families() -> Work:
    """Return the work of scoring all families of up to four parents, 34 variables."""
    import bnsearch

    data = bnsearch.load_network("greenhouse").sample(10_000, 1)
    return lambda: float(bnsearch.Sequential(max_parents=4).select(data, bnsearch.BIC(), threads=1).table.scores.sum())


def search_orderings(method: str, iterations: int) -> Work:
    """Return the work of a method over a candidate table of 60 variables."""
    import bnsearch

    data = sample_random(60, 2000)
    table = bnsearch.Sequential(max_parents=2).select(data, bnsearch.BIC(), threads=1).table
    problem = bnsearch.Problem(table=table)
    rule = bnsearch.Iterations(iterations)
    return lambda: float(bnsearch.search(problem, method, stop=rule, seed=1, threads=1).score)


def learn_with(method: str, variables: int, rows: int, iterations: int | None, **parameters: object) -> Work:
    """Return the work of `learn` with a method; without iterations, the method runs to its end."""
    import bnsearch

    data, rule = sample_random(variables, rows), None if iterations is None else bnsearch.Iterations(iterations)
    options: dict[str, Any] = {"seconds": None, "stop": rule, "seed": 1, "threads": 1, "parameters": parameters}
    return lambda: float(bnsearch.learn(data, method=method, **options).score)


def run_ges_on_munin() -> Work:
    """Return the work of GES on 5,000 rows of munin under BDeu with the prior (`equivalence.py --large`)."""
    import bnsearch

    folder = Path(os.environ.get("BNSEARCH_DATA", Path(__file__).parents[1].parent / "shared" / "data"))
    data = bnsearch.read_network(folder / "networks" / "munin.bif.gz").sample(5000, 1)
    score = bnsearch.BDeu(ess=10, prior=True)
    return lambda: float(bnsearch.learn(data, method="ges", score=score, seconds=None, threads=1).score)


CASES: dict[str, Callable[[], Work]] = {
    "counting": count_families,
    "inobs": lambda: search_orderings("inobs", 3000),
    "minobs": lambda: search_orderings("minobs", 100),
    "rinobs": lambda: search_orderings("rinobs", 100_000),
    "ges": lambda: learn_with("ges", 200, 10_000, None),
    "ilges": lambda: learn_with("ilges", 50, 5000, 100),
    "miiga": lambda: learn_with("miiga", 37, 5000, None, generations=150),
    "cga": lambda: learn_with("cga", 37, 5000, None, generations=300),
    "tabu": lambda: learn_with("tabu", 200, 5000, 100_000),
    "learn": lambda: learn_with("auto", 60, 5000, 10_000),
    "learn-small": lambda: learn_with("auto", 17, 10_000, None),
    "ges-munin": run_ges_on_munin,
}
ON_REQUEST = ("ges-munin",)  # cases that take long


def measure(name: str) -> None:
    """Run a case twice, and print the CPU seconds and the score of the second time."""
    work = CASES[name]()
    if name in ON_REQUEST:
        learn_with("ges", 10, 100, None)()
    else:
        work()
    started = time.process_time()
    score = work()
    print(json.dumps({"seconds": time.process_time() - started, "score": score}))


def run_case(checkout: Path, name: str) -> dict[str, float]:
    """Run a case in a process with the library of a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve() / "src"), "NUMBA_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--measure", name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{checkout}: {name} failed:\n{done.stderr}")
    result: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return result


def compare(name: str, old: Path, new: Path, repeats: int) -> str:
    """Return the line of a case: the order of the two checkouts changes from pair to pair."""
    runs: dict[Path, list[dict[str, float]]] = {old: [], new: []}
    for number in range(repeats):
        for checkout in (old, new) if number % 2 == 0 else (new, old):
            runs[checkout].append(run_case(checkout, name))
    before, after = ([run["seconds"] for run in runs[checkout]] for checkout in (old, new))
    ratios = [b / a for a, b in zip(before, after, strict=True)]
    is_same = len({run["score"] for found in runs.values() for run in found}) == 1
    middle = f"{median(before):8.2f} {median(after):8.2f} {median(after) / median(before):6.2f}"
    return f"{name:12} {middle} {min(ratios):6.2f} {max(ratios):6.2f}  {'equal' if is_same else 'different'}"


def main() -> None:
    """Measure one case, or compare two checkouts."""
    parser = argparse.ArgumentParser(description="Compare the speed of two checkouts.")
    parser.add_argument("old", type=Path, nargs="?", help="folder of the old checkout")
    parser.add_argument("new", type=Path, nargs="?", default=Path(), help="folder of the new checkout")
    parser.add_argument("cases", nargs="*", default=[name for name in CASES if name not in ON_REQUEST])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--measure", metavar="CASE", choices=CASES, help="run one case in this process")
    arguments = parser.parse_args()
    if arguments.measure is not None:
        measure(arguments.measure)
        return
    if arguments.old is None or arguments.old.resolve() == arguments.new.resolve():
        parser.error("give the folders of two checkouts")
    print(f"{'case':12} {'old s':>8} {'new s':>8} {'ratio':>6} {'least':>6} {'most':>6}  scores")
    for name in arguments.cases:
        print(compare(name, arguments.old, arguments.new, arguments.repeats), flush=True)


if __name__ == "__main__":
    main()
