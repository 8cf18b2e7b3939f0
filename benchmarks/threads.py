"""
Measure the speed-up of selections and searches with several threads.

For each case and number of threads, the program prints the seconds (the least of several runs), the speed-up over one
thread, the CPU seconds, and whether the result is the same. CPU seconds that increase with the number of threads are
lost to shared caches and lower clock rates. No other programs should run at the same time. Tables are read from
BNSEARCH_DATA or ../shared/data. With --arrays they are read from files NAME.npz with the arrays `codes` (variables x
rows) and `arities`, for machines without polars.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bnsearch._tools.parallel import thread_count
from bnsearch.data import Dataset
from bnsearch.learning.methods import METHODS
from bnsearch.learning.search import search
from bnsearch.orderings.index import Index
from bnsearch.parent_sets import ParentSets
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Iterations, Stop
from bnsearch.scores import BIC
from bnsearch.selection import Auto, Builder, Greedy, Independence, Sequential

Outcome = tuple[float, ...]  # seconds, then values that must not depend on the number of threads
Case = Callable[[int], Outcome]


@dataclass(frozen=True)
class Tables:
    """The source of tables: a folder of arrays, or the public data."""

    folder: Path | None

    def load(self, name: str, variables: int | None = None) -> Dataset:
        """Return a table, or the table of its first variables."""
        if self.folder is None:
            from counting import load

            data = load(name)
            codes, arities = data.codes, data.arities
        else:
            arrays = np.load(self.folder / f"{name}.npz")
            codes, arities = arrays["codes"], arrays["arities"]
        return Dataset.from_codes(codes[:variables].T, arities=arities[:variables].tolist())

    def candidates(self, name: str, parents: int, variables: int | None = None) -> ParentSets:
        """Return the candidate table of all sets with at most `parents` members."""
        return Sequential(max_parents=parents).select(self.load(name, variables), BIC()).table


def selection(data: Dataset, builder: Builder) -> Case:
    """Return the case of a selection."""

    def run(threads: int) -> Outcome:
        found = builder.select(data, BIC(), threads=threads)
        return found.seconds, found.table.n_sets, float(found.table.scores.sum())

    return run


def index(table: ParentSets) -> Case:
    """Return the case of the index of the searches over orderings."""

    def run(threads: int) -> Outcome:
        begun = time.perf_counter()
        made = Index(table, threads=threads)
        slots = made.arrays[4]
        return time.perf_counter() - begun, made.n_slots, float(slots.sum())

    return run


def searching(problem: Problem, method: Method, stop: Stop | None = None) -> Case:
    """Return the case of a search under a budget of iterations."""

    def run(threads: int) -> Outcome:
        result = search(problem, method, stop=stop, seed=1, threads=threads)
        return result.seconds, result.score, result.evaluations

    return run


def cases(tables: Tables) -> dict[str, Callable[[], Case]]:
    """Return the cases by name; tables are read when their case is measured."""

    def on_data(name: str, method: str, stop: Stop | None = None, **parameters: int) -> Callable[[], Case]:
        return lambda: searching(Problem(data=tables.load(name, 60), score=BIC()), METHODS[method](**parameters), stop)

    def on_table(method: str, stop: Stop, **parameters: str) -> Callable[[], Case]:
        return lambda: searching(
            Problem(table=tables.candidates("accidents.test", 3)), METHODS[method](**parameters), stop
        )

    def selecting(name: str, builder: Builder) -> Callable[[], Case]:
        return lambda: selection(tables.load(name), builder)

    return {
        "sequential-accidents": selecting("accidents.test", Sequential(max_parents=3)),
        "sequential-baudio": selecting("baudio.train", Sequential(max_parents=3)),
        "sequential-bbc": selecting("bbc.test", Sequential(max_parents=2)),
        "sequential-bbc-train": selecting("bbc.train", Sequential(max_parents=2)),
        "index-baudio": lambda: index(tables.candidates("baudio.train", 3)),
        "auto-baudio": selecting("baudio.train", Auto(evaluations=18_000_000)),
        "auto-book": selecting("book.test", Auto(evaluations=80_000_000)),
        "greedy": selecting("jester.test", Greedy(evaluations=2_000_000)),
        "independence": selecting("jester.test", Independence(evaluations=500_000)),
        "exact": lambda: searching(Problem(table=tables.candidates("jester.test", 3, 24)), METHODS["exact"]()),
        "ilges": on_data("jester.test", "ilges", iterations=32),
        "vnges": on_data("jester.test", "vnges", Iterations(32)),
        "gresp": on_data("jester.test", "gresp", iterations=32),
        "hillclimb": on_data("jester.test", "hillclimb", restarts=32),
        "iinobs": on_table("iinobs", Iterations(808), counting="perturbations"),  # eight starts of 101 climbs
        "minobs": on_table("minobs", Iterations(12)),
    }


def measure(name: str, case: Case, numbers: list[int], repeats: int) -> None:
    """Print a line for each number of threads, one thread first."""
    case(max(numbers))  # compiles or loads the kernels
    alone: Outcome = ()
    for threads in numbers:
        best: Outcome = ()
        used = 0.0
        for _ in range(repeats):
            before = time.process_time()
            outcome = case(threads)
            if not best or outcome[0] < best[0]:
                best, used = outcome, time.process_time() - before
        alone = alone or best
        same = "same result" if best[1:] == alone[1:] else "ANOTHER RESULT"
        ratio = alone[0] / best[0]
        print(f"{name:22} {threads:3} threads {best[0]:8.3f} s {ratio:6.2f} x {used:8.2f} s CPU  {same}", flush=True)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="names of cases; all by default")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2, 4, thread_count(None)])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--arrays", type=Path, help="folder of .npz files, instead of the public tables")
    arguments = parser.parse_args()
    known = cases(Tables(arguments.arrays))
    for name in arguments.cases or known:
        if name not in known:
            parser.error(f"unknown case {name!r}; the cases are {', '.join(known)}")
        measure(name, known[name](), sorted(set(arguments.threads)), arguments.repeats)


if __name__ == "__main__":
    main()
