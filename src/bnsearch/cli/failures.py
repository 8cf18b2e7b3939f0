"""Exit statuses and error messages of commands."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import typer

from bnsearch.budgets.signals import interrupts_preserved
from bnsearch.errors import BnsearchError

BUG = 1
BROKEN_PIPE = 1
BAD_INPUT = 2
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
TERMINATED = 143  # 128 + SIGTERM

NEEDED_BYTES = 2**28  # the libraries that a command loads take about this much memory
OUT_OF_MEMORY = (  # parts of the messages of libraries whose memory is exhausted
    "cannot allocate memory",
    "failed to map segment",
    "can't start new thread",
    "can't spawn worker thread",
    "out of memory",
    "unable to allocate",
)


def exit_code_of(command: Callable[[], object]) -> int:
    """Run a typer command (not standalone) and return its exit status; every exception is handled."""
    if sys.stderr is None:  # closed by the caller: errors must not go to stdout instead
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # stays open until the process ends
    try:
        status = _run_and_flush(command)
    except SystemExit as leaving:  # raised by typer if the reader of its output has exited
        status = leaving.code
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        status = BROKEN_PIPE
    except BnsearchError as error:
        status = _report(f"error: {error}", BAD_INPUT)
    except BaseException as error:  # panics of Rust code are not an Exception
        status = _report_unexpected(error)
    return status if isinstance(status, int) else 0


@contextlib.contextmanager
def output_protected(stop: str) -> Iterator[None]:
    """
    Complete the block even if SIGINT or SIGTERM arrives, so that the output of finished work is not lost.

    The command exits with status 143 if SIGTERM arrived in the block or stopped the work before it.

    stop : reason why the work stopped
    """
    from bnsearch.budgets.budget import Budget
    from bnsearch.budgets.signals import stop_on_signals

    budget = Budget()
    with stop_on_signals(budget):
        yield
    if "terminated" in (stop, budget.request):
        raise typer.Exit(TERMINATED)


def one_line(text: str) -> str:
    """Return a text in which line breaks and control characters are escaped."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _run_and_flush(command: Callable[[], object]) -> object:
    """Run a command and flush its output, so that a full disk is noticed before the exit status is decided."""
    with interrupts_preserved():
        status = command()
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except OSError:
            _drop_output()
            raise
    return status


def _drop_output() -> None:
    """Redirect stdout to the null device: otherwise Python reports a further error when it flushes at exit."""
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


def _is_out_of_memory(error: BaseException) -> bool:
    """
    Return True if an error is due to a lack of memory.

    Libraries that cannot be loaded for this reason raise errors of many kinds, also a NameError. So a small amount of
    memory is requested, too.
    """
    if isinstance(error, MemoryError) or any(text in str(error).lower() for text in OUT_OF_MEMORY):
        return True
    try:
        bytearray(NEEDED_BYTES)
    except MemoryError:
        return True
    return False


def _report_unexpected(error: BaseException) -> int:
    """Report wrong usage, which typer raises, an error of the system, or another exception, which is a bug."""
    format_message = getattr(error, "format_message", None)
    if format_message is not None:  # an exception of click, which some versions of typer contain
        context = getattr(error, "ctx", None)
        where = context.command_path if context else "bnsearch"
        return _report(f"error: {format_message().rstrip('.')} (see {where} --help)", BAD_INPUT)
    if _is_out_of_memory(error):
        return _report(
            "error: not enough memory: use a smaller table or fewer threads (--threads), set a lower limit (--memory), "
            "or use a larger machine",
            BAD_INPUT,
        )
    if isinstance(error, OSError):
        return _report(f"error: {error.filename or 'output'}: {error.strerror or error}", BAD_INPUT)
    if os.environ.get("BNSEARCH_TRACEBACK"):
        with contextlib.suppress(OSError):
            traceback.print_exception(error)
    kind = type(error).__name__
    return _report(f"bug: {kind}: {error} (BNSEARCH_TRACEBACK=1 shows where; please report it)", BUG)


def _report(text: str, status: int) -> int:
    with contextlib.suppress(OSError):  # stderr is closed: the status still tells
        print(f"bnsearch: {one_line(text)}", file=sys.stderr)
    return status
