"""The checkpoint of one run: a thread writes its state from time to time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from bnsearch.checkpoints import costs
from bnsearch.checkpoints.container import Container, Part
from bnsearch.checkpoints.costs import Cost
from bnsearch.checkpoints.run_state import RunRecorder

if TYPE_CHECKING:
    from bnsearch.checkpoints.identity import Identity
    from bnsearch.runs.result import Result
    from bnsearch.runs.run import Run

RUN, IDENTITY = "run", "identity"  # names of the parts that every checkpoint has
FIRST_WRITE, SECOND_WRITE = "first write", "second write"  # names of the costs of all parts of a write together
TOLERANCE = 1.0  # a part that is due within this number of seconds is written now, not at the next write

Provider = Callable[[], Part | None]


class Checkpoint:
    """
    The state of one run on disk.

    A method that has more state than its incumbent calls `take` for the saved part of an earlier run, if there is one,
    and `provide` with a function that returns its state. The function is called in another thread.

    Parameters
    ----------
    container : the files
    run : the run
    identity : input and settings of the run
    saved : parts of an earlier run that this one continues; empty if there is none

    Attributes
    ----------
    is_resumed : True if the run continues an earlier one
    """

    def __init__(self, container: Container, run: Run, identity: Identity, saved: dict[str, Part]) -> None:
        self._container, self._run, self._identity = container, run, identity
        self._recorder = RunRecorder(run)
        self._saved = saved
        self._names = [name for name in saved if name not in (RUN, IDENTITY)]  # parts to keep on disk
        self._providers: dict[str, Provider] = {}
        self._due: dict[str, float] = {}  # value of time.perf_counter() before which a part is not written again
        self._small: set[str] = set()  # parts that are written together with the incumbent
        self._ended = threading.Event()
        self._has_failed = False
        self.is_resumed = bool(saved)

    def take(self, name: str) -> Part | None:
        """Return a part of the earlier run and forget it; None if there is none, or if it was taken before."""
        return self._saved.pop(name, None)

    def damage_reported(self) -> AbstractContextManager[None]:
        """Return a context in which a saved part that cannot be restored is reported as a damaged checkpoint."""
        return self._container.damage_reported()

    def connect(self, name: str, restore: Callable[[Part], object], provider: Provider) -> bool:
        """
        Restore a part of the earlier run if there is one, and save it from now on; return True if it was restored.

        restore : function that continues from the saved part
        provider : as in `provide`
        """
        saved = self.take(name)
        if saved is not None:
            with self.damage_reported():
                restore(saved)
        self.provide(name, provider)
        return saved is not None

    def provide(self, name: str, provider: Provider, *, is_small: bool = False) -> None:
        """
        Save a part of the state from now on.

        provider : function that returns the part, or None if the saved part is still the best; called from any thread
        is_small : True if the part is about as small as the incumbent, and is written together with it
        """
        if is_small:
            self._small.add(name)
        self._providers[name] = provider
        if name not in self._names:
            self._names.append(name)

    def collect_parts(
        self, result: Result | None = None, *, only_due: bool = False, without: Collection[str] = ()
    ) -> dict[str, Part | None]:
        """
        Return the parts of the state by name; None means that the part on disk stays as it is.

        result : the result at the end of the run
        only_due : True if parts that are not due yet, or would take too long to write now, stay as they are on disk
        without : names of further parts that stay as they are
        """
        measure = self._container.meter.measure
        parts: dict[str, Part | None] = {IDENTITY: Part(self._identity)}
        for name in list(self._names):
            provider = self._providers.get(name)
            is_due = name not in without and (not only_due or self._is_due(name))
            with measure(name):
                part = None if provider is None or not is_due else provider()
                takes_too_long = only_due and part is not None and self._takes_too_long(name, part)
                parts[name] = None if takes_too_long else part
        with measure(RUN):
            parts[RUN] = self._recorder.describe(result)
        return parts

    def _is_due(self, name: str) -> bool:
        """Return True if the time of the next write of a part has come."""
        return time.perf_counter() >= self._due.get(name, 0.0)

    def _takes_too_long(self, name: str, part: Part) -> bool:
        """Return True if writing a part is expected to take too large a share of the time so far."""
        seconds = costs.SECONDS_PER_BYTE * self._container.count_new_bytes(name, part)
        # On a busy machine, the CPU time is shorter than the elapsed time.
        return seconds > costs.MAX_EXPECTED_SHARE * min(self._run.seconds, costs.read_cpu_seconds())

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write the state from time to time during the block, in a thread."""
        thread = threading.Thread(target=self._write_regularly, daemon=True, name="bnsearch checkpoint")
        thread.start()
        try:
            yield
        finally:
            self._ended.set()
            thread.join()

    def finish(self, result: Result) -> None:
        """Write the state at the end of the run."""
        self._ended.set()
        self._write(result)

    def _write_regularly(self) -> None:
        pause = min(costs.SECONDS_TO_FIRST_WRITE, costs.SECONDS_BETWEEN_WRITES)
        while not self._ended.wait(pause):
            pause = self.write_parts()

    def write_parts(self) -> float:
        """
        Write the parts that are due, and return the number of seconds until the next write.

        The incumbent and the small parts are written first, because the others may take seconds on a busy machine.
        """
        started, meter = time.perf_counter(), self._container.meter
        meter.costs.clear()
        large = [name for name in self._names if name not in self._small]
        with meter.measure(FIRST_WRITE):
            self._write(only_due=True, without=large)
        if any(name in self._providers and self._is_due(name) for name in large):
            with meter.measure(SECOND_WRITE):
                self._write(only_due=True)
        first, second = meter.costs.pop(FIRST_WRITE), meter.costs.pop(SECOND_WRITE, Cost())
        self._postpone_parts(started, large, second)
        # The next write begins early enough to end within the interval; it is expected to take as long as this one.
        interval = first.get_interval(costs.MAX_SHARE, costs.MAX_DISK_SHARE_OF_INCUMBENT)
        return max(0.0, interval - second.elapsed - 2.0 * first.elapsed)

    def _postpone_parts(self, started: float, large: Collection[str], second: Cost) -> None:
        """
        Set the times of the next writes of all parts.

        The time of the second write is divided among the large parts, in proportion to their own times.
        """
        of_parts = {name: self._container.meter.costs.get(name, Cost()) for name in self._names}
        elapsed = sum(of_parts[name].elapsed for name in large)
        for name, cost in of_parts.items():
            waited = cost.elapsed / elapsed * second.elapsed if name in large and elapsed > 0.0 else cost.elapsed
            interval = Cost(waited, cost.cpu).get_interval(costs.MAX_PART_SHARE, costs.MAX_DISK_SHARE)
            self._due[name] = max(self._due.get(name, 0.0), started + interval - TOLERANCE)

    def _write(self, result: Result | None = None, *, only_due: bool = False, without: Collection[str] = ()) -> None:
        """Write the state; if this fails, the run continues, and one note says so."""
        try:
            self._container.write(self.collect_parts(result, only_due=only_due, without=without))
        except Exception as error:  # no error of the checkpoint may end the run
            if not self._has_failed:
                self._has_failed = True
                why = getattr(error, "strerror", None) or str(error) or type(error).__name__
                self._run.remark(
                    f"writing the checkpoint {self._container.name} failed at least once ({why}); the run continued"
                )
