"""The synthetic benchmark net(n, p, m): random networks in which every edge matters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bnsearch.errors import InputError, require
from bnsearch.graphs.dag import DAG
from bnsearch.networks.network import BayesianNetwork
from bnsearch.networks.sampling import random_generator

TABLE_CELLS = 100_000
"""The most cells of one table: it sets the largest in-degree, m ** (parents + 1) <= TABLE_CELLS."""

CONCENTRATION = 0.5
"""The Dirichlet parameter of a table's rows; below one, rows lean towards few states."""

UNIFORM_SHARE = 0.1
"""The share of the uniform distribution in every row: no state of r is rarer than UNIFORM_SHARE / r."""

MIN_STRENGTH = 0.1
"""The least strength (see `edge_strength`) of an edge."""


def random_network(
    n: int, p: float, m: int, seed: int | np.random.Generator, *, max_parents: int | None = None
) -> BayesianNetwork:
    """
    Return a random network with n variables, round(p * n) edges and 2 to m states a variable.

    Parameters
    ----------
    n : number of variables, named x1, x2, ... (zero-padded); the numbers tell nothing about the edges
    p : average number of parents
    m : most states of a variable; each variable's number is uniform over 2..m, its states are 0, 1, ...
    seed : whole number or generator; the same seed gives the same network
    max_parents : largest in-degree; by default the largest that keeps every table within 100,000 cells
        (15 for m = 2, 6 for m = 5)

    Notes
    -----
    *Structure.* The variables are put in a random order. The edges fall on them in proportion to how many
    earlier variables each could still take as a parent, so that all pairs are about equally likely until the
    limit on the in-degree is met; the parents are a uniform choice among the earlier variables.

    *Tables.* The rows of a table are independent draws from a Dirichlet distribution with parameter 0.5, each
    mixed with a tenth of the uniform distribution: no state is nearly impossible, nor any variable constant.
    A table is drawn again until the strength of each of its edges is at least 0.1. The strength of an edge is
    how far, in total variation and on average over the parents' configurations, the distribution of the child
    moves when that parent's state becomes known beside the others' (`edge_strength`). For a binary parent it
    means that its two states change the child's distribution by at least 0.2 on average. Only small tables
    need a second draw; two rows of two states pass two times in three.

    References
    ----------
    Alonso, de la Ossa, Gámez & Puerta (2018), section 5.2.2, use n = 50 and 100, p = 1 and 2, m = 2 and 5.
    Their number of edges varies around p * n; here it is met exactly.
    """
    rng = random_generator(seed)
    limit = _largest_in_degree(n, p, m, max_parents)
    degrees = _in_degrees(n, round(p * n), limit, rng)
    order = rng.permutation(n)
    parents: list[list[int]] = [[] for _ in range(n)]
    for position, degree in enumerate(degrees.tolist()):
        if degree:
            parents[order[position]] = order[rng.choice(position, degree, replace=False)].tolist()
    names = [f"x{i:0{len(str(n))}d}" for i in range(1, n + 1)]
    dag = DAG(names, parents)
    arities = rng.integers(2, m + 1, size=n).tolist()
    tables = [_table([arities[parent] for parent in dag.parents[x]], arities[x], rng) for x in range(n)]
    return BayesianNetwork(dag, [[str(state) for state in range(r)] for r in arities], tables)


def edge_strength(table: NDArray[np.float64], parent: int) -> float:
    """
    Return how much the parent on an axis of a table tells about the child beside the other parents.

    It is the total-variation distance between the child's distribution given all parents and the one with
    this parent's state averaged out, on average over all configurations: 0 for a parent without effect.
    """
    away = np.abs(table - table.mean(axis=parent, keepdims=True)).sum(axis=-1) / 2
    return float(away.mean())


def _largest_in_degree(n: int, p: float, m: int, max_parents: int | None) -> int:
    """Check the pattern and return the limit on the number of parents."""
    for name, value in {"n": n, "m": m, "max_parents": max_parents}.items():
        if value is not None and not isinstance(value, int | np.integer):
            raise InputError(f"{name} must be a whole number, not {value!r}")
    require("n", n, at_least=1)
    require("p", p, at_least=0, below=math.inf)
    require("m", m, at_least=2, at_most=316)  # at 316 states a table with one parent is just within its bound
    limit = 1
    while m ** (limit + 2) <= TABLE_CELLS:
        limit += 1
    if max_parents is not None:
        require("max_parents", max_parents, at_least=0, at_most=limit)
        limit = max_parents
    room = int(np.minimum(np.arange(n), limit).sum())
    if round(p * n) > room:
        raise InputError(f"p must be at most {room / n:g} for {n} variables with up to {limit} parents, not {p!r}")
    return limit


def _in_degrees(n: int, edges: int, limit: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Spread the edges over the positions of an order: at most limit to each, and what stands before it."""
    before = np.arange(n)
    most = np.minimum(before, limit)
    degrees = np.zeros(n, dtype=np.int64)
    while (left := edges - int(degrees.sum())) > 0:  # what overflows a full variable is spread again
        free = np.where(degrees < most, before - degrees, 0)
        degrees = np.minimum(degrees + rng.multinomial(left, free / free.sum()), most)
    return degrees


def _table(parents: list[int], states: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw the table of a variable whose parents have so many states, until every edge is strong enough."""
    while True:
        rows = rng.dirichlet(np.full(states, CONCENTRATION), size=tuple(parents))
        table = (1 - UNIFORM_SHARE) * rows + UNIFORM_SHARE / states
        if all(edge_strength(table, parent) >= MIN_STRENGTH for parent in range(len(parents))):
            return np.asarray(table)
