"""Checks of what a graph is made from: names, pairs of names, matrices, networkx graphs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bnsearch._tools.wording import listed
from bnsearch.errors import InputError

if TYPE_CHECKING:
    import networkx


def checked_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names as a tuple; refuse a name that is not text or occurs twice."""
    found = tuple(names)
    for name in found:
        if not isinstance(name, str):
            raise InputError(f"a variable's name must be text, not {name!r}")
    if len(set(found)) != len(found):
        twice = next(name for name, count in Counter(found).items() if count > 1)
        raise InputError(f"variable {twice!r} is named twice")
    return found


def indexed_pairs(names: Sequence[str], edges: Iterable[tuple[str, str]], *, mark: str = "->") -> list[tuple[int, int]]:
    """Turn edges over names into pairs of indices; `mark` stands for the edge in error messages."""
    index = {name: i for i, name in enumerate(names)}
    return [_indexed_pair(index, edge, mark) for edge in edges]


def _indexed_pair(index: Mapping[str, int], edge: tuple[str, str], mark: str) -> tuple[int, int]:
    try:
        tail, head = edge
    except (TypeError, ValueError):
        raise InputError(f"an edge is a pair of names, not {edge!r}") from None
    for name in (tail, head):
        if not isinstance(name, str) or name not in index:
            raise InputError(f"edge {tail!r} {mark} {head!r} names an unknown variable {name!r}")
    return index[tail], index[head]


def square_matrix(names: Sequence[str], matrix: ArrayLike) -> NDArray[np.bool_]:
    """Return a new matrix that is True where the given one is nonzero; refuse a wrong shape or type."""
    n = len(names)
    try:
        array = np.asarray(matrix)
    except ValueError:
        raise InputError(f"an adjacency matrix of {n} variables is {n} x {n}: its rows differ in length") from None
    if array.shape != (n, n):
        raise InputError(f"an adjacency matrix of {n} variables is {n} x {n}, not {array.shape}")
    if array.dtype.kind not in "buif":
        raise InputError(f"an adjacency matrix holds numbers or booleans, not {array.dtype}")
    if array.dtype.kind == "f" and np.isnan(array).any():
        i, j = np.argwhere(np.isnan(array))[0]
        raise InputError(f"the adjacency matrix has no number at {names[i]!r}, {names[j]!r}")
    return np.asarray(array != 0, dtype=bool)


def networkx_parts(graph: networkx.DiGraph) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the nodes and edges of a networkx DiGraph by their text; refuse any other graph."""
    import networkx

    if not isinstance(graph, networkx.Graph):
        raise InputError(f"expected a networkx DiGraph, not {type(graph).__name__}")
    if graph.is_multigraph():
        raise InputError("the networkx graph is a multigraph: convert it with networkx.DiGraph(graph)")
    if not graph.is_directed():
        raise InputError("the networkx graph is undirected: pass a DiGraph")
    return [str(v) for v in graph.nodes], [(str(u), str(v)) for u, v in graph.edges]


def require_same_variables(first: Collection[str], second: Collection[str]) -> None:
    """Refuse two lists of names that are not permutations of each other."""
    only_first, only_second = sorted(set(first) - set(second)), sorted(set(second) - set(first))
    sides = [
        f"{side} has {listed(names)}"
        for side, names in (("only the first", only_first), ("only the second", only_second))
        if names
    ]
    if sides:
        raise InputError(f"the graphs have different variables: {'; '.join(sides)}")
