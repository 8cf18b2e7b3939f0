"""`bnsearch doctor`: facts about the installation and the machine."""

from __future__ import annotations

import os
import platform
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

from bnsearch._tools.memory import format_memory
from bnsearch.cli.console import align_columns, print_json, print_text
from bnsearch.cli.failures import one_line
from bnsearch.cli.options import Json

Facts = dict[str, Any]
_REQUIREMENT = re.compile(r"""^([\w.-]+)[^;]*(?:;.*extra\s*==\s*['"]([\w-]+)['"])?""")
DEVELOPMENT = {"dev", "browser", "peers"}  # extras for work on bnsearch itself


def doctor(as_json: Json = False) -> None:
    """
    Show versions, cores, memory, the cache of compiled kernels and installed extras, on stdout.

    Include this in reports of errors. Nothing is compiled or changed. A section that cannot be computed says why.

    Examples
    --------
    bnsearch doctor
    bnsearch doctor --json
    """
    sections: dict[str, Callable[[], Facts]] = {
        "versions": describe_versions,
        "machine": describe_machine,
        "kernels": describe_kernels,
        "extras": describe_extras,
    }
    facts = {title: _try_section(section) for title, section in sections.items()}
    if as_json:
        print_json(facts)
        return
    for title, values in facts.items():
        print_text(title)
        rows = [(f"  {name.replace('_', ' ')}", one_line(_format(name, value))) for name, value in values.items()]
        for line in align_columns(rows, right=False):
            print_text(line)


def _try_section(section: Callable[[], Facts]) -> Facts:
    """Return the facts of a section; if they cannot be computed, the error."""
    try:
        return section()
    except Exception as error:  # a broken installation is what this command is for
        return {"error": f"{type(error).__name__}: {error}"}


def describe_versions() -> Facts:
    """Return the versions of bnsearch, Python, the system and all required packages."""
    from bnsearch import __version__

    python = f"{platform.python_implementation()} {platform.python_version()}"
    facts = {"bnsearch": __version__, "python": python, "executable": sys.executable, "system": platform.platform()}
    return facts | {name: _find_version(name) for name, extra in _list_requirements() if extra is None}


def describe_machine() -> Facts:
    """Return cores and memory, with the limits of a container; sizes are in bytes."""
    from bnsearch._tools import machine
    from bnsearch._tools.memory import default_memory, machine_memory
    from bnsearch._tools.parallel import thread_count

    return {
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "usable_cores": thread_count(None),
        "core_quota": machine.find_core_quota(),
        "memory_bytes": machine_memory(),
        "memory_quota_bytes": machine.find_memory_quota(),
        "available_bytes": machine.find_available_memory(),
        "default_limit_bytes": default_memory(),
    }


def describe_kernels() -> Facts:
    """Return where compiled kernels are, how many there are, their size, and which groups the current version has."""
    from bnsearch.kernels.cache import describe_cache
    from bnsearch.learning.compilation import GROUPS
    from bnsearch.learning.compiled import list_cache_folders, list_compiled_groups

    folder, _ = describe_cache()
    sizes = [size for place in list_cache_folders() for size in _list_sizes(place)]
    compiled = list_compiled_groups()
    return {
        "folder": None if folder is None else str(folder),
        "writable": folder is not None and os.access(folder, os.W_OK),
        "files": len(sizes),
        "bytes": sum(sizes),
        "compiled_groups": compiled,
        "missing_groups": [group for group in GROUPS if group not in compiled],
    }


def describe_extras() -> Facts:
    """Return for each extra of bnsearch the versions of its packages; None if a package is missing."""
    extras: dict[str, dict[str, str | None]] = {}
    for name, extra in _list_requirements():
        if extra is not None and extra not in DEVELOPMENT:
            extras.setdefault(extra, {})[name] = _find_version(name)
    return dict(extras)


def _list_requirements() -> list[tuple[str, str | None]]:
    """Return the packages that bnsearch requires, each with the extra that needs it, None if it is always needed."""
    found = (_REQUIREMENT.match(text) for text in metadata.requires("bnsearch") or ())
    return [(match[1], match[2]) for match in found if match is not None]


def _find_version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _list_sizes(folder: Path) -> list[int]:
    """Return the sizes of the compiled kernels in a folder; files that are removed meanwhile are left out."""
    sizes = []
    for path in folder.glob("*.nbc"):
        with suppress(OSError):
            sizes.append(path.stat().st_size)
    return sizes


def _format(name: str, value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{package} {version or 'missing'}" for package, version in value.items())
    if isinstance(value, list):
        return ", ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    if name.endswith("bytes"):
        return f"{value:,} ({format_memory(value)})"
    return f"{value:,}" if isinstance(value, int | float) else str(value)
