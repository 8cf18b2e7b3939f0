"""The synthetic benchmark net(n, p, m): random networks in which every edge matters."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.registry import require_choice
from bnsearch.errors import InputError, require
from bnsearch.graphs.dag import DAG
from bnsearch.networks.network import BayesianNetwork
from bnsearch.networks.sampling import make_generator

DEFAULT_MAX_TABLE_CELLS = 100_000
"""The most cells of one table where nothing else is said: m ** (parents + 1) <= DEFAULT_MAX_TABLE_CELLS."""

MAX_TABLE_CELLS = 10_000_000
"""The most cells of one table in any case, 80 MB: what has a larger one is drawn again."""

MAX_DRAWS = 100
"""How often a structure is drawn before its pattern is refused."""

EDGES = ("exact", "binomial")

CONCENTRATION = 0.5
"""The Dirichlet parameter of a table's rows; below one, rows lean towards few states."""

UNIFORM_SHARE = 0.1
"""The share of the uniform distribution in every row: no state of r is rarer than UNIFORM_SHARE / r."""

MIN_STRENGTH = 0.1
"""The least strength (see `compute_edge_strength`) of an edge."""


def random_network(
    n: int,
    p: float,
    m: int,
    seed: int | np.random.Generator,
    *,
    max_parents: int | None = None,
    edges: str = "exact",
) -> BayesianNetwork:
    """
    Return a random network with n variables, about p edges and 2 to m states for each of them.

    Parameters
    ----------
    n : number of variables, named x1, x2, ... (zero-padded); the numbers tell nothing about the edges
    p : average number of parents
    m : most states of a variable; each variable's number is uniform over 2..m, its states are 0, 1, ...
    seed : whole number or generator; the same seed gives the same network
    max_parents : largest in-degree; None means no limit where edges are "binomial", and otherwise the largest
        that keeps every table within 100,000 cells (15 for m = 2, 6 for m = 5)
    edges : "exact" for round(p * n) edges, "binomial" for each pair of variables with probability 2 p / n

    Notes
    -----
    *Structure.* The variables are put in a random order. With "binomial" edges a variable's number of parents is
    binomial in the number of earlier variables, up to `max_parents`. With "exact" ones the edges fall on the
    variables in proportion to how many earlier variables each could still take as a parent, so that all pairs are
    about equally likely until the limit on the in-degree is met. The parents are a uniform choice among the earlier
    variables. Structure and states are drawn again while a table would have more than ten million cells.

    *Tables.* The rows of a table are independent draws from a Dirichlet distribution with parameter 0.5, each
    mixed with a tenth of the uniform distribution: no state is nearly impossible, nor any variable constant.
    A table is drawn again until the strength of each of its edges is at least 0.1. The strength of an edge is
    how far, in total variation and on average over the parents' configurations, the distribution of the child
    moves when that parent's state becomes known beside the others' (`compute_edge_strength`). For a binary parent it
    means that its two states change the child's distribution by at least 0.2 on average. Only small tables
    need a second draw; two rows of two states pass two times in three.

    References
    ----------
    Alonso, de la Ossa, Gámez & Puerta (2018), section 5.2.2, use n = 50 and 100, p = 1 and 2, m = 2 and 5. Their
    Table 2 has 48.6 (37 to 59), 98, 99 and 197.5 edges on average, p (n - 1), and up to 10 parents for m = 5: edges
    are "binomial" there. The procedure that draws the tables is ours: theirs is in a paper that they cite.
    """
    rng = make_generator(seed)
    require_choice("edges", edges, EDGES)
    limit = _check_pattern(n, p, m, max_parents, edges)
    dag, arities = _draw_bounded_structure(n, p, m, limit, edges, rng)
    tables = [draw_table([arities[parent] for parent in dag.parents[x]], arities[x], rng) for x in range(n)]
    return BayesianNetwork(dag, [[str(state) for state in range(r)] for r in arities], tables)


def _draw_bounded_structure(
    n: int, p: float, m: int, limit: int, edges: str, rng: np.random.Generator
) -> tuple[DAG, list[int]]:
    """Draw a graph and numbers of states whose tables are not too large."""
    for _ in range(MAX_DRAWS):
        dag, arities = _draw_structure(n, p, m, limit, edges, rng)
        if all(
            math.prod([arities[x], *(arities[parent] for parent in parents)]) <= MAX_TABLE_CELLS
            for x, parents in enumerate(dag.parents)
        ):
            return dag, arities
    raise InputError(
        f"{n} variables of up to {m} states with {p:g} parents on average and up to {limit} have tables of more than "
        f"{MAX_TABLE_CELLS:,} cells: choose a smaller p, m or max_parents"
    )


def _draw_structure(
    n: int, p: float, m: int, limit: int, edges: str, rng: np.random.Generator
) -> tuple[DAG, list[int]]:
    if edges == "exact":
        degrees = _draw_in_degrees(n, round(p * n), limit, rng)
    else:
        degrees = np.minimum(rng.binomial(np.arange(n), 2 * p / n), limit)
    order = rng.permutation(n)
    parents: list[list[int]] = [[] for _ in range(n)]
    for position, degree in enumerate(degrees.tolist()):
        if degree:
            parents[order[position]] = order[rng.choice(position, degree, replace=False)].tolist()
    names = [f"x{i:0{len(str(n))}d}" for i in range(1, n + 1)]
    return DAG(names, parents), rng.integers(2, m + 1, size=n).tolist()


def compute_edge_strength(table: NDArray[np.float64], parent: int) -> float:
    """
    Return how much the parent on an axis of a table tells about the child beside the other parents.

    It is the total-variation distance between the child's distribution given all parents and the one with
    this parent's state averaged out, on average over all configurations: 0 for a parent without effect.
    """
    away = np.abs(table - table.mean(axis=parent, keepdims=True)).sum(axis=-1) / 2
    return float(away.mean())


def _check_pattern(n: int, p: float, m: int, max_parents: int | None, edges: str) -> int:
    """Check the pattern and return the limit on the number of parents."""
    for name, value in {"n": n, "m": m, "max_parents": max_parents}.items():
        if value is not None and not isinstance(value, int | np.integer):
            raise InputError(f"{name} must be a whole number, not {value!r}")
    require("n", n, at_least=1)
    require("p", p, at_least=0, below=math.inf)
    require("m", m, at_least=2, at_most=316)  # at 316 states a table with one parent is just within its bound
    if max_parents is not None:
        require("max_parents", max_parents, at_least=0)
    if edges == "binomial":
        require("p", p, at_most=n / 2)
        return n if max_parents is None else max_parents
    limit = 1 if max_parents is None else max_parents
    while max_parents is None and m ** (limit + 2) <= DEFAULT_MAX_TABLE_CELLS:
        limit += 1
    room = int(np.minimum(np.arange(n), limit).sum())
    if round(p * n) > room:
        raise InputError(f"p must be at most {room / n:g} for {n} variables with up to {limit} parents, not {p!r}")
    return limit


def _draw_in_degrees(n: int, edges: int, limit: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Spread the edges over the positions of an order: at most limit to each, and what stands before it."""
    before = np.arange(n)
    most = np.minimum(before, limit)
    degrees = np.zeros(n, dtype=np.int64)
    while (left := edges - int(degrees.sum())) > 0:  # what overflows a full variable is spread again
        free = np.where(degrees < most, before - degrees, 0)
        degrees = np.minimum(degrees + rng.multinomial(left, free / free.sum()), most)
    return degrees


def draw_table(parents: list[int], states: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw the table of a variable whose parents have so many states, until every edge is strong enough."""
    while True:
        rows = rng.dirichlet(np.full(states, CONCENTRATION), size=tuple(parents))
        table = (1 - UNIFORM_SHARE) * rows + UNIFORM_SHARE / states
        if all(compute_edge_strength(table, parent) >= MIN_STRENGTH for parent in range(len(parents))):
            return np.asarray(table)
