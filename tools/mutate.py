r"""
Change one thing at a time in some source files, run tests on each change, and list the changes that no test notices.

    python tools/mutate.py src/bnsearch/genetic/cga.py \
        -- tests/genetic/test_genetic_trajectories.py -- tests/genetic

Everything after `--` goes to pytest; after a further `--` follow the tests for mutants that pass the first ones. A
survivor, a mutant that passes all tests, shows a missing test, dead code, or a change without effect.

For each stage pytest collects the tests and runs them once, which loads all kernels. Then a forked process for each
mutant replaces the code of the changed function and runs the tests until one fails. For a mutant that is not inside a
function (a default, a constant of a module), a forked process imports the library with the changed text of that file.
No file is written, so compiled kernels are found in their cache. Processes that a test starts run the unchanged code.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from functools import _lru_cache_wrapper
from importlib.machinery import SourceFileLoader
from itertools import groupby
from pathlib import Path
from types import CodeType
from typing import Any

from mutants import Mutant, list_mutants

ROOT = Path(__file__).parents[1]
PRELOADED = ("numpy", "numba", "scipy.special", "polars", "networkx", "pytest")  # not what pytest rewrites: hypothesis


def is_ours(cached: Any) -> bool:
    """Return True for a cached function of the library."""
    return getattr(cached, "__module__", "").startswith("bnsearch")


def fork_and_wait(work: Callable[[], int]) -> int:
    """Do some work in a forked process; return its exit status."""
    process = os.fork()
    if process == 0:
        try:
            os._exit(work())
        finally:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def silence() -> None:
    """Discard all further output of this process."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)


class PatchedRuns:
    """
    Pytest plugin: run the tests once, then again in a forked process for each mutant.

    Parameters
    ----------
    mutants : the mutants to test
    survivors : file for the numbers of the mutants that pass
    """

    def __init__(self, mutants: list[Mutant], survivors: Path) -> None:
        self.mutants, self.survivors, self.seconds = mutants, survivors, 0.0
        self.caches: list[_lru_cache_wrapper[Any]] = []

    def pytest_runtestloop(self, session: Any) -> bool:
        """Run the tests without and with changes."""
        began = time.process_time()
        self.run_items(session)
        if session.testsfailed:
            return True
        self.seconds = 2 + 3 * (time.process_time() - began)  # a mutant may run forever
        self.caches = [each for each in gc.get_objects() if isinstance(each, _lru_cache_wrapper) and is_ours(each)]
        gc.freeze()  # otherwise a collection in a forked process would copy all memory
        passed = [i for i, mutant in enumerate(self.mutants) if self.is_survivor(mutant, session)]
        self.survivors.write_text(" ".join(map(str, passed)))
        return True

    def is_survivor(self, mutant: Mutant, session: Any) -> bool:
        """Return True if all tests pass."""

        def work() -> int:
            signal.setitimer(signal.ITIMER_PROF, self.seconds)
            signal.alarm(60 + int(10 * self.seconds))  # or wait forever
            for cached in self.caches:
                cached.cache_clear()
            mutant.patch()
            self.run_items(session)
            return int(session.testsfailed > 0)

        return fork_and_wait(work) == 0

    @staticmethod
    def run_items(session: Any) -> None:
        """Run tests until one fails."""
        for item, following in zip(session.items, [*session.items[1:], None], strict=True):
            session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if session.testsfailed:
                break


def find_survivors(mutants: list[Mutant], arguments: list[str]) -> list[Mutant]:
    """Return those of some mutants inside functions that pass some tests."""
    survivors = Path(tempfile.mkdtemp()) / "survivors"

    def work() -> int:
        silence()
        sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
        pytest = importlib.import_module("pytest")
        runs = PatchedRuns(mutants, survivors)
        return int(pytest.main(["-p", "no:cacheprovider", "--tb=no", *arguments], plugins=[runs]))

    fork_and_wait(work)
    if not survivors.exists():
        sys.exit("the tests fail without any change, so they cannot tell mutants apart")
    return [mutants[int(number)] for number in survivors.read_text().split()]


def passes_when_imported(mutant: Mutant, stages: list[list[str]], seconds: int) -> bool:
    """Return True if all tests pass in a process that imports the library with the change."""

    def work(arguments: list[str]) -> int:
        signal.alarm(seconds)
        silence()
        import_mutant(mutant)
        sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]
        return int(importlib.import_module("pytest").main(["-x", "-p", "no:cacheprovider", "--tb=no", *arguments]))

    return all(fork_and_wait(lambda stage=stage: work(stage)) == 0 for stage in stages)


def import_mutant(mutant: Mutant) -> None:
    """Make later imports of the changed file use the changed text."""
    changed, get_code = str(ROOT / mutant.path), SourceFileLoader.get_code

    def get_changed_code(loader: SourceFileLoader, name: str) -> CodeType | None:
        if loader.path == changed:
            return loader.source_to_code(mutant.text, changed)
        return get_code(loader, name)

    SourceFileLoader.get_code = get_changed_code


def main() -> int:
    """Run the tests on the mutants of the given files, and print the survivors."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[1])
    parser.add_argument("files", nargs="+", type=Path, help="source files, relative to the repository")
    parser.add_argument("--sample", type=int, help="number of mutants to draw at random; all by default")
    parser.add_argument("--seconds", type=int, default=120, help="limit on the tests of a mutant outside of functions")
    parser.add_argument("--inside", action="store_true", help="only mutants inside functions, which take less time")
    own, *stages = ([*group] for is_end, group in groupby(sys.argv[1:], "--".__eq__) if not is_end)
    options = parser.parse_args(own)
    os.chdir(ROOT)
    mutants = [mutant for path in options.files for mutant in list_mutants(path)]
    if options.sample is not None:
        mutants = random.Random(0).sample(mutants, min(options.sample, len(mutants)))
    began = time.monotonic()
    for name in PRELOADED:
        importlib.import_module(name)
    outside = [mutant for mutant in mutants if mutant.find_function() is None]
    remaining = [mutant for mutant in mutants if mutant not in outside]
    outside = [] if options.inside else outside
    for stage in stages:
        remaining = find_survivors(remaining, stage)
        print(
            f"{len(remaining)} mutants inside functions pass {' '.join(stage)}, {time.monotonic() - began:.0f} s",
            flush=True,
        )
    for mutant in remaining:
        print(mutant.description, flush=True)
    survivors = len(remaining)
    for mutant in outside:
        if passes_when_imported(mutant, stages, options.seconds):
            survivors += 1
            print(mutant.description, flush=True)
    print(f"{survivors} of {len(mutants)} mutants survived, {time.monotonic() - began:.0f} s")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
