"""K2 along an ordering that comes from a spanning tree and from Markov blankets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.dags.k2 import offer_greedy
from bnsearch.data import Dataset
from bnsearch.errors import InputError, require
from bnsearch.independence.decisions import GTest, InformationTest
from bnsearch.independence.neighbourhoods import grow_shrink_blanket, half_of_the_time, mutual
from bnsearch.independence.orientation import accepted, topological
from bnsearch.independence.spanning import Pair, pair_strengths, rooted, spanning_forest, strongest_first
from bnsearch.independence.tester import PairTester
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class IK2vMB:
    """
    K2 along the ordering of a rooted spanning tree, with parents taken from Markov blankets and the tree.

    Parameters
    ----------
    root : the name of the variable that the spanning tree is rooted at; None draws one
    alpha : level of the G-tests
    rows_per_degree : a test is not made with fewer rows than this for each degree of freedom
    max_parents : the most parents of a variable; None means any number

    References
    ----------
    Dai et al. (2020), "An improved evolutionary approach-based hybrid algorithm for Bayesian network structure
    learning in dynamic constrained search space", compare with it.

    Notes
    -----
    Known by that comparison only, which says: an improved K2 via Markov blankets, which starts from a maximum weight
    spanning tree whose root has to be given. Fixed here: the tree is that of the mutual information (Chow & Liu 1968)
    and its ordering the breadth-first walk from the root, strong edges first; the blankets come from interIAMB with
    G-tests, and two variables must be in each other's; where two members of a variable's blanket are in each other's,
    independent by themselves and dependent given the variable, they are two causes of it and move before it; K2 then
    takes a variable's parents from those members of its blanket, and neighbours in the tree, that come before it. If
    there is a limit on the time, the tree has half of it and the blankets half of the rest. Directions that are known
    come before those that are found. Evaluations are tests and local scores together.
    """

    name: ClassVar[str] = "ik2vmb"

    root: str | None = None
    alpha: float = 0.01
    rows_per_degree: float = 5.0
    max_parents: int | None = None

    def __post_init__(self) -> None:
        if self.max_parents is not None:
            require("max_parents", self.max_parents, at_least=0, whole=True)
        _ = self._test

    @property
    def _test(self) -> GTest:
        return GTest(alpha=self.alpha, rows_per_degree=self.rows_per_degree)

    def search(self, problem: Problem, run: Run) -> None:
        """Find the tree and the blankets, and from them an ordering; then choose each variable's parents."""
        data = problem.needed_data
        root = int(run.rng.integers(problem.size)) if self.root is None else self._place(problem.names)
        tree = self._spanning_tree(data, run)
        blankets = mutual(data, self._test, partial(grow_shrink_blanket, halted=run.halted), run)
        tester = PairTester(data, self._test)
        near = blankets.copy()
        for x, y in tree:
            near[x, y] = near[y, x] = True
        pairs = zip(*(ends.tolist() for ends in np.nonzero(np.triu(near))), strict=True)
        causes = accepted(common_effects(tester, blankets), problem.size, pairs, problem.constraints)
        run.count(evaluations=tester.tests, computed=tester.tests)
        order = np.array(topological(causes, rooted(tree, problem.size, root)), dtype=np.int64)
        before = [order[:i] for i in np.argsort(order)]
        offer_greedy([earlier[near[v, earlier]] for v, earlier in enumerate(before)], self.max_parents, problem, run)

    def _spanning_tree(self, data: Dataset, run: Run) -> list[Pair]:
        tester = PairTester(data, InformationTest(rows_per_degree=self.rows_per_degree))
        with half_of_the_time(run):
            pairs = strongest_first(tester, pair_strengths(tester, run.halted))
        run.count(evaluations=tester.tests, computed=tester.tests)
        return spanning_forest(pairs, data.n_variables)[0]

    def _place(self, names: tuple[str, ...]) -> int:
        if self.root not in names:
            raise InputError(f"the root {self.root!r} is not a variable of the data")
        return names.index(self.root)


def common_effects(tester: PairTester, blankets: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """
    Return every (x, z, y) where x and y show as causes of z, the clearest first.

    All three are in each other's blankets; x and y are independent by themselves and dependent given z.
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
    clear = sorted((-float(g), triple) for triple, a, g in zip(triples, alone, given, strict=True) if a <= 0 < g)
    return [triple for _, triple in clear]
