"""Values of arguments and options that shells complete."""

from __future__ import annotations

import os
from collections.abc import Iterable


def complete_method(incomplete: str) -> list[str]:
    """Return the methods whose name begins with a text."""
    from bnsearch.learning.methods import METHODS

    return _filter(METHODS, incomplete)


def complete_score(incomplete: str) -> list[str]:
    """Return the scores whose name begins with a text."""
    from bnsearch.scores.named import SCORES

    return _filter(SCORES, incomplete)


def complete_network(incomplete: str) -> list[str]:
    """Return the networks and the files and folders whose name begins with a text; folders end with a slash."""
    from bnsearch.networks.named import list_networks

    folder, name = os.path.split(incomplete)
    try:
        with os.scandir(folder or ".") as entries:
            files = sorted(
                os.path.join(folder, entry.name) + "/" * entry.is_dir()  # noqa: PTH118  # the text is kept as it is
                for entry in entries
                if entry.name.startswith(name) and (name or not entry.name.startswith("."))
            )
    except OSError:
        files = []
    return [*_filter(list_networks(), incomplete), *files]


def _filter(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
