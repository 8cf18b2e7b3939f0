"""An equivalence class and the operators that lead away from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnsearch.budgets.budget import StopCheck
from bnsearch.data.content import variables_by_content
from bnsearch.equivalence.bitsets import Sets, empty_sets, to_arcs, to_sets
from bnsearch.equivalence.class_constraints import ClassConstraints, no_constraints
from bnsearch.equivalence.noise import Noise
from bnsearch.equivalence.operator_list import OperatorList
from bnsearch.equivalence.operators import Kind, Step, new_lists
from bnsearch.graphs.completion import cpdag
from bnsearch.graphs.dag import DAG
from bnsearch.graphs.extension import extension
from bnsearch.graphs.pdag import PDAG
from bnsearch.knowledge.constraints import Constraints
from bnsearch.scores.score import tie_margin
from bnsearch.scores.scorer import Scorer


class Neighbourhood:
    """
    The current class of a search, its score, and its valid operators.

    Gains are rounded to multiples of the tolerance of `improves` before they are compared. The content of the columns
    decides ties (see `variables_by_content`), not their order or their names.

    Parameters
    ----------
    scorer : the score and its cache; one for each thread
    max_subset : maximum number of members of T and H; None means no limit
    max_parents : maximum number of parents of a variable in the DAGs of the class; None means no limit
    keep_all : list the operators that lower the score, too; `find_best_after_noise` needs them
    constraints : background knowledge; operators that lead to a class without a legal DAG are not applied
    count_families : collect the keys of the families whose local scores are used

    Attributes
    ----------
    sets : the class, as bit sets over the variables in the order of their content
    score : score of the class
    order : the variables by content
    """

    def __init__(
        self,
        scorer: Scorer,
        *,
        max_subset: int | None = 3,
        max_parents: int | None = None,
        keep_all: bool = False,
        constraints: Constraints | None = None,
        count_families: bool = False,
    ) -> None:
        n = scorer.data.n_variables
        self.scorer = scorer
        self.order = variables_by_content(scorer.data)
        self._rank = np.argsort(self.order)
        self._constraints = None if constraints is None else ClassConstraints(constraints, self.order)
        self.sets = empty_sets(n)
        self._left = empty_sets(n)
        self._lists = new_lists(n)
        if constraints is not None:
            self._enter_class_of(constraints.make_required_dag(scorer.data.names))
        self._counted = 0, scorer.computed
        self.score = self._score_class()
        self._operators = OperatorList(
            scorer,
            self.order,
            self._limits(max_subset, max_parents),
            no_constraints(n) if self._constraints is None else self._constraints.arrays(),
            unit=tie_unit(self.score),
            keep_all=keep_all,
            count_families=count_families,
        )

    def _limits(self, max_subset: int | None, max_parents: int | None) -> NDArray[np.int64]:
        """Return the limits that `OperatorList` takes."""
        n = len(self.order)
        limits = np.full(1 + n, n if max_parents is None else max_parents, dtype=np.int64)
        limits[0] = n if max_subset is None else max_subset
        if self._constraints is not None:
            limits[1:] = np.minimum(limits[1:], self._constraints.constraints.max_parents[self.order])
        return limits

    def take_counts(self) -> dict[str, Any]:
        """
        Return the numbers of local scores used and of set values counted since the last call.

        With `count_families`, also the keys of the families.
        """
        now = 2 * self._operators.gains_computed, self.scorer.computed
        before, self._counted = self._counted, now
        families = self._operators.families
        keys = {"families": families.take()} if families.counted else {}
        return {"evaluations": now[0] - before[0], "computed": now[1] - before[1], **keys}

    @property
    def cpdag(self) -> PDAG:
        """The class."""
        return self._pdag(self.sets)

    def _pdag(self, sets: Sets) -> PDAG:
        """Return a class as a PDAG over the variables of the table."""
        return PDAG(self.scorer.data.names, to_arcs(sets)[np.ix_(self._rank, self._rank)])

    def dag_maker(self) -> Callable[[], DAG]:
        """Return a function that makes a legal DAG of the current class, also after the search has moved on."""
        sets, constraints = self.sets.copy(), self._constraints
        if constraints is None:
            return lambda: extension(self._pdag(sets))
        return lambda: constraints.make_dag(sets, self.scorer.data.names)

    def start_at(self, start: PDAG) -> None:
        """Go to the class of a partially directed graph, made legal."""
        dag = extension(start.reordered(self.scorer.data.names))
        self._enter_class_of(dag if self._constraints is None else self._constraints.legalise(dag))
        self.score = self._score_class()

    def _enter_class_of(self, dag: DAG) -> None:
        self.sets[:] = to_sets(cpdag(dag).arcs[np.ix_(self.order, self.order)])

    def go_to(self, sets: Sets, score: float) -> None:
        """Set the class and its score."""
        self.sets[:] = sets
        self.score = score

    def _score_class(self) -> float:
        parents = extension(self.cpdag).parents
        return math.fsum(self.scorer.families(range(len(parents)), parents))

    def refresh(self, halted: StopCheck = lambda: False) -> bool:
        """List the operators of the current class; return True if that ended before `halted` returned True."""
        return self._operators.refresh(self.sets, halted)

    def find_best(self, kinds: Sequence[Kind], halted: StopCheck = lambda: False) -> Step | None:
        """
        Return the best valid operator of some kinds that raises the score (FS and BS of Alonso et al. 2018).

        None means that there is no such operator, or that `halted` returned True.
        """
        best = self.find_best_few(kinds, 1, halted)
        return best[0] if best else None

    def find_best_few(self, kinds: Sequence[Kind], number: int, halted: StopCheck = lambda: False) -> list[Step]:
        """Return up to `number` of the best valid operators that raise the score, best first; none if halted."""
        if halted() or not self.refresh(halted):
            return []
        return self._operators.find_best(self.sets, kinds, number)

    def find_best_after_noise(
        self, kind: Kind, noise: Noise, rng: np.random.Generator, halted: StopCheck = lambda: False
    ) -> Step | None:
        """
        Return the valid operator of a kind whose gain plus noise is highest, whether or not it raises the score.

        None means that no operator of this kind is valid, or that `halted` returned True.
        """
        if halted() or not self.refresh(halted):
            return None
        gains = self._operators.gains(kind)
        values = gains.copy()
        greedy = self._operators.find_best_by_value(self.sets, kind, values)
        if greedy is None:
            return None
        noisy = values + noise.deviations(gains, greedy.gain) * rng.standard_normal(len(gains))
        return self._operators.find_best_by_value(self.sets, kind, noisy)

    def find_valid(self) -> list[Step]:
        """Return all valid operators of the current class, whether or not they lead to a legal DAG."""
        self.refresh()
        return self._operators.find_valid(self.sets)

    def apply(self, step: Step) -> None:
        """Apply a valid operator and complete the graph (Definitions 12 and 13 of Chickering 2002)."""
        from bnsearch.equivalence.kernels_graph import SUBSET, apply_operator

        kind, x, y, rank = int(step.operator.kind), step.operator.x, step.operator.y, self._rank
        size = len(step.operator.subset)
        self._lists[SUBSET, :size] = rank[list(step.operator.subset)]
        done = apply_operator(self.sets, kind, rank[x], rank[y], size, self._left, self._lists)
        assert done, f"{step.operator} is not valid"
        self.score += step.gain


def tie_unit(score: float) -> float:
    """Return the tolerance of `improves` at a score, rounded up to a power of two: smaller differences are ties."""
    return 2.0 ** math.ceil(math.log2(tie_margin(score)))
