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
from bnsearch.independence.orientation import colliders, orient, required_edges
from bnsearch.independence.separation import Neighbours, cut_candidates, reached, separating_set, separating_subset
from bnsearch.independence.spanning import Pair, pair_strengths, spanning_forest, strongest_first
from bnsearch.independence.tester import PairTester
from bnsearch.knowledge.constraints import Constraints
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run


@dataclass(frozen=True, kw_only=True)
class BNPC:
    """
    Draft a tree of the strongest dependences, thicken it, thin it, and direct what is left.

    Parameters
    ----------
    threshold : mutual information in nats above which two variables are dependent
    rows_per_degree : a test is not made with fewer rows than this for each degree of freedom
    max_condition : the largest condition that the last thinning tries

    References
    ----------
    Cheng, Greiner, Kelly, Bell & Liu (2002), "Learning Bayesian networks from data: an information-theory based
    approach": the algorithm TPDA.

    Notes
    -----
    The score plays no part in the search; it values what is found. Choices made where the paper leaves them open:
    the mutual information is corrected for what independent variables show on average; a cut-set that is too large for
    the rows loses those members first that depend least on the pair; the last thinning tries every condition of up to
    `max_condition` neighbours. A v-structure must show in the tests (see `orientation.colliders`), one that contradicts
    a stronger one is passed over, and the other edges are directed with as few new v-structures as can be. Required
    edges are joined first and stay, pairs that may not be joined are left out, and what is known of directions comes
    before v-structures. Evaluations are tests.

    `rows_per_degree` and `max_condition` are ours. A condition under which one of two variables has a single state
    separates them: their mutual information is zero, which is below any threshold. As edges are taken away one after
    the other, a copy of a variable does not hide the neighbours of both. Taken for no evidence, as in `GTest`, such
    tests leave 113 edges on hailfinder, which has 66.
    """

    name: ClassVar[str] = "bnpc"

    threshold: float = 0.005
    rows_per_degree: float = 5.0
    max_condition: int = 3

    def __post_init__(self) -> None:
        require("max_condition", self.max_condition, at_least=0, whole=True)
        _ = self._test

    @property
    def _test(self) -> InformationTest:
        return InformationTest(threshold=self.threshold, rows_per_degree=self.rows_per_degree)

    def search(self, problem: Problem, run: Run) -> None:
        """Analyse the dependences and offer the one network that they give."""
        data = problem.needed_data
        known = problem.constraints
        analysis = Analysis(PairTester(data, self._test), run, self.max_condition, known)
        rest = analysis.draft()
        analysis.thicken(rest)
        analysis.thin()
        triples = colliders(analysis.tester, analysis.neighbours, analysis.separator, analysis.strengths)
        dag = orient(problem.names, analysis.neighbours, triples, variables_by_content(data).tolist(), known)
        run.count(iterations=1, evaluations=analysis.tester.tests, computed=analysis.tester.tests)
        run.offer(problem.scorer.network(dag), lambda: dag)


@dataclass
class Analysis:
    """
    The undirected graph of an analysis while it grows and shrinks.

    Parameters
    ----------
    tester : the data and the test
    run : asked between pairs whether to leave it at that
    max_condition : the largest condition that the last thinning tries
    known : which edges may and which must be there, None where nothing is known

    Attributes
    ----------
    neighbours : of each variable
    separated_by : for dependent pairs that are not joined, what they are independent given
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
        """The edges that must be there."""
        return [] if self.known is None else required_edges(self.known)

    @cached_property
    def strengths(self) -> NDArray[np.float64]:
        """How strongly each two variables depend."""
        return pair_strengths(self.tester, self.run.halted)

    @cached_property
    def pairs(self) -> list[Pair]:
        """All pairs that may be joined, the strongest first."""
        pairs = strongest_first(self.tester, self.strengths)
        if self.known is None:
            return pairs
        either = self.known.allowed | self.known.allowed.T
        return [pair for pair in pairs if either[pair]]

    def draft(self) -> list[Pair]:
        """
        Join the strongest pairs without a circle; return the other dependent pairs, the strongest first.

        Required edges come first, all of them.
        """
        dependent = [pair for pair in self.pairs if self.strengths[pair] > 0]
        joined, rest = spanning_forest([*self.required, *dependent], len(self.neighbours))
        for x, y in (*self.required, *joined):
            self.join(x, y)
        return rest

    def thicken(self, pairs: list[Pair]) -> None:
        """Join every pair that the graph so far does not separate."""
        for x, y in pairs:
            if self.run.halted():
                return
            if y not in self.neighbours[x] and not self.separate(x, y):
                self.join(x, y)

    def thin(self) -> None:
        """Part every pair that the others separate: first by a heuristic cut-set, then by any small condition."""
        for separate in (self.separate, self.separate_thoroughly):
            joined = [
                (x, y) for x, y in self.pairs if y in self.neighbours[x] and {(x, y), (y, x)}.isdisjoint(self.required)
            ]
            for x, y in reversed(joined):  # the weakest first
                if self.run.halted():
                    return
                self.part(x, y)
                if y not in reached(self.neighbours, x) or not separate(x, y):
                    self.join(x, y)

    def separate(self, x: int, y: int) -> bool:
        """Look for a set that separates two variables, and remember it; the smaller side is tried first."""
        sides = [sorted({*near, *far}) for near, far in (self._cut(x, y), self._cut(y, x))]
        for cut in sorted(sides, key=len):
            found = separating_set(self.tester, x, y, cut, lambda v: min(self.strengths[v, x], self.strengths[v, y]))
            if found is not None:
                self.separated_by[frozenset((x, y))] = found
                return True
        return False

    def separate_thoroughly(self, x: int, y: int) -> bool:
        """Do as `separate`, with every small set of neighbours on either side."""
        for near, _ in (self._cut(x, y), self._cut(y, x)):
            found = separating_subset(self.tester, x, y, near, self.max_condition)
            if found is not None:
                self.separated_by[frozenset((x, y))] = found
                return True
        return False

    def separator(self, x: int, y: int) -> set[int] | None:
        """Return what two variables are independent given, maybe nothing; None where that is not known."""
        return set() if self.strengths[x, y] <= 0 else self.separated_by.get(frozenset((x, y)))

    def _cut(self, x: int, y: int) -> tuple[list[int], list[int]]:
        return cut_candidates(self.neighbours, x, y)

    def join(self, x: int, y: int) -> None:
        """Add an edge."""
        self.neighbours[x].add(y)
        self.neighbours[y].add(x)
        self.separated_by.pop(frozenset((x, y)), None)

    def part(self, x: int, y: int) -> None:
        """Take an edge away."""
        self.neighbours[x].remove(y)
        self.neighbours[y].remove(x)
