"""SIGINT (Ctrl-C) and SIGTERM as requests to stop."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bnsearch.budgets.budget import Budget

REASONS = {signal.SIGINT: "interrupted", signal.SIGTERM: "terminated"}
DEFAULTS: dict[signal.Signals, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


class StopHandler:
    """A signal handler that requests a stop, and restores the default handler for a second signal."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle a signal."""
        received = signal.Signals(number)
        self._budget.request_stop(REASONS[received])
        signal.signal(received, DEFAULTS[received])


class InterruptHandler:
    """
    A handler of SIGINT that raises KeyboardInterrupt and remembers the signal.

    Attributes
    ----------
    received : True if the signal has arrived
    """

    def __init__(self) -> None:
        self.received = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Handle the signal."""
        self.received = True
        raise KeyboardInterrupt


@contextmanager
def interrupts_preserved() -> Iterator[None]:
    """
    Raise KeyboardInterrupt at the end of the block if Ctrl-C arrived in it, whatever else the block raises.

    The compiler of kernels calls Python code from C code. An exception that is raised there is lost, and another error
    follows, such as "no compiled object yet". Python prints an interrupt that is lost in a callback of its own, such as
    one of an import; this is left out. A handler that the application has installed stays in place.
    """
    is_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT) if is_main else None
    if before is not signal.default_int_handler and not isinstance(before, InterruptHandler):
        yield
        return
    handler = InterruptHandler()
    print_lost = sys.unraisablehook

    def print_unless_interrupt(lost: sys.UnraisableHookArgs) -> None:
        if not issubclass(lost.exc_type, KeyboardInterrupt):
            print_lost(lost)

    signal.signal(signal.SIGINT, handler)
    sys.unraisablehook = print_unless_interrupt
    try:
        yield
    except Exception:
        if handler.received:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = print_lost
    if handler.received:
        raise KeyboardInterrupt


@contextmanager
def stop_on_signals(budget: Budget) -> Iterator[None]:
    """
    Install handlers of SIGINT and SIGTERM for the duration of the block: the first signal requests a stop.

    A second signal has its default effect. A handler that the application has installed stays in place. Blocks can be
    nested: the innermost budget is stopped. In a thread other than the main thread nothing is installed, because Python
    runs signal handlers in the main thread only.
    """
    before = {}
    if threading.current_thread() is threading.main_thread():
        for number, default in DEFAULTS.items():
            handler = signal.getsignal(number)
            if handler == default or isinstance(handler, StopHandler | InterruptHandler):
                before[number] = handler
    try:
        for number in before:
            signal.signal(number, StopHandler(budget))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
