"""
Run a command of bnsearch, and count the functions of the library that it calls, by package. Kernels are not counted.

    python tools/called_functions.py learn table.csv --seconds 10 --seed 1 -o network.bif

With `--names` before the command, the names are listed as well. Calls in threads are counted, those in other processes
are not.
"""

from __future__ import annotations

import inspect
import sys
import threading
from collections import defaultdict
from pathlib import Path
from types import CodeType, FrameType

import bnsearch

SOURCE = Path(bnsearch.__file__).parent


def is_function(code: CodeType) -> bool:
    """Return True for functions and methods; False for modules, class bodies, lambdas and comprehensions."""
    return (
        bool(code.co_flags & inspect.CO_NEWLOCALS and code.co_flags & inspect.CO_OPTIMIZED) and code.co_name[0] != "<"
    )


def is_kernel(path: Path) -> bool:
    """Return True if a file may contain kernels."""
    return path.name.startswith("kernels") or "kernels" in path.parts[:-1]


def count_calls(arguments: list[str]) -> dict[Path, set[str]]:
    """Run a command; return the names of the functions that were called, by file."""
    codes: set[CodeType] = set()

    def record(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    threading.setprofile(record)
    sys.setprofile(record)
    try:
        from bnsearch.cli.main import main

        main(arguments)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    found: dict[Path, set[str]] = defaultdict(set)
    for code in codes:
        path = Path(code.co_filename)
        if is_function(code) and path.is_relative_to(SOURCE) and not is_kernel(path.relative_to(SOURCE)):
            found[path.relative_to(SOURCE)].add(f"{getattr(code, 'co_qualname', code.co_name)}:{code.co_firstlineno}")
    return found


def main() -> None:
    """Print the number of functions and files of each package."""
    arguments = sys.argv[1:]
    with_names = bool(arguments) and arguments[0] == "--names"
    found = count_calls(arguments[1:] if with_names else arguments)
    packages: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(found):
        packages[path.parts[0]].append(path)
    print(f"{sum(map(len, found.values()))} functions in {len(found)} files")
    for package, files in sorted(packages.items(), key=lambda item: -sum(len(found[file]) for file in item[1])):
        print(f"{package:15} {sum(len(found[file]) for file in files):4} {len(files):4}")
        for file in files if with_names else ():
            print(f"    {file}: {', '.join(sorted(name.partition(':')[0] for name in found[file]))}")


if __name__ == "__main__":
    main()
