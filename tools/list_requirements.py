"""
Print the requirements of optional dependencies of this library, one in each line.

    python tools/list_requirements.py dev docs
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"


def list_requirements(extras: list[str]) -> list[str]:
    """Return the requirements of some optional dependencies, each of them once."""
    known = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    return sorted({requirement for extra in extras for requirement in known[extra]})


if __name__ == "__main__":
    print("\n".join(list_requirements(sys.argv[1:])))
