"""An interrupt that Python cannot raise, because it arrives in a callback, is neither printed nor lost."""

from __future__ import annotations

import signal
import sys

import pytest

from bnsearch.budgets.signals import interrupts_preserved


class Callback:
    """An object whose deletion runs some code, the exceptions of which Python only prints."""

    def __init__(self, code) -> None:
        self._code = code

    def __del__(self) -> None:
        self._code()


def test_an_interrupt_in_a_callback(monkeypatch):
    """It is raised at the end of the block; other exceptions of callbacks are still printed."""
    printed = []
    monkeypatch.setattr(sys, "unraisablehook", lambda lost: printed.append(lost.exc_type))
    before = sys.unraisablehook
    with pytest.raises(KeyboardInterrupt), interrupts_preserved():
        Callback(lambda: signal.raise_signal(signal.SIGINT))
        Callback(lambda: 1 // 0)
    assert printed == [ZeroDivisionError]
    assert sys.unraisablehook is before
