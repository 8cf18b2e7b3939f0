"""Three-phase dependency analysis, the algorithm of the Bayesian Network PowerConstructor."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch.data.content import variables_by_content
from bnsearch.errors import require
from bnsearch.independence.decisions import InformationTest
from bnsearch.independence.orientation import find_colliders, list_required_edges, orient_skeleton
from bnsearch.independence.separation import (
    Neighbours,
    find_cut_candidates,
    find_reachable,
    find_separating_subset,
    shrink_cut_set,
)
from bnsearch.independence.spanning import Pair, build_spanning_forest, compute_pair_strengths, sort_pairs_by_strength
from bnsearch.independence.tester import PairTester
from bnsearch.knowledge.constraints import Constraints
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class BNPC:
    """
    Three-phase dependency analysis (TPDA): draft a tree, thicken and thin the graph by tests, then orient the edges.

    Parameters
    ----------
    threshold : float, default 0.005
        Mutual information in nats above which two variables are dependent.
    rows_per_degree : float, default 5.0
        Minimum number of rows for each degree of freedom of a test.
    max_condition : int, default 3
        Maximum number of variables in a condition of the last thinning.

    References
    ----------
    Cheng, Greiner, Kelly, Bell & Liu (2002), "Learning Bayesian networks from data: an information-theory based
    approach".

    Notes
    -----
    Drafting joins the pairs with the strongest dependences that close no cycle. Thickening adds an edge between
    dependent variables that no cut-set separates. Thinning removes an edge if a cut-set of the rest separates its ends.

    The search does not use the score; the score only rates the network that is found. The paper leaves some choices
    open:

    - The mean mutual information of independent variables is subtracted from the mutual information.
    - If a cut-set is too large for the number of rows, the members with the weakest dependence on the pair are removed
      first.
    - The last thinning tries every condition of up to `max_condition` neighbours.
    - A v-structure must be confirmed by tests (see `orientation.find_colliders`). It is skipped if it contradicts a
      stronger one. The other edges are oriented with as few new v-structures as possible.
    - Required edges are added first and stay. Forbidden pairs are left out. Directions that knowledge determines come
      before v-structures.

    Evaluations are tests.

    `rows_per_degree` and `max_condition` are ours. If one of two variables has a single state under a condition, the
    condition separates them: their mutual information is zero, which is below any threshold. Edges are removed one by
    one, so of two copies of a variable, only one loses the common neighbours. If such tests were no evidence, as in
    `GTest`, 113 edges would be left on hailfinder, which has 66.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.BNPC()
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=bnsearch.Iterations(2), seed=1)
    >>> round(result.score, 3)
    -456.865
    """

    name: ClassVar[str] = "bnpc"
    space: ClassVar[str] = "DAGs restricted by independence tests"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "Cheng et al. (2002)"
    purpose: ClassVar[str] = "to recover the true graph, not to maximise the score"

    threshold: float = 0.005
    rows_per_degree: float = 5.0
    max_condition: int = 3

    def __post_init__(self) -> None:
        require("max_condition", self.max_condition, at_least=0, whole=True)
        _ = self._test  # this checks its parameters

    @property
    def _test(self) -> InformationTest:
        return InformationTest(threshold=self.threshold, rows_per_degree=self.rows_per_degree)

    def search(self, problem: Problem, run: Run) -> None:
        """Find the skeleton in three phases, orient it, and offer the network."""
        data = problem.needed_data
        known = problem.constraints
        analysis = DependencyAnalysis(PairTester(data, self._test), run, self.max_condition, known)
        undecided = analysis.draft()  # phase 1
        analysis.thicken(undecided)  # phase 2
        analysis.thin()  # phase 3
        colliders = find_colliders(analysis.tester, analysis.neighbours, analysis.find_separator, analysis.strengths)
        dag = orient_skeleton(problem.names, analysis.neighbours, colliders, variables_by_content(data).tolist(), known)
        run.count(iterations=1, evaluations=analysis.tester.tests, computed=analysis.tester.tests)
        run.offer(problem.scorer.network(dag), lambda: dag)


@dataclass
class DependencyAnalysis:
    """
    The undirected graph of a dependency analysis, and the sets that separate its pairs.

    Parameters
    ----------
    tester : the data and the test
    run : a phase ends early when the run is halted
    max_condition : maximum number of variables in a condition of the last thinning
    known : knowledge about edges; None means none

    Attributes
    ----------
    neighbours : the neighbours of each variable
    separated_by : for dependent pairs without an edge, a set given which they are independent
    """

    tester: PairTester
    run: Run
    max_condition: int
    known: Constraints | None = None
    neighbours: Neighbours = field(init=False)
    separated_by: dict[frozenset[int], set[int]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.neighbours = [set() for _ in range(self.tester.data.n_variables)]

    @cached_property
    def required(self) -> list[Pair]:
        """The required edges."""
        return [] if self.known is None else list_required_edges(self.known)

    @cached_property
    def strengths(self) -> NDArray[np.float64]:
        """The strength of the dependence of each pair of variables; above zero if they are dependent."""
        return compute_pair_strengths(self.tester, self.run.halted)

    @cached_property
    def pairs(self) -> list[Pair]:
        """All pairs that an edge may join, the strongest first."""
        pairs = sort_pairs_by_strength(self.tester, self.strengths)
        if self.known is None:
            return pairs
        either = self.known.allowed | self.known.allowed.T
        return [pair for pair in pairs if either[pair]]

    def draft(self) -> list[Pair]:
        """
        Add the required edges, then the strongest pairs that close no cycle; return the other dependent pairs.

        The returned pairs are sorted, the strongest first.
        """
        dependent = [pair for pair in self.pairs if self.strengths[pair] > 0]
        forest, others = build_spanning_forest([*self.required, *dependent], len(self.neighbours))
        for x, y in (*self.required, *forest):
            self.add_edge(x, y)
        return others

    def thicken(self, pairs: list[Pair]) -> None:
        """Add an edge between the two variables of each pair that no cut-set of the current graph separates."""
        for x, y in pairs:
            if self.run.halted():
                return
            if y not in self.neighbours[x] and not self.separate(x, y):
                self.add_edge(x, y)

    def thin(self) -> None:
        """
        Remove every edge whose ends are separated by other variables.

        Two rounds visit all edges: the first tests a heuristic cut-set, the second all small sets of neighbours.
        """
        for separate in (self.separate, self.separate_thoroughly):
            edges = [
                (x, y) for x, y in self.pairs if y in self.neighbours[x] and {(x, y), (y, x)}.isdisjoint(self.required)
            ]
            for x, y in reversed(edges):  # the weakest first
                if self.run.halted():
                    return
                self.remove_edge(x, y)
                has_other_path = y in find_reachable(self.neighbours, x)  # without one, the edge must stay
                if not (has_other_path and separate(x, y)):
                    self.add_edge(x, y)

    def separate(self, x: int, y: int) -> bool:
        """Return True if a cut-set separates two variables, and store it; the smaller cut-set is tried first."""
        cut_sets = [sorted({*near, *far}) for near, far in self._cut_candidates(x, y)]
        for cut in sorted(cut_sets, key=len):
            found = shrink_cut_set(self.tester, x, y, cut, lambda v: min(self.strengths[v, x], self.strengths[v, y]))
            if found is not None:
                self.separated_by[frozenset((x, y))] = found
                return True
        return False

    def separate_thoroughly(self, x: int, y: int) -> bool:
        """Return True if a small set of neighbours of either variable separates the two, and store it."""
        for near, _ in self._cut_candidates(x, y):
            found = find_separating_subset(self.tester, x, y, near, self.max_condition)
            if found is not None:
                self.separated_by[frozenset((x, y))] = found
                return True
        return False

    def find_separator(self, x: int, y: int) -> set[int] | None:
        """Return a set given which two variables are independent, possibly the empty set; None if none is known."""
        return set() if self.strengths[x, y] <= 0 else self.separated_by.get(frozenset((x, y)))

    def _cut_candidates(self, x: int, y: int) -> list[tuple[list[int], list[int]]]:
        """Return the candidates (near, far) of cut-sets at x and at y; see `find_cut_candidates`."""
        return [find_cut_candidates(self.neighbours, x, y), find_cut_candidates(self.neighbours, y, x)]

    def add_edge(self, x: int, y: int) -> None:
        """Add the edge between two variables."""
        self.neighbours[x].add(y)
        self.neighbours[y].add(x)
        self.separated_by.pop(frozenset((x, y)), None)

    def remove_edge(self, x: int, y: int) -> None:
        """Remove the edge between two variables."""
        self.neighbours[x].remove(y)
        self.neighbours[y].remove(x)
