"""Mutants of a source file: versions of it with one change each."""

from __future__ import annotations

import ast
import copy
import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from inspect import CO_NEWLOCALS, unwrap
from pathlib import Path
from types import CodeType
from typing import Any

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
            yield f"({ast.unparse(value)}).{EXCHANGED[name]}"
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
    """
    Return the ids of the nodes that no mutant changes.

    These are annotations, the arguments `strict` and `repr`, and calls that check parameters.
    """
    skipped: set[int] = set()
    for node in ast.walk(tree):
        parts = [getattr(node, "annotation", None), getattr(node, "returns", None)]
        if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(("require", "partial", "dataclass")):
            parts.append(node)
        if isinstance(node, ast.keyword) and node.arg in ("strict", "repr"):
            parts.append(node)
        skipped |= {id(inner) for part in parts if part is not None for inner in ast.walk(part)}
    return skipped


@dataclass(frozen=True)
class Mutant:
    """
    A changed source file.

    Parameters
    ----------
    path : the file, relative to the repository
    description : line, old text and new text
    text : the whole text of the file after the change
    """

    path: Path
    description: str
    text: bytes

    def find_function(self) -> tuple[str, CodeType] | None:
        """Return the qualified name of the changed function and its new code; None if the change is outside of any."""
        pairs = [(compile(text, str(self.path), "exec") for text in (self.path.read_bytes(), self.text))]
        functions: list[tuple[str, CodeType]] = []
        while pairs:
            old, new = pairs.pop()
            parts = [[each for each in code.co_consts if isinstance(each, CodeType)] for code in (old, new)]
            if describe(old, deep=True) == describe(new, deep=True):
                continue
            if is_function(new):
                functions.append((new.co_qualname, new))
            elif describe(old, deep=False) != describe(new, deep=False):
                return None
            else:
                pairs += zip(*parts, strict=True)
        return functions[0] if len(functions) == 1 and "<" not in functions[0][0] else None

    def patch(self) -> None:
        """Replace the code of the changed function in the loaded library."""
        found = self.find_function()
        assert found is not None
        target: Any = importlib.import_module(".".join(self.path.with_suffix("").parts[1:]))
        for name in found[0].split("."):
            target = vars(target)[name]
            for attribute in ("fget", "func", "__func__"):  # properties, cached properties, class methods
                target = getattr(target, attribute, target)
        unwrap(target).__code__ = found[1]


def is_function(code: CodeType) -> bool:
    """Return True for the code of a function, False for that of a class."""
    return bool(code.co_flags & CO_NEWLOCALS)


def describe(code: CodeType, *, deep: bool) -> tuple[Any, ...]:
    """Return what a code does, without its line numbers; not deep: without the functions and classes within."""
    constants = [
        (describe(each, deep=deep) if deep else None) if isinstance(each, CodeType) else repr(each)
        for each in code.co_consts
    ]
    return code.co_name, code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_flags, constants


def list_mutants(path: Path) -> Iterator[Mutant]:
    """Yield the mutants of a file."""
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
                changed = source[:begin] + text.encode() + source[end:]
                yield Mutant(path, f"{path}:{node.lineno}: {old} -> {text}", changed)
