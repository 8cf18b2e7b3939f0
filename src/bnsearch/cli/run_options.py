"""Options that the commands which search for a network pass on in the same way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bnsearch.runs.result import Result


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """
    The options of a run that `learn` and `search` take.

    Attributes
    ----------
    seed, threads, within, checkpoint, restart : the options; see `options.py`
    quiet : True if no progress is shown
    """

    seed: int | None
    threads: int | None
    within: float | None
    checkpoint: Path | None
    restart: bool
    quiet: bool = False

    def run(self, function: Callable[..., Result], *arguments: Any, **others: Any) -> Result:
        """Return the result of a function of the library, which is called with these options and shows its progress."""
        from bnsearch.cli.progress import show_progress

        with show_progress(quiet=self.quiet) as observers:
            return function(
                *arguments,
                seed=self.seed,
                threads=self.threads,
                within=self.within,
                checkpoint=self.checkpoint,
                restart=self.restart,
                observers=observers,
                **others,
            )
