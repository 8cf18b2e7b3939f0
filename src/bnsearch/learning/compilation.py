"""
Compilation of kernels in several processes, before the first run.

Numba compiles in one thread. If the kernels of the default method are not in Numba's cache, `compile_missing` starts a
process for each core. A process compiles one group of kernels after the other, and the others read them from the cache.
After that, a file in the folder of the cache marks each group as compiled, so that later runs start no processes.
"""

from __future__ import annotations

import gc
import json
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from bnsearch._tools.parallel import thread_count
from bnsearch.learning.warm_up import load_kernels, load_scorer_kernels, load_table_kernels, make_tiny_problem
from bnsearch.runs.method import Method
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations

PROGRAM = "import sys; sys.path[:] = {path!r}; from bnsearch.learning.compilation import serve; serve()"
KERNEL, DONE = "kernel", "done"  # lines of a worker: one more kernel is compiled; the group is finished
POLL_SECONDS = 0.2  # time between two reports of progress


def compile_chain(problem: Problem) -> None:
    """Compile the kernels of a chain of GINOBS, without those of its start."""
    from bnsearch.dags.lazy_climber import LazyClimber
    from bnsearch.ondemand.chain import OnDemandChain
    from bnsearch.ondemand.source import Source

    source = Source(problem)
    chain = OnDemandChain(source, np.uint64(1), 1 << 22)
    chain.cache_rows_of(LazyClimber(problem, source.pairs, source.limits))
    chain.start_at(np.arange(problem.size, dtype=np.int32), lambda: False)


def compile_climb(problem: Problem) -> None:
    """Compile the kernels of tabu search over DAGs; it gives the first network, so nothing else is compiled."""
    from bnsearch.dags.hillclimb import Tabu

    Tabu().search(problem, Run(Iterations(3), seed=0))


def compile_lazy_climb(problem: Problem) -> None:
    """Compile the kernels of the first climb over DAGs."""
    from bnsearch.dags.lazy_climber import LazyClimber
    from bnsearch.dags.pair_gains import compute_pair_gains

    limits = np.full(problem.size, problem.size - 1)
    climber = LazyClimber(problem, compute_pair_gains(problem), limits)
    climber.start(problem.base.parents)
    next(climber.climb())


def compile_scorer(problem: Problem) -> None:
    """Compile the kernels that score single families."""
    load_scorer_kernels(problem)


def compile_table_search(problem: Problem) -> None:
    """Compile the kernels of RINOBS."""
    from bnsearch.orderings.rinobs import RINOBS

    load_kernels(problem, RINOBS())


def compile_selection(problem: Problem) -> None:
    """Compile the kernels of candidate selection."""
    from bnsearch.learning.candidates import load_selection_kernels

    load_selection_kernels(problem, 1)


def compile_class_search(problem: Problem) -> None:
    """Compile the kernels of GES."""
    from bnsearch.equivalence.ges import GES

    load_kernels(problem, GES())


def compile_bounds(problem: Problem) -> None:
    """Compile the kernels of upper bounds."""
    from bnsearch.exact.warm_up import load_bound_kernels

    load_bound_kernels()


def compile_cuts(problem: Problem) -> None:
    """Compile the kernels of branch and cut, if its solver is installed."""
    from bnsearch.exact.method import Exact

    Exact().load_rare_kernels(problem)


def compile_subsets(problem: Problem) -> None:
    """Compile the kernels that count all subsets of the variables."""
    from bnsearch.selection.subsets import Subsets

    Subsets().load_kernels(problem.needed_data, 1, None)


def compile_dynamic_programming(problem: Problem) -> None:
    """Compile the kernels of dynamic programming over a candidate table."""
    from bnsearch.exact.method import Exact

    load_table_kernels(Exact(), rare=False)


GROUPS: dict[str, Callable[[Problem], None]] = {  # groups of the default method, those that take longest first
    "chain": compile_chain,
    "climb": compile_climb,
    "lazy": compile_lazy_climb,
    "classes": compile_class_search,
    "scorer": compile_scorer,
    "selection": compile_selection,
    "table": compile_table_search,
    "bounds": compile_bounds,
    "cuts": compile_cuts,
    "subsets": compile_subsets,
    "dynamic": compile_dynamic_programming,
}


def choose_groups(method: Method, problem: Problem, run: Run) -> tuple[str, ...]:
    """
    Return the groups of kernels that a run of a method needs, those that take longest first.

    A method names them by its attribute `kernel_groups`, or chooses them for a run by `choose_kernel_groups`.
    """
    if problem.data is None or problem.has_python_score:
        return ()
    choose = getattr(method, "choose_kernel_groups", None)
    groups: tuple[str, ...] = choose(problem, run) if choose else getattr(type(method), "kernel_groups", ())
    return groups


def compile_missing(
    problem: Problem, groups: Sequence[str], report: Callable[[int], None], on_group: Callable[[str], None]
) -> None:
    """
    Compile the groups of kernels that are not marked as compiled, in processes.

    Parameters
    ----------
    problem : the problem, with data
    groups : names of groups, those that take longest first
    report : called with the number of kernels compiled so far
    on_group : called with the name of each group that is compiled

    Notes
    -----
    If a process fails, its kernels are compiled in this process when they are used.
    """
    missing = list_missing(problem, groups)
    if len(missing) < 2 or not sys.executable:
        return
    kind = problem.needed_data.codes.dtype.itemsize, problem.needed_score.equivalent
    for group in _run_workers(min(thread_count(None), len(missing)), missing, kind, report):
        on_group(group)


def list_missing(problem: Problem, groups: Sequence[str]) -> list[str]:
    """Return the groups of kernels that are not marked as compiled; none without a cache."""
    if not groups:
        return []
    kind = problem.needed_data.codes.dtype.itemsize, problem.needed_score.equivalent
    markers = {group: _find_marker(group, *kind) for group in groups}
    return [group for group, marker in markers.items() if marker is not None and not marker.exists()]


def compile_group(name: str, problem: Problem) -> None:
    """Compile a group of kernels in this process, and mark it as compiled."""
    GROUPS[name](problem)
    marker = _find_marker(name, problem.needed_data.codes.dtype.itemsize, problem.needed_score.equivalent)
    if marker is not None:
        with suppress(OSError):  # without a marker, the next run starts processes again
            marker.touch()


def _find_marker(group: str, bytes_per_code: int, equivalent: bool) -> Path | None:
    """
    Return the file that marks a group as compiled; None without a cache.

    Kernels depend on the type of the codes, and some on whether the score is score-equivalent.
    """
    from bnsearch.kernels.cache import describe_cache

    folder, digest = describe_cache()
    name = f"{group}-{bytes_per_code}-{'sets' if equivalent else 'families'}-{digest[:24]}.compiled"
    return None if folder is None else folder / name


def _run_workers(
    number: int, groups: Sequence[str], kind: tuple[int, bool], report: Callable[[int], None]
) -> Iterator[str]:
    """Compile groups in a number of processes; yield each group when it is finished."""
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    finished: queue.SimpleQueue[str] = queue.SimpleQueue()
    for group in groups:
        waiting.put(group)
    compiled = [0] * number
    with _start_workers(number) as workers:

        def feed(index: int) -> None:
            """Give a worker one group after the other, and read its lines."""
            worker = workers[index]
            assert worker.stdin is not None and worker.stdout is not None
            with suppress(OSError, queue.Empty):
                worker.stdin.write(json.dumps(kind) + "\n")
                while True:
                    group = waiting.get_nowait()
                    worker.stdin.write(group + "\n")
                    worker.stdin.flush()
                    for line in worker.stdout:
                        if line.strip() == DONE:
                            finished.put(group)
                            break
                        compiled[index] += 1
                    else:
                        return  # the worker has ended
                worker.stdin.close()

        threads = [threading.Thread(target=feed, args=(index,), daemon=True) for index in range(number)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads) or not finished.empty():
            report(sum(compiled))
            with suppress(queue.Empty):
                yield finished.get(timeout=POLL_SECONDS)


@contextmanager
def _start_workers(number: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Start worker processes, which end with the block."""
    command = [sys.executable, "-c", PROGRAM.format(path=sys.path)]
    pipe = subprocess.PIPE
    workers: list[subprocess.Popen[str]] = []
    try:
        workers.extend(
            subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
            for _ in range(number)
        )
        yield workers
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
            for stream in (worker.stdin, worker.stdout):
                if stream is not None:
                    with suppress(OSError):
                        stream.close()


def serve() -> None:
    """Compile the groups that are named on stdin; this is the main function of a worker."""
    from bnsearch.kernels import linking
    from bnsearch.scores import BIC, K2

    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends a worker without a traceback
    gc.set_threshold(100_000, 20, 20)  # with Python's defaults, garbage collection would be a tenth of the time

    def write(line: str) -> None:
        print(line, flush=True)

    linking.compiled_observers.append(lambda: write(KERNEL))
    bytes_per_code, equivalent = json.loads(sys.stdin.readline())
    problem = make_tiny_problem(bytes_per_code, BIC() if equivalent else K2())
    for line in sys.stdin:
        compile_group(line.strip(), problem)
        write(DONE)
