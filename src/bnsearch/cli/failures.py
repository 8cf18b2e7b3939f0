"""What ends a command: an exit status, and one line on stderr where something went wrong."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import typer

from bnsearch.errors import BnsearchError

BUG = 1
BROKEN_PIPE = 1
BAD_INPUT = 2
INTERRUPTED = 130  # as a shell reports a process that Ctrl-C ended


def exit_code_of(command: Callable[[], object]) -> int:
    """Run a command of typer's (not standalone) and return the exit status; no exception gets through."""
    if sys.stderr is None:  # closed by the caller: nobody listens, and nothing must go to stdout instead
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  # until the process ends
    try:
        status = _flushed(command)
    except SystemExit as leaving:  # typer leaves so when the reader of its output has gone
        status = leaving.code
    except (KeyboardInterrupt, typer.Abort):
        status = INTERRUPTED
    except BrokenPipeError:
        _drop_output()
        status = BROKEN_PIPE
    except (BnsearchError, OSError, MemoryError) as error:
        status = _report(f"error: {_cause(error)}", BAD_INPUT)
    except BaseException as error:  # Rust code panics outside Exception
        status = _unexpected(error)
    return status if isinstance(status, int) else 0


def one_line(text: str) -> str:
    """Return a text with every character that could break the line or drive a terminal spelled out."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _flushed(command: Callable[[], object]) -> object:
    """Run a command and see its output off: a full disk must not show after the exit status is decided."""
    status = command()
    if sys.stdout is not None:
        try:
            sys.stdout.flush()
        except OSError:
            _drop_output()
            raise
    return status


def _drop_output() -> None:
    """Turn stdout to nowhere, or Python would try to write the rest when it exits, and complain."""
    with contextlib.suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _cause(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return "not enough memory; ask for less, or use a larger machine"
    if isinstance(error, OSError) and not isinstance(error, BnsearchError):
        return f"{error.filename or 'output'}: {error.strerror or error}"
    return str(error)


def _unexpected(error: BaseException) -> int:
    """Report an exception that is none of ours: wrong usage, which typer raises, or a bug."""
    format_message = getattr(error, "format_message", None)
    if format_message is not None:  # click's; older versions of typer import it, newer ones contain it
        context = getattr(error, "ctx", None)
        where = context.command_path if context else "bnsearch"
        return _report(f"error: {format_message().rstrip('.')} (see {where} --help)", BAD_INPUT)
    if os.environ.get("BNSEARCH_TRACEBACK"):
        with contextlib.suppress(OSError):
            traceback.print_exception(error)
    kind = type(error).__name__
    return _report(f"bug: {kind}: {error} (BNSEARCH_TRACEBACK=1 shows where; please report it)", BUG)


def _report(text: str, status: int) -> int:
    with contextlib.suppress(OSError):  # stderr is gone: the status still tells
        print(f"bnsearch: {one_line(text)}", file=sys.stderr)
    return status
