"""Random networks net(n, p, m) in which every edge has a minimum strength."""

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
"""Cells of one table from which the default of `max_parents` follows: m ** (parents + 1) is at most this number."""

MAX_TABLE_CELLS = 10_000_000
"""Cells of one table (80 MB); a structure with a larger table is drawn again."""

MAX_DRAWS = 100
"""Number of structures drawn before the pattern is rejected."""

EDGES = ("exact", "binomial")

CONCENTRATION = 0.5
"""Parameter of the Dirichlet distribution of the rows; below one, few states have most of the probability."""

UNIFORM_SHARE = 0.1
"""Share of the uniform distribution in every row; each of r states has at least probability UNIFORM_SHARE / r."""

MIN_STRENGTH = 0.1
"""Strength of an edge, see `compute_edge_strength`."""


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
    Return a random network with n variables, about p parents per variable and 2 to m states per variable.

    Parameters
    ----------
    n : int
        Number of variables, named x1, x2, ... (zero-padded); the numbers are unrelated to the edges.
    p : float
        Average number of parents.
    m : int
        Maximum number of states; the number of states of a variable is uniform over 2..m, and they are named 0, 1,
        ...
    seed : int or Generator
        Whole number or generator; the same seed produces the same network.
    max_parents : int, optional
        Maximum number of parents. None means no limit for "binomial" edges, otherwise the largest number with
        tables of at most 100,000 cells (15 for m = 2, 6 for m = 5).
    edges : str, default "exact"
        "exact" for round(p * n) edges, "binomial" for an edge between each pair with probability 2 p / n.

    Returns
    -------
    BayesianNetwork
        The network with its probability tables.

    Raises
    ------
    InputError
        If no network has these properties.

    Notes
    -----
    *Structure.* The variables are put in a random order. The parents of a variable are a uniform choice among the
    earlier variables. With "binomial" edges, the number of parents has a binomial distribution over the number of
    earlier variables, up to `max_parents`. With "exact" edges, each edge is assigned to a variable with a probability
    proportional to the number of earlier variables that are not yet its parents. All pairs are then about equally
    likely until a variable has `max_parents` parents. Structure and states are drawn again if a table would have more
    than ten million cells.

    *Tables.* The rows of a table are independent draws from a Dirichlet distribution with parameter 0.5. Each is mixed
    with 10 % of the uniform distribution, so that no state is nearly impossible and no variable is constant. A table is
    drawn again until the strength of each of its edges (`compute_edge_strength`) is at least 0.1. For a binary parent
    this means that its two states change the distribution of the child by at least 0.2 on average, in total variation.
    Only small tables need a second draw; a table of two rows and two states is accepted in two of three cases.

    References
    ----------
    Alonso, de la Ossa, Gámez & Puerta (2018), section 5.2.2, use n = 50 and 100, p = 1 and 2, m = 2 and 5. Their
    Table 2 has 48.6 (37 to 59), 98, 99 and 197.5 edges on average, p (n - 1), and up to 10 parents for m = 5, so their
    edges are "binomial". The procedure that draws the tables is ours; theirs is in a paper that they cite.

    Examples
    --------
    >>> import bnsearch
    >>> network = bnsearch.random_network(10, 1.5, 3, seed=1)
    >>> len(network.names), len(network.dag.edges)
    (10, 15)
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
    """Return a random graph and numbers of states whose tables have at most MAX_TABLE_CELLS cells."""
    for _ in range(MAX_DRAWS):
        dag, arities = _draw_structure(n, p, m, limit, edges, rng)
        if all(
            math.prod([arities[x], *(arities[parent] for parent in parents)]) <= MAX_TABLE_CELLS
            for x, parents in enumerate(dag.parents)
        ):
            return dag, arities
    raise InputError(
        f"{n} variables of up to {m} states with {p:g} parents on average and up to {limit} need tables of more than "
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
    Return the strength of the edge from the parent on axis `parent` of a table.

    It is the total-variation distance between the distribution of the child given all parents and the same distribution
    averaged over the states of this parent, on average over all configurations; 0 for a parent without effect.
    """
    away = np.abs(table - table.mean(axis=parent, keepdims=True)).sum(axis=-1) / 2
    return float(away.mean())


def _check_pattern(n: int, p: float, m: int, max_parents: int | None, edges: str) -> int:
    """Return the maximum number of parents; raise an InputError if a parameter is invalid."""
    for name, value in {"n": n, "m": m, "max_parents": max_parents}.items():
        if value is not None and not isinstance(value, int | np.integer):
            raise InputError(f"{name} must be a whole number, not {value!r}")
    require("n", n, at_least=1)
    require("p", p, at_least=0, below=math.inf)
    require("m", m, at_least=2, at_most=316)  # 316 squared is the largest square below DEFAULT_MAX_TABLE_CELLS
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
    """Return random numbers of parents by position in an order, at most `limit` each, with sum `edges`."""
    before = np.arange(n)
    most = np.minimum(before, limit)
    degrees = np.zeros(n, dtype=np.int64)
    while (left := edges - int(degrees.sum())) > 0:  # edges beyond the limit of a variable are assigned again
        free = np.where(degrees < most, before - degrees, 0)
        degrees = np.minimum(degrees + rng.multinomial(left, free / free.sum()), most)
    return degrees


def draw_table(parents: list[int], states: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return a random table whose edges are strong enough; `parents` are the numbers of states of the parents."""
    while True:
        rows = rng.dirichlet(np.full(states, CONCENTRATION), size=tuple(parents))
        table = (1 - UNIFORM_SHARE) * rows + UNIFORM_SHARE / states
        if all(compute_edge_strength(table, parent) >= MIN_STRENGTH for parent in range(len(parents))):
            return np.asarray(table)
