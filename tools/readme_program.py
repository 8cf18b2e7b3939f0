"""
Print the Python code of README.md as one program.

    python tools/readme_program.py [SECONDS]

All time budgets are SECONDS, 1 by default.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def make_program(seconds: str = "1") -> str:
    """Return the blocks of Python code, one after the other."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return re.sub(r"seconds=\d+", f"seconds={seconds}", "\n".join(blocks))


if __name__ == "__main__":
    print(make_program(*sys.argv[1:2]))
