"""Graphs as an ordering and the connections along it (Dai et al. 2020, Eq. 11): any cut gives acyclic graphs."""

from __future__ import annotations

import numpy as np

from bnsearch.genetic.graph_stacks import Generator, Graphs, Ints, Orders, find_positions


def encode_connections(graphs: Graphs, orders: Orders) -> Graphs:
    """Return the connections of graphs along orderings: [position of the child, position of the parent]."""
    return renumber_variables(graphs, find_positions(orders))


def decode_connections(connections: Graphs, orders: Orders) -> Graphs:
    """Return the graphs that have these connections along the orderings: [child, parent]."""
    return renumber_variables(connections, orders)


def renumber_variables(graphs: Graphs, numbers: Ints) -> Graphs:
    """Return graphs with new numbers for the variables, [graph, variable]; the work depends on the edges alone."""
    graph, child, parent = np.nonzero(graphs)
    renumbered = np.zeros_like(graphs)
    renumbered[graph, numbers[graph, child], numbers[graph, parent]] = True
    return renumbered


def cross_orders(first: Orders, second: Orders, cut: Ints) -> Orders:
    """Return orderings that equal the first up to a cut, then list the missing variables in the second's order."""
    position = find_positions(first)
    after_cut = first.shape[1] + find_positions(second)
    return np.argsort(np.where(position < cut[:, None], position, after_cut), axis=1)


def cross_connections(first: Graphs, second: Graphs, cut: Ints) -> Graphs:
    """Return connections that equal the first up to a cut of the string, and the second from there on."""
    return np.where(number_connections(first.shape[1]) < cut[:, None, None], first, second)


def number_connections(n: int) -> Ints:
    """Return the place of each connection [child, parent] in the string a12 a13 a23 a14 ... (Eq. 11)."""
    child, parent = np.arange(n)[:, None], np.arange(n)[None, :]
    return child * (child - 1) // 2 + parent


def cross_both(first: tuple[Orders, Graphs], second: tuple[Orders, Graphs], rng: Generator) -> tuple[Orders, Graphs]:
    """
    Return offspring of pairs of orderings and graphs, by a random cut of the ordering and of the connections.

    The exchanged connections join positions, independently of the variables there.
    """
    number, n = first[0].shape
    orders = cross_orders(first[0], second[0], rng.integers(n + 1, size=number))
    before, after = (encode_connections(graphs, along) for along, graphs in (first, second))
    crossed = cross_connections(before, after, rng.integers(n * (n - 1) // 2 + 1, size=number))
    return orders, decode_connections(crossed, orders)
