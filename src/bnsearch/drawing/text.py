"""Drawings of small DAGs as indented text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bnsearch.graphs.dag import DAG


@dataclass(frozen=True)
class Strokes:
    """The parts of a drawing: a line to a child, to the last child, beside further children, and no line."""

    branch: str
    last: str
    line: str
    blank: str = "   "


UNICODE = Strokes("├─ ", "└─ ", "│  ")
ASCII = Strokes("|- ", "`- ", "|  ")


def draw_tree(dag: DAG, name: Callable[[int], str], strokes: Strokes = UNICODE) -> list[tuple[str, str]]:
    """
    Return the lines of a drawing that has every edge once, each as its indentation and its text.

    A child is in a line below its parent, indented. A variable with several parents has its children where it occurs
    first, and names its other parents there. Below its other parents it refers to this line.

    Parameters
    ----------
    dag : the graph
    name : function that returns the text of a variable, given its index
    strokes : the parts of the drawing
    """
    children: list[list[int]] = [[] for _ in dag.names]
    for child, parents in enumerate(dag.parents):
        for p in parents:
            children[p].append(child)
    roots = [x for x, parents in enumerate(dag.parents) if not parents]
    drawn: set[int] = set()
    lines: list[tuple[str, str]] = []
    # Entries are: the variable, its parent, the indentation of its line, and the indentation of its children.
    stack: list[tuple[int, int | None, str, str]] = [(root, None, "", "") for root in reversed(roots)]
    while stack:
        x, parent, indent, below = stack.pop()
        if x in drawn:
            lines.append((indent, f"{name(x)}, see above"))
            continue
        drawn.add(x)
        others = ", ".join(name(p) for p in dag.parents[x] if p != parent)
        lines.append((indent, f"{name(x)}, also from {others}" if others else name(x)))
        entries = [(y, x, line, deeper) for y, line, deeper in _indent_children(children[x], below, strokes)]
        stack += reversed(entries)
    return lines


def _indent_children(children: list[int], below: str, strokes: Strokes) -> Iterator[tuple[int, str, str]]:
    """Yield each child with the indentation of its line and of its own children."""
    for y in children[:-1]:
        yield y, below + strokes.branch, below + strokes.line
    for y in children[-1:]:
        yield y, below + strokes.last, below + strokes.blank
