"""Graphs as an ordering and the connections along it: a string that can be cut anywhere and stays acyclic."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnsearch.genetic.graphs import Generator, Graphs, Numbers, Orders, positions


def connections(graphs: Graphs, orders: Orders) -> Graphs:
    """Return graphs by place in the ordering: [place of the child, place of the parent]."""
    return renamed(graphs, positions(orders))


def graphs_of(connections: Graphs, orders: Orders) -> Graphs:
    """Return the graphs that have these connections along the orderings: [child, parent]."""
    return renamed(connections, orders)


def renamed(graphs: Graphs, names: Numbers) -> Graphs:
    """Return graphs with a new number for each variable, names : [number, variable]; few edges are little work."""
    graph, child, parent = np.nonzero(graphs)
    new = np.zeros_like(graphs)
    new[graph, names[graph, child], names[graph, parent]] = True
    return new


def cross_orders(first: Orders, second: Orders, cut: Numbers) -> Orders:
    """Return orderings that begin as the first up to a cut, and go on with the missing variables as in the second."""
    place = positions(first)
    return np.argsort(np.where(place < cut[:, None], place, first.shape[1] + positions(second)), axis=1)


def cross_connections(first: Graphs, second: Graphs, cut: Numbers) -> Graphs:
    """Return connections that are as in the first up to a cut of the string, and as in the second from there on."""
    return np.where(places_in_string(first.shape[1]) < cut[:, None, None], first, second)


def places_in_string(n: int) -> NDArray[np.int64]:
    """Return where each connection [child, parent] stands in the string a12 a13 a23 a14 ... (Dai et al., Eq. 11)."""
    child, parent = np.arange(n)[:, None], np.arange(n)[None, :]
    return child * (child - 1) // 2 + parent


def cross(first: tuple[Orders, Graphs], second: tuple[Orders, Graphs], rng: Generator) -> tuple[Orders, Graphs]:
    """
    Return offspring of pairs, each given as orderings and graphs, by a cut of both strings.

    What is exchanged are connections of places, whichever variables stand there.
    """
    number, n = first[0].shape
    orders = cross_orders(first[0], second[0], rng.integers(n + 1, size=number))
    strings = connections(first[1], first[0]), connections(second[1], second[0])
    crossed = cross_connections(*strings, rng.integers(n * (n - 1) // 2 + 1, size=number))
    return orders, graphs_of(crossed, orders)
