"""Options that the commands which search for a network pass on in the same way, and their workers."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnsearch.cli.json_log import STDERR
from bnsearch.errors import InputError

if TYPE_CHECKING:
    from bnsearch.distributed.workers import Workers
    from bnsearch.runs.result import Result


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """
    The options of a run that `learn` and `search` take.

    Attributes
    ----------
    seed, threads, within, checkpoint, restart : the options; see `options.py`
    log : file of the log of events; "-" is stderr
    quiet : True if no progress is shown
    """

    seed: int | None
    threads: int | None
    within: float | None
    checkpoint: Path | None
    restart: bool
    log: Path | None = None
    quiet: bool = False

    @property
    def is_silent(self) -> bool:
        """True if no text is printed: with --quiet, or if the log goes to stderr."""
        return self.quiet or self.log == STDERR

    def run(self, function: Callable[..., Result], *arguments: Any, **others: Any) -> Result:
        """Call a function of the library with these options, show its progress, and return its result."""
        from bnsearch.cli.json_log import open_log
        from bnsearch.cli.progress import show_progress

        with open_log(self.log) as log, show_progress(quiet=self.is_silent) as observers:
            result = function(
                *arguments,
                seed=self.seed,
                threads=self.threads,
                within=self.within,
                checkpoint=self.checkpoint,
                restart=self.restart,
                observers=[*observers, log.observe],
                **others,
            )
            log.finish(result)
            return result


def start_workers(number: int | None, dask: str | None) -> AbstractContextManager[Workers | None]:
    """Return the workers of the options --workers and --dask, as a context that ends them; None if none is given."""
    if number is not None and dask is not None:
        raise InputError("--workers and --dask are both given: choose one of them")
    if number is None and dask is None:
        return nullcontext()
    from bnsearch.distributed.workers import DaskWorkers, ProcessWorkers

    return ProcessWorkers(number) if number is not None else DaskWorkers(str(dask))
