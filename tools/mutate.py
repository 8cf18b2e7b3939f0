r"""
Change one thing at a time in some source files, run tests on each change, and list the changes that no test notices.

    python tools/mutate.py src/bnsearch/genetic/cga.py \
        -- -x tests/genetic/test_genetic_trajectories.py -- -x tests/genetic

Everything after `--` goes to pytest; after a further `--` follow the tests for mutants that pass the first ones. The
repository is copied to a folder for temporary files, and only the copy is changed. Tests run in forked processes in
which third-party packages are already loaded, so a run takes little longer than its tests. A survivor, a mutant that
passes all tests, shows a missing test, dead code, or a change without effect.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import copy
import importlib
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import cache_from_source
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).parents[1]
COPY = Path(tempfile.gettempdir()) / f"mutants_of_{ROOT.name}"  # always the same: compiled kernels are cached by path
PRELOADED = ("numpy", "numba", "scipy.special", "polars", "networkx", "pytest")  # not what pytest rewrites: hypothesis
OPERATORS: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Add,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr, ast.And: ast.Or, ast.Or: ast.And,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
EXCHANGED = {"min": "max", "max": "min", "argmin": "argmax", "argmax": "argmin", "any": "all", "all": "any"}


def mutate_node(node: ast.AST) -> Iterator[str]:
    """Yield changed versions of one node of a syntax tree, as text."""
    new = copy.deepcopy(node)
    match new:
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield from (str(value + 1), str(value / 2 if isinstance(value, float) else value - 1))
        case ast.Compare(ops=[first, *_]):
            new.ops[0] = OPERATORS[type(first)]()
            yield f"({ast.unparse(new)})"
        case ast.BinOp(op=op) | ast.BoolOp(op=op) if type(op) in OPERATORS:
            new.op = OPERATORS[type(op)]()
            yield f"({ast.unparse(new)})"
        case ast.UnaryOp(operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.Name(id=name) if name in EXCHANGED:
            yield EXCHANGED[name]
        case ast.Attribute(value=value, attr=name) if name in EXCHANGED:
            yield f"{ast.unparse(value)}.{EXCHANGED[name]}"
        case ast.IfExp(body=body, orelse=orelse):
            yield from (f"({ast.unparse(body)})", f"({ast.unparse(orelse)})")
        case ast.Call(func=function, args=[ast.Name() as first, ast.Name() as second, *rest], keywords=[]):
            yield ast.unparse(ast.Call(function, [second, first, *rest], []))
        case ast.AugAssign(op=op) if type(op) in OPERATORS:
            new.op = OPERATORS[type(op)]()
            yield from (ast.unparse(new), "pass")
        case ast.Expr(value=ast.Call(func=function)) if not ast.unparse(function).startswith("require"):
            yield "pass"
        case ast.Break() | ast.Continue():
            yield "pass"


def find_skipped(tree: ast.AST) -> set[int]:
    """Return the ids of the nodes that no mutant changes: annotations, `strict=True`, calls that check parameters."""
    skipped: set[int] = set()
    for node in ast.walk(tree):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("require", "partial", "dataclass")):
            parts.append(node)
        if isinstance(node, ast.keyword) and node.arg == "strict":
            parts.append(node)
        skipped |= {id(inner) for part in parts if part is not None for inner in ast.walk(part)}
    return skipped


def list_mutants(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield a description and the whole text of each mutant of a file."""
    source = path.read_bytes()
    begin_of_line = [0]
    for line in source.splitlines(keepends=True):
        begin_of_line.append(begin_of_line[-1] + len(line))
    tree = ast.parse(source)
    skipped = find_skipped(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.expr | ast.stmt) and id(node) not in skipped:
            begin = begin_of_line[node.lineno - 1] + node.col_offset
            end = begin_of_line[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
            for text in mutate_node(node):
                old = " ".join(source[begin:end].decode().split())
                if text == old:
                    continue
                yield f"{path}:{node.lineno}: {old} -> {text}", source[:begin] + text.encode() + source[end:]


def run_tests(arguments: list[str], seconds: int) -> bool:
    """Return True if the tests pass in a forked process, False if they fail or take too long."""
    process = os.fork()
    if process == 0:
        signal.alarm(seconds)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        sys.path[:0] = [str(COPY / "src"), str(COPY / "tests")]
        os._exit(int(importlib.import_module("pytest").main(["-p", "no:cacheprovider", *arguments])))
    return os.waitpid(process, 0)[1] == 0


def main() -> int:
    """Run the tests on the mutants of the given files, and print the survivors."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[1])
    parser.add_argument("files", nargs="+", type=Path, help="source files, relative to the repository")
    parser.add_argument("--sample", type=int, help="number of mutants to draw at random; all by default")
    parser.add_argument("--seconds", type=int, default=120, help="limit on the tests of one mutant")
    own, *stages = ([*group] for is_end, group in groupby(sys.argv[1:], "--".__eq__) if not is_end)
    options = parser.parse_args(own)
    shutil.copytree(
        ROOT, COPY, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*", "__pycache__", "demo", "build", "dist")
    )
    os.chdir(COPY)
    compileall.compile_dir("src", quiet=2)
    sys.dont_write_bytecode = True  # bytecode is checked by size and time in seconds, too coarse for mutants
    for name in PRELOADED:
        importlib.import_module(name)
    if not all(run_tests(stage, 3600) for stage in stages):
        sys.exit("the tests fail without any change, so they cannot tell mutants apart")
    mutants = [(path, *mutant) for path in options.files for mutant in list_mutants(path)]
    if options.sample is not None:
        mutants = random.Random(0).sample(mutants, min(options.sample, len(mutants)))
    survivors, began = 0, time.monotonic()
    for path, description, text in mutants:
        original, times = path.read_bytes(), path.stat()
        Path(cache_from_source(str(path))).unlink(missing_ok=True)
        path.write_bytes(text)
        if all(run_tests(stage, options.seconds) for stage in stages):
            survivors += 1
            print(description, flush=True)
        path.write_bytes(original)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    print(f"{survivors} of {len(mutants)} mutants survived, {time.monotonic() - began:.0f} s")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
