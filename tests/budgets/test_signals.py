"""SIGINT and SIGTERM as stop requests."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import bnsearch
from bnsearch.budgets.budget import Budget
from bnsearch.budgets.signals import interrupts_preserved, stop_on_signals

BOTH = (signal.SIGINT, signal.SIGTERM)


def handlers() -> list[object]:
    """Return the handlers of both signals."""
    return [signal.getsignal(number) for number in BOTH]


@pytest.mark.parametrize(("number", "reason"), list(zip(BOTH, ("interrupted", "terminated"), strict=True)))
def test_the_first_signal_requests_a_stop(number, reason):
    """The request has the reason of the signal; after the block the handlers are as before."""
    before = handlers()
    budget = Budget()
    with stop_on_signals(budget):
        signal.raise_signal(number)
        assert budget.request == reason
    assert handlers() == before


def test_a_second_interrupt_is_raised():
    """A second Ctrl-C raises KeyboardInterrupt, also if the first signal of the block was SIGTERM."""
    before = handlers()
    budget = Budget()
    with pytest.raises(KeyboardInterrupt), stop_on_signals(budget):
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        assert budget.request == "terminated"
        signal.raise_signal(signal.SIGINT)
    assert handlers() == before


def test_a_second_sigterm_ends_the_process():
    """The default handler is restored after the first SIGTERM."""
    code = """
import contextlib
import signal
from bnsearch.budgets.budget import Budget
from bnsearch.budgets.signals import stop_on_signals
with stop_on_signals(Budget()):
    signal.raise_signal(signal.SIGTERM)
    print("first", flush=True)
    signal.raise_signal(signal.SIGTERM)
    print("second", flush=True)
"""
    source = str(Path(bnsearch.__file__).parents[1])
    ended = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": source}, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (-signal.SIGTERM, "first\n")


def test_the_innermost_budget_is_stopped():
    """A signal in a nested block stops its budget; the outer handler is back afterwards."""
    outer, inner = Budget(), Budget()
    with stop_on_signals(outer):
        with stop_on_signals(inner):
            signal.raise_signal(signal.SIGINT)
        assert (inner.request, outer.request) == ("interrupted", None)
        signal.raise_signal(signal.SIGINT)
    assert outer.request == "interrupted"


@pytest.mark.parametrize("number", BOTH)
def test_other_handlers_stay(number):
    """A handler that the application has installed is not replaced."""
    received = []
    before = signal.signal(number, lambda *_: received.append(number))
    budget = Budget()
    try:
        with stop_on_signals(budget):
            signal.raise_signal(number)
    finally:
        signal.signal(number, before)
    assert (received, budget.request) == ([number], None)


def test_nothing_is_installed_in_another_thread():
    """The handlers are the same within the block."""

    def look() -> list[object]:
        with stop_on_signals(Budget()):
            return handlers()

    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(look).result() == handlers()


def lose_interrupt() -> None:
    """Receive Ctrl-C in code that drops the exception, as C code does that calls Python."""
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_lost_interrupt_is_raised_at_the_end():
    """KeyboardInterrupt follows at the end of the block, also in place of another error; then all is as before."""
    before = handlers()
    with pytest.raises(KeyboardInterrupt), interrupts_preserved():
        lose_interrupt()
    with pytest.raises(KeyboardInterrupt), interrupts_preserved():
        lose_interrupt()
        raise RuntimeError("no compiled object yet")
    with pytest.raises(KeyboardInterrupt), interrupts_preserved():
        signal.raise_signal(signal.SIGINT)
    assert handlers() == before


def test_other_errors_are_raised_without_an_interrupt():
    """An error of a block without Ctrl-C is raised; blocks can be nested, and contain one that stops on signals."""
    with pytest.raises(RuntimeError, match="no compiled object yet"), interrupts_preserved():
        raise RuntimeError("no compiled object yet")
    budget = Budget()
    with interrupts_preserved():
        with interrupts_preserved():
            pass
        with stop_on_signals(budget):
            signal.raise_signal(signal.SIGINT)
    assert budget.request == "interrupted"


def test_the_handler_of_an_application_stays():
    """A handler of the application receives the signal, also during the block."""
    seen = []
    before = signal.signal(signal.SIGINT, lambda *_: seen.append("signal"))
    try:
        with interrupts_preserved():
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == ["signal"]
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: list(interrupts_preserved().gen)).result() == [None]
