"""
Search over equivalence classes by definition: classes enumerated, every operator tried at every step.

Variables are numbers; a CPDAG is a PDAG. Nothing here keeps anything from one step to the next but local scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations

import numpy as np

from bnsearch.data import Dataset
from bnsearch.equivalence.operators import Kind, Operator
from bnsearch.graphs.completion import cpdag
from bnsearch.graphs.dag import DAG
from bnsearch.graphs.extension import extension
from bnsearch.graphs.pdag import PDAG
from bnsearch.scores.bdeu import BDeu
from reference_dags import content_ranks
from reference_graphs import Arcs, arcs_of_dag, is_acyclic, make_dag

PAPER_SCORE = BDeu(ess=10.0, prior=True)  # Alonso et al. (2018), section 5.1
FamilyScore = Callable[[int, frozenset[int]], float]


def parents_in(arcs: Arcs, y: int) -> frozenset[int]:
    """Return the parents of a variable."""
    return frozenset(i for i, j in arcs if j == y)


def members(dag: DAG) -> set[Arcs]:
    """Return every DAG of a class: all that reversals of covered edges lead to (Chickering 1995, theorem 2)."""
    found = {arcs_of_dag(dag)}
    waiting = list(found)
    while waiting:
        arcs = waiting.pop()
        for x, y in arcs:
            if parents_in(arcs, x) == parents_in(arcs, y) - {x}:
                reverse = arcs - {(x, y)} | {(y, x)}
                if reverse not in found:
                    found.add(reverse)
                    waiting.append(reverse)
    return found


def possible_operators(n: int, graph: PDAG) -> Iterator[Operator]:
    """Yield every operator that names the right kinds of variables, valid or not."""
    for y in range(n):
        for x in range(n):
            if x == y:
                continue
            if y not in graph.adjacent[x]:
                kind, near = Kind.INSERT, graph.neighbours[y] - graph.adjacent[x]
            elif x in graph.parents[y] | graph.neighbours[y]:
                kind, near = Kind.DELETE, graph.neighbours[y] & graph.adjacent[x]
            else:
                continue
            for size in range(len(near) + 1):
                for subset in combinations(sorted(near), size):
                    yield Operator(kind, x, y, subset)


def given_parents(operator: Operator, graph: PDAG) -> frozenset[int]:
    """Return the parents of y, x aside, for which the operator stands."""
    x, y, subset = operator.x, operator.y, frozenset(operator.subset)
    shared = graph.neighbours[y] & graph.adjacent[x]
    chosen = shared | subset if operator.kind == Kind.INSERT else shared - subset
    return (graph.parents[y] | chosen) - {x}


def outcomes(operator: Operator, n: int, graph: PDAG, classmates: set[Arcs]) -> set[Arcs]:
    """Return what becomes of each DAG of the class that can make the move: y has exactly the parents it stands for."""
    x, y = operator.x, operator.y
    given = given_parents(operator, graph)
    if operator.kind == Kind.DELETE:
        return {arcs - {(x, y)} for arcs in classmates if parents_in(arcs, y) == given | {x}}
    able = {arcs | {(x, y)} for arcs in classmates if parents_in(arcs, y) == given}
    return {arcs for arcs in able if is_acyclic(n, arcs)}


@cache  # the same graphs are reached again and again
def class_of(n: int, arcs: Arcs) -> PDAG:
    """Return the CPDAG of a DAG given by its arcs."""
    return cpdag(make_dag(n, arcs))


def is_clique(graph: PDAG, some: frozenset[int]) -> bool:
    """Return True if variables are pairwise adjacent."""
    return all(b in graph.adjacent[a] for a, b in combinations(some, 2))


def has_open_path(graph: PDAG, start: int, end: int, closed: frozenset[int]) -> bool:
    """Return True if a semi-directed path leads from start to end and avoids the closed variables."""
    reached = {start}
    waiting = [start]
    while waiting:
        v = waiting.pop()
        for u in (graph.children[v] | graph.neighbours[v]) - closed - reached:
            reached.add(u)
            waiting.append(u)
    return end in reached


def is_valid(operator: Operator, graph: PDAG) -> bool:
    """Test an operator by Theorems 15 and 17 of Chickering (2002)."""
    chosen = given_parents(operator, graph) & graph.neighbours[operator.y]
    if operator.kind == Kind.DELETE:
        return is_clique(graph, chosen)
    return is_clique(graph, chosen) and not has_open_path(graph, operator.y, operator.x, chosen)


def move(operator: Operator, graph: PDAG) -> PDAG:
    """Apply an operator by Definitions 12 and 13 of Chickering (2002), extend and complete."""
    arcs = graph.arcs.copy()
    x, y = operator.x, operator.y
    if operator.kind == Kind.INSERT:
        arcs[x, y] = True
        arcs[y, list(operator.subset)] = False
    else:
        arcs[x, y] = arcs[y, x] = False
        for h in operator.subset:
            arcs[h, y] = False
            if arcs[x, h]:
                arcs[h, x] = False
    return cpdag(extension(PDAG(graph.names, arcs)))


class SlowSearch:
    """GES and iGES by Algorithms 3.1 to 3.3 of Alonso et al. (2018), looking at every operator at every step."""

    def __init__(self, data: Dataset, family: FamilyScore, unit: float, max_subset: int, max_parents: int) -> None:
        self.unit, self.max_subset, self.max_parents = unit, max_subset, max_parents
        self.rank = content_ranks(data)
        self.graph = cpdag(DAG.empty(data.names))
        self._family = family
        self._known: dict[tuple[int, frozenset[int]], float] = {}

    def score(self, y: int, parents: frozenset[int]) -> float:
        """Return a local score, asked for once."""
        key = (y, parents)
        if key not in self._known:
            self._known[key] = self._family(y, parents)
        return self._known[key]

    def level(self, operator: Operator) -> int:
        """Return the gain in whole units."""
        given = given_parents(operator, self.graph)
        more = self.score(operator.y, given | {operator.x}) - self.score(operator.y, given)
        return round((more if operator.kind == Kind.INSERT else -more) / self.unit)

    def allowed(self, kinds: list[Kind]) -> Iterator[Operator]:
        """Yield the valid operators within the limits."""
        for operator in possible_operators(len(self.rank), self.graph):
            if operator.kind not in kinds or len(operator.subset) > self.max_subset:
                continue
            grown = len(given_parents(operator, self.graph)) + 1
            if operator.kind == Kind.INSERT and grown > self.max_parents:
                continue
            if is_valid(operator, self.graph):
                yield operator

    def best(self, kinds: list[Kind]) -> Operator | None:
        """Return the best operator; ties go to Delete, then by y, x and subset in the order of the columns' content."""

        def key(operator: Operator) -> tuple[int, int, int, int, list[int]]:
            ranks = sorted(self.rank[v] for v in operator.subset)
            return -self.level(operator), -operator.kind, self.rank[operator.y], self.rank[operator.x], ranks

        improving = [operator for operator in self.allowed(kinds) if self.level(operator) > 0]
        return min(improving, key=key, default=None)

    def climb(self, *stages: list[Kind]) -> Iterator[Operator]:
        """Climb with one list of kinds after the other; yield every step."""
        for kinds in stages:
            while (step := self.best(kinds)) is not None:
                self.graph = move(step, self.graph)
                yield step


def oracle_set_value(joint: np.ndarray, rows: float, some: tuple[int, ...]) -> float:
    """Return BIC's G of a set if the data had exactly the frequencies of a joint distribution."""
    table = joint.sum(axis=tuple(v for v in range(joint.ndim) if v not in some))
    n = rows * np.asarray(table)
    return float((n * np.log(n)).sum()) - math.log(rows) / 2 * n.size
