"""Optional packages, which are imported on first use."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bnsearch.errors import InputError


def import_optional(module: str, extra: str) -> Any:
    """Return a module of an optional package; if it is missing, the error says how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise InputError(f"this needs {package} ({error}): pip install 'bnsearch[{extra}]'") from None
