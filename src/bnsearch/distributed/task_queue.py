"""Tasks on workers: submission, repetition of lost work, and results."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from typing import Any

from bnsearch.distributed.calls import Call, Done, Failed, Missing, perform
from bnsearch.distributed.parcels import Parcel
from bnsearch.distributed.workers import Workers
from bnsearch.errors import BnsearchError, InputError

MAX_LOSSES = 5  # number of times that a task is repeated after its worker was lost
POLL_SECONDS = 0.1  # time between two checks for a stop request


class WorkersLost(BnsearchError):  # noqa: N818  # the run ends with its best network, so this is no error for the user
    """A task was repeated several times, and its worker was lost each time."""


@dataclass(eq=False)
class Ticket:
    """
    A submitted task.

    Attributes
    ----------
    call : the call
    losses : number of times that its worker was lost
    value : its value, once it is done
    """

    call: Call
    losses: int = 0
    value: Any = field(default=None, repr=False)


class TaskQueue:
    """
    Tasks of one run on workers.

    Parameters
    ----------
    workers : the workers
    remark : called with a note for the user if a worker was lost
    """

    def __init__(self, workers: Workers, remark: Callable[[str], None]) -> None:
        self.workers, self._remark = workers, remark
        self._waiting: dict[Future[Any], Ticket] = {}
        self._done: SimpleQueue[Future[Any]] = SimpleQueue()  # futures in the order in which they were done

    def __enter__(self) -> TaskQueue:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()

    def __len__(self) -> int:
        return len(self._waiting)

    def submit(self, function: Callable[..., Any], task: Any, parcels: Sequence[Parcel] = ()) -> Ticket:
        """Submit a call of a function with a task and the values of parcels."""
        ticket = Ticket(Call(function, task, tuple(parcels)))
        self._send(ticket)
        return ticket

    def take(self, seconds: float) -> list[Ticket]:
        """Return the tickets that are done, after at most some seconds; none if no task is done until then."""
        finished: list[Ticket] = []
        lost: list[Ticket] = []
        has_broken = False
        for future, ticket in self._pop_done(seconds):
            try:
                answer = future.result()
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # executors raise their own errors, also CancelledError
                has_broken = has_broken or isinstance(error, BrokenExecutor)
                self._count_loss(ticket, error)
                lost.append(ticket)
                continue
            if self._accept(ticket, answer):
                finished.append(ticket)
        if has_broken:  # all tasks of a broken executor are lost, also those whose futures do not know it yet
            lost += list(self._waiting.values())
            self._waiting.clear()
            self._remark(self.workers.replace_executor())
        for ticket in lost:
            self._send(ticket)
        return finished

    def _pop_done(self, seconds: float) -> list[tuple[Future[Any], Ticket]]:
        """
        Remove and return the tasks that are done, after at most some seconds.

        Futures report their end to a queue, because `concurrent.futures.wait` takes time for each future that is not
        done.
        """
        deadline = time.monotonic() + max(0.0, seconds)
        done: list[tuple[Future[Any], Ticket]] = []
        while self._waiting:
            try:
                future = self._done.get(timeout=0.0 if done else max(0.0, deadline - time.monotonic()))
            except Empty:
                break
            if future in self._waiting:  # otherwise it was cancelled
                done.append((future, self._waiting.pop(future)))
        return done

    def take_all(self, going: Callable[[], bool]) -> Iterator[Ticket]:
        """Yield all tickets, each when it is done; stop early when `going()` returns False."""
        while self._waiting and going():
            yield from self.take(POLL_SECONDS)

    def map(
        self,
        function: Callable[..., Any],
        tasks: Iterable[Any],
        parcels: Sequence[Parcel] = (),
        going: Callable[[], bool] = lambda: True,
    ) -> list[Any] | None:
        """Return the values of a function for all tasks, in their order; None if `going()` returns False before."""
        tickets = [self.submit(function, task, parcels) for task in tasks]
        finished = {id(ticket) for ticket in self.take_all(going)}
        if not all(id(ticket) in finished for ticket in tickets):
            self.cancel()
            return None
        return [ticket.value for ticket in tickets]

    def cancel(self) -> None:
        """Cancel all tasks; the values of those that run already are not used."""
        for future in self._waiting:
            future.cancel()
        self._waiting.clear()

    def _send(self, ticket: Ticket) -> None:
        try:
            future = self.workers.submit(perform, ticket.call)
        except Exception as error:  # an executor that is broken or closed refuses a task in its own way
            self._count_loss(ticket, error)
            self._remark(self.workers.replace_executor())
            future = self.workers.submit(perform, ticket.call)
        self._waiting[future] = ticket
        future.add_done_callback(self._done.put)

    def _accept(self, ticket: Ticket, answer: Done | Missing | Failed) -> bool:
        """Return True if an answer has the value of a task; send the task again if the worker lacks data."""
        if isinstance(answer, Missing):
            parcels = [p.with_content() if p.key in answer.keys else p for p in ticket.call.parcels]
            ticket.call = replace(ticket.call, parcels=tuple(parcels))
            self._send(ticket)
            return False
        if isinstance(answer, Failed):
            self.cancel()
            if answer.is_input_error:
                raise InputError(answer.message)
            raise BnsearchError(f"a task failed on a worker: {answer.message}\n{answer.details}")
        ticket.value = answer.value
        return True

    def _count_loss(self, ticket: Ticket, error: BaseException) -> None:
        """Count a lost worker of a task; raise WorkersLost if the task was repeated too often."""
        ticket.losses += 1
        if ticket.losses > MAX_LOSSES:
            self.cancel()
            what = f"{type(error).__name__}: {error}".partition("\n")[0]
            raise WorkersLost(f"a task was lost {ticket.losses} times on its worker ({what})")
        time.sleep(min(POLL_SECONDS, 0.01 * 2**ticket.losses))
