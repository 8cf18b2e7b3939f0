"""IK2vMB: K2 along an ordering derived from a spanning tree and from Markov blankets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.k2 import offer_greedy_network
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs.topological import topological_order
from bnsearch.independence.decisions import GTest, InformationTest
from bnsearch.independence.neighbourhoods import find_blanket, find_mutual_pairs, limit_to_half_the_time
from bnsearch.independence.orientation import accept_v_structures
from bnsearch.independence.spanning import (
    Pair,
    build_spanning_forest,
    compute_pair_strengths,
    sort_pairs_by_strength,
    walk_from_root,
)
from bnsearch.independence.tester import PairTester
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class IK2vMB:
    """
    K2 along the ordering of a rooted spanning tree, with candidate parents from Markov blankets and the tree.

    Parameters
    ----------
    root : str, optional
        Name of the root of the spanning tree; None means a random variable.
    alpha : float, default 0.01
        Significance level of the G-tests.
    rows_per_degree : float, default 5.0
        Minimum number of rows for each degree of freedom of a test.

    References
    ----------
    Dai et al. (2020), "An improved evolutionary approach-based hybrid algorithm for Bayesian network structure
    learning in dynamic constrained search space", section 4: one of the methods compared with MIIGA.

    Notes
    -----
    That comparison is the only source. It describes an improved K2 via Markov blankets, which starts from a maximum
    weight spanning tree whose root has to be given. Choices of this implementation:

    - The weight of an edge of the tree is the mutual information (Chow & Liu 1968). The ordering is the breadth-first
      order from the root, strong edges first.
    - The blankets come from interIAMB with G-tests. Two variables must be in each other's blanket.
    - Two members of a variable's blanket are taken as causes of the variable, and move before it, if they
      are in each other's blanket, independent without a condition, and dependent given the variable.
    - K2 chooses the parents of a variable among its predecessors that are in its blanket or its neighbours in the tree.

    Under a time budget, the tree may use half of it and the blankets half of the rest. Directions that knowledge
    determines come before those that tests find. Evaluations are tests and local scores together.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.IK2vMB()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -454.93
    """

    name: ClassVar[str] = "ik2vmb"
    space: ClassVar[str] = "DAGs restricted by independence tests"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "Dai et al. (2020)"
    purpose: ClassVar[str] = "to recover the true graph, not to maximise the score"

    root: str | None = None
    alpha: float = 0.01
    rows_per_degree: float = 5.0

    def __post_init__(self) -> None:
        _ = self._test  # this checks its parameters

    @property
    def _test(self) -> GTest:
        return GTest(alpha=self.alpha, rows_per_degree=self.rows_per_degree)

    def search(self, problem: Problem, run: Run) -> None:
        """Find the tree and the blankets, derive an ordering from both, then choose each variable's parents by K2."""
        data = problem.needed_data
        root = int(run.rng.integers(problem.size)) if self.root is None else self._find_root(problem.names)
        tree = self._build_tree(data, run)
        blankets = find_mutual_pairs(data, self._test, partial(find_blanket, halted=run.halted), run)
        tester = PairTester(data, self._test)
        related = blankets.copy()
        for x, y in tree:
            related[x, y] = related[y, x] = True
        pairs = zip(*(ends.tolist() for ends in np.nonzero(np.triu(related))), strict=True)
        causes = accept_v_structures(find_common_effects(tester, blankets), problem.size, pairs, problem.constraints)
        run.count(evaluations=tester.tests, computed=tester.tests)
        rank = np.argsort(walk_from_root(tree, problem.size, root)).tolist()
        order = np.array(topological_order(causes, rank), dtype=np.int64)
        predecessors = [order[:i] for i in np.argsort(order)]
        candidates = [earlier[related[v, earlier]] for v, earlier in enumerate(predecessors)]
        offer_greedy_network(candidates, problem, run)

    def _build_tree(self, data: Dataset, run: Run) -> list[Pair]:
        """Return the edges of the maximum weight spanning forest, strongest first."""
        tester = PairTester(data, InformationTest(rows_per_degree=self.rows_per_degree))
        with limit_to_half_the_time(run):
            pairs = sort_pairs_by_strength(tester, compute_pair_strengths(tester, run.halted))
        run.count(evaluations=tester.tests, computed=tester.tests)
        return build_spanning_forest(pairs, data.n_variables)[0]

    def _find_root(self, names: tuple[str, ...]) -> int:
        if self.root not in names:
            raise InputError(f"the root {self.root!r} is not a variable of the data: give the name of one")
        return names.index(self.root)


def find_common_effects(tester: PairTester, blankets: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """
    Return every (x, z, y) in which the tests show x and y to be causes of z, the strongest first.

    All three are in each other's blankets; x and y are independent without a condition and dependent given z. The
    strength of a triple is that of the dependence given z.
    """
    triples = [
        (x, z, y)
        for z in range(len(blankets))
        for x, y in combinations(np.flatnonzero(blankets[z]).tolist(), 2)
        if blankets[x, y]
    ]
    pairs = [(x, y) for x, _, y in triples]
    alone = tester.strengths(pairs)
    given = tester.strengths(pairs, [[z] for _, z, _ in triples])
    found = sorted((-float(g), triple) for triple, a, g in zip(triples, alone, given, strict=True) if a <= 0 < g)
    return [triple for _, triple in found]
