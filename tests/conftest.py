"""Fixtures that every test may use."""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings

settings.register_profile("bnsearch", deadline=None, derandomize=True, max_examples=100)
settings.register_profile("few", parent=settings.get_profile("bnsearch"), max_examples=15)
settings.register_profile("compile", parent=settings.get_profile("bnsearch"), max_examples=1)
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "bnsearch")
settings.load_profile(PROFILE)

gc.set_threshold(100_000, 20, 20)  # with Python's defaults, garbage collection is a sixth of the time of compiling

# `make test` runs two parts of the tests. Part "checked" has all tests of the packages with kernels; its kernels check
# bounds. Part "release" has all other tests, and the properties (hypothesis) of those packages, each with one set of
# parameters and few examples; its kernels are those of the user. Without a part, all tests run.
PART = os.environ.get("BNSEARCH_TEST_PART")
TESTS = Path(__file__).parent
KERNEL_PACKAGES = (
    "counting", "scores", "selection", "exact", "orderings", "ondemand", "equivalence", "dags", "parent_sets",
    "genetic", "independence",
)  # fmt: skip
LONGEST = ("on_workers", "docs", "cli", "learning", *KERNEL_PACKAGES)  # packages whose tests take longest


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Ignore files and folders that are not in the part "checked"."""
    ignored = PART == "checked" and collection_path.parent == TESTS and collection_path.name not in KERNEL_PACKAGES
    return ignored or None


def pytest_collectstart(collector: pytest.Collector) -> None:
    """Choose the number of examples of a module before it is imported."""
    if PART == "release" and isinstance(collector, pytest.Module):
        settings.load_profile("few" if collector.path.parent.name in KERNEL_PACKAGES else PROFILE)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the tests of this part. Those that take longest come first, so that all processes end at the same time."""
    if PART == "release":
        deselect_repetitions(config, items)
    ranks = {package: rank for rank, package in enumerate(LONGEST)}
    items.sort(key=lambda item: ranks.get(item.path.parent.name, len(ranks)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """
    Let one process run all tests of a group, if there are several processes.

    A file is a group, so that its fixtures are made once. The tests of a package with kernels are one group, because
    they use the same kernels. One process compiles those that are not in the cache yet. Tests that start worker
    processes are one group, so that few of these run at the same time.

    The option `--dist loadgroup` is not used: pytest-xdist 3.8 with pytest 9.2 ignores the groups.
    """
    from xdist.scheduler import LoadScopeScheduling

    class GroupScheduling(LoadScopeScheduling):
        """The scheduler of `--dist loadscope` with other groups."""

        def _split_scope(self, nodeid: str) -> str:
            path = Path(nodeid.partition("::")[0])
            package = path.parent.name
            if package not in (*KERNEL_PACKAGES, "on_workers"):
                return str(path)
            return "counting" if package == "scores" else package

    return GroupScheduling(config, log)


def deselect_repetitions(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep, of the tests of the packages with kernels, the first set of parameters of each property."""
    first = {item.nodeid.partition("[")[0]: item for item in reversed(items)}
    kept, deselected = [], []
    for item in items:
        is_property = is_hypothesis_test(getattr(item, "function", None))
        is_first = first[item.nodeid.partition("[")[0]] is item
        repeated = item.path.parent.name in KERNEL_PACKAGES and not (is_property and is_first)
        (deselected if repeated else kept).append(item)
    config.hook.pytest_deselected(items=deselected)
    items[:] = kept


def pytest_configure() -> None:
    """Let Ctrl-C through: a shell that starts the suite in the background has it ignored, also by what tests start."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of public data sets, or skip where it is absent."""
    default = Path(__file__).parents[1].parent / "shared" / "data"
    folder = Path(os.environ.get("BNSEARCH_DATA", default))
    if not folder.is_dir():
        pytest.skip("no public data sets here (set BNSEARCH_DATA)")
    return folder
