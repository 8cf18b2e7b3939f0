"""Local cuts: the tightest inequalities over the parent sets of a few variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.exact.cuts import MAX_LOCAL_VARIABLES, Cut
from bnsearch.exact.linear_program import import_solver
from bnsearch.exact.support import Support

SIZES = tuple(range(4, MAX_LOCAL_VARIABLES + 1))  # with 3 variables, cluster inequalities are the only cuts
MIN_VIOLATION = 1e-4  # cuts that are violated by less are ignored
DIGITS = 5  # values that agree to this many digits have the same cuts
COEFFICIENT_DIGITS = 9  # coefficients are rounded, so that equal ones agree; the limit is computed afterwards
MAX_ROUNDS = 60  # rounds in which networks are added to the program of one cut


def find_local_cuts(
    support: Support,
    max_sets: int,
    failed: dict[bytes, int],
    halted: Callable[[], bool],
    min_value: float = 0.0,
    rng: np.random.Generator | None = None,
) -> list[Cut]:
    """
    Return local cuts that a solution violates, from at most `max_sets` sets of variables of each size.

    Parameters
    ----------
    support : the solution
    max_sets : maximum number of sets of each size
    failed : hash of the values for which there is no cut, by set of variables, so that none is searched twice; changed
    halted : function that returns True if the search should stop
    min_value : smaller values are left out of the linear program, which makes it faster; the coefficients of these
        parent sets are lifted
    rng : source of random numbers that change the order of the sets, so that repeated searches use others; None
        starts with the edges whose weights are most fractional

    Notes
    -----
    The networks of c variables span a polytope, and a violated cut is one of its facets. A linear program over the
    coefficients finds the facet with the largest violation. Its constraints, one for each network, are generated:
    dynamic programming finds the network that violates the coefficients most. Coefficients of parent sets that do not
    occur in the solution are lifted.

    References
    ----------
    Applegate, Bixby, Chvatal & Cook (2001), TSP cuts which do not conform to the template paradigm: local cuts.
    Cussens, Jarvisalo, Korhonen & Bartlett (2017), Bayesian network structure learning with integer programming:
    polytopes, facets and complexity.
    """
    cuts: list[Cut] = []
    edges, affinity = _rank_edges(support.weights, rng)
    for size in SIZES:
        for members in _choose_sets(edges, affinity, size, max_sets):
            if halted():
                return cuts
            values = project(support, members)
            key, state = members.tobytes(), hash(values.round(DIGITS).tobytes())
            if failed.get(key) == state:
                continue
            cut = separate_locally(values, members, min_value)
            if cut is None:
                failed[key] = state
            else:
                cuts.append(cut)
    return cuts


def _rank_edges(
    weights: NDArray[np.float64], rng: np.random.Generator | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the edges with a fractional weight, the largest such weights first, and the affinity of all pairs."""
    fractional = np.clip(np.minimum(weights, 1 - weights), 0, None)
    fractional += fractional.T
    affinity = fractional + 0.1 * (weights + weights.T)
    edges = np.argwhere(np.triu(fractional, 1) > MIN_VIOLATION)
    rank = fractional[edges[:, 0], edges[:, 1]]
    if rng is not None:
        rank *= rng.random(len(rank))
    return edges[np.argsort(-rank, kind="stable")], affinity


def _choose_sets(
    edges: NDArray[np.int64], affinity: NDArray[np.float64], size: int, max_sets: int
) -> Iterator[NDArray[np.int64]]:
    """Yield sets of variables: those of an edge, and others with a high affinity to them."""
    seen = set()
    for edge in edges.tolist():
        chosen = list(edge)
        total = affinity[chosen[0]] + affinity[chosen[1]]
        while len(chosen) < size:
            total[chosen] = -1.0
            chosen.append(int(np.argmax(total)))
            if total[chosen[-1]] <= 0:
                break
            total = total + affinity[chosen[-1]]
        key = tuple(sorted(chosen))
        if len(chosen) == size and len(set(chosen)) == size and key not in seen:
            seen.add(key)
            yield np.array(key)
            if len(seen) == max_sets:
                return


def separate_locally(values: NDArray[np.float64], members: NDArray[np.int64], min_value: float = 0.0) -> Cut | None:
    """
    Return a cut over some variables that their values in a solution violate; None if none is found.

    values : float64[c, 2^c], as in `project`
    min_value : as in `find_local_cuts`
    """
    large = np.where(values >= min_value, values, 0.0)
    weights = None if np.count_nonzero(large) < len(members) else find_facet(large)
    if weights is None:
        return None
    from bnsearch.exact.kernels_local_cuts import close_upwards, find_heaviest_network, lift_weights

    scratch = make_scratch(len(members))
    close_upwards(weights, scratch)
    lift_weights(weights, scratch)
    weights = weights.round(COEFFICIENT_DIGITS)
    limit = find_heaviest_network(weights, scratch)
    return Cut(members, 0, weights, limit) if np.vdot(weights, values) > limit + MIN_VIOLATION else None


def project(support: Support, members: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return float64[c, 2^c]: the value of each set of parents among the members that is not empty."""
    place = np.full(len(support.weights), -1)
    place[members] = np.arange(len(members))
    own = place[support.child] >= 0
    bits = np.where(place[support.members] >= 0, 1 << np.maximum(place[support.members], 0), 0)
    sums = np.concatenate(([0], np.cumsum(bits)))
    masks = (sums[support.first[1:]] - sums[support.first[:-1]])[own]
    values = np.zeros((len(members), 1 << len(members)))
    np.add.at(values, (place[support.child[own]], masks), support.values[own])
    values[:, 0] = 0.0
    return values


def make_scratch(size: int) -> tuple[NDArray[np.generic], ...]:
    """Return the argument `scratch` of the kernels of local cuts."""
    shape = size, 1 << size
    return np.empty(shape), np.empty(shape[1]), np.empty(shape[1], dtype=np.int64), np.empty(shape)


def find_facet(values: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """
    Return weights, float64[c, 2^c], with a large product with the values although no network weighs more than 1.

    Return None if no weights have a product above 1.
    """
    from bnsearch.exact.kernels_local_cuts import find_heaviest_network, read_heaviest_networks

    size = len(values)
    n_pairs = size * (size - 1)
    scratch, parents, totals = make_scratch(size), np.empty((n_pairs, size), dtype=np.int64), np.empty(n_pairs)
    variables, masks = np.nonzero(values)
    number = np.full(values.shape, -1)
    number[variables, masks] = np.arange(len(masks))
    program = WeightProgram(values[variables, masks])
    weights = np.zeros(values.shape)
    for _ in range(MAX_ROUNDS):
        weights[variables, masks] = program.solve()
        if np.vdot(weights, values) <= 1 + MIN_VIOLATION:
            return None
        heaviest = find_heaviest_network(weights, scratch)
        if heaviest <= 1 + 1e-9:
            break
        read_heaviest_networks(scratch, parents, totals)
        chosen = number[np.arange(size), parents[totals > 1 + 1e-9]]
        program.add_networks(np.array(list({tuple(row): None for row in chosen.tolist()})))
    return weights / float(heaviest)


class WeightProgram:
    """The linear program over the coefficients of a cut: maximise the value of a point; no network weighs above 1."""

    def __init__(self, values: NDArray[np.float64]) -> None:
        highspy = import_solver()
        self._infinity = highspy.kHighsInf
        self._solver: Any = highspy.Highs()
        for name, value in (("output_flag", False), ("presolve", "off"), ("threads", 1)):
            self._solver.setOptionValue(name, value)
        n, none = len(values), np.zeros(0, dtype=np.int32)
        starts = np.zeros(n, dtype=np.int32)
        self._solver.addCols(n, -values, np.zeros(n), np.ones(n), 0, starts, none, np.zeros(0))

    def solve(self) -> NDArray[np.float64]:
        """Return the best coefficients."""
        self._solver.run()
        return np.array(self._solver.getSolution().col_value)

    def add_networks(self, chosen: NDArray[np.int64]) -> None:
        """Add networks, one for each row: the coefficients of its parent sets, at most -1 if none, sum to at most 1."""
        m, is_used = len(chosen), chosen >= 0
        counts = is_used.sum(axis=1)
        start = (np.cumsum(counts) - counts).astype(np.int32)
        index = chosen[is_used].astype(np.int32)
        self._solver.addRows(m, np.full(m, -self._infinity), np.ones(m), len(index), start, index, np.ones(len(index)))
