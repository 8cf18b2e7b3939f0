"""`bnsearch compile`: compilation of the kernels before the first run."""

from __future__ import annotations

import time

from bnsearch.cli.console import note, print_json
from bnsearch.cli.options import Json, Quiet
from bnsearch.cli.progress import show_progress
from bnsearch.errors import InputError


def compile_command(quiet: Quiet = False, as_json: Json = False) -> None:
    """
    Compile the kernels of the default method now, instead of in the first run.

    Kernels are compiled once for each user, version of bnsearch and type of processor, on all cores, and stored in
    Numba's cache on disk. Use this command when you build a container, or before many runs start at the same time.
    It compiles for score-equivalent scores, such as BIC and BDeu, and for variables of up to 256 states.

    Examples
    --------
    bnsearch compile
    """
    from bnsearch.budgets.events import COMPILING, Event
    from bnsearch.budgets.signals import interrupts_preserved
    from bnsearch.kernels.cache import describe_cache, describe_missing_cache
    from bnsearch.learning.compilation import GROUPS, compile_group, compile_missing, list_missing
    from bnsearch.learning.warm_up import make_tiny_problem
    from bnsearch.scores import BIC

    missing = describe_missing_cache()
    if missing is not None:
        raise InputError(missing)
    started, compiled = time.perf_counter(), 0
    with show_progress(quiet=quiet) as observers, interrupts_preserved():

        def report(number: int) -> None:
            nonlocal compiled
            compiled = number
            for observer in observers:
                observer(Event(COMPILING, number, float("inf"), "kernels", None))

        problem = make_tiny_problem(1, BIC())
        compile_missing(problem, [*GROUPS], report, lambda group: None)
        for group in list_missing(problem, [*GROUPS]):  # a single group, or those of a process that failed
            report(compiled + 1)
            compile_group(group, problem)
    seconds, folder = time.perf_counter() - started, str(describe_cache()[0])
    if as_json:
        print_json({"compiled": compiled > 0, "seconds": seconds, "cache": folder})
    elif compiled:
        note(f"compiled the kernels in {seconds:.0f} s; they are cached in {folder}")
    else:
        note(f"nothing to compile: all kernels of the default method are cached in {folder}")
