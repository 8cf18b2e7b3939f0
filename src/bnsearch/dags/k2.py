"""The K2 algorithm: a greedy choice of parents among the predecessors in an ordering."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.pool import Pool
from bnsearch.data.content import variables_by_content
from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.knowledge.precedence import Precedence
from bnsearch.runs.method import Needs
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores.extender import Extender
from bnsearch.scores.score import improves


@dataclass(frozen=True, kw_only=True)
class K2:
    """
    Greedy choice of parents along an ordering: add the best predecessor while that improves the score.

    Parameters
    ----------
    ordering : tuple of str, optional
        The names of all variables, causes first; None means a random ordering.

    References
    ----------
    Cooper & Herskovits (1992), "A Bayesian method for the induction of probabilistic networks from data".

    Notes
    -----
    The paper maximises the score that is named K2 after it; this method maximises the score of the problem. Of equally
    good predecessors, the first by content is added (see `data/content.py`). Every variable has its required parents
    from the beginning, and a random ordering has them before their children.

    Examples
    --------
    >>> import bnsearch
    >>> data = bnsearch.load_network("asia").sample(200, 1)
    >>> method = bnsearch.K2(ordering=data.names)
    >>> result = bnsearch.learn(data, method=method, seconds=None, stop=None, seed=1)
    >>> round(result.score, 3)
    -455.375
    """

    name: ClassVar[str] = "k2"
    space: ClassVar[str] = "DAGs consistent with an ordering"
    needs: ClassVar[Needs] = Needs.DATA
    ends_by_itself: ClassVar[bool] = True
    paper: ClassVar[str] = "Cooper & Herskovits (1992)"
    purpose: ClassVar[str] = "if the ordering is known"

    ordering: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if self.ordering is not None:
            if isinstance(self.ordering, str) or not isinstance(self.ordering, Iterable):
                raise InputError(f"ordering must be a list of all variables' names, not {self.ordering!r}")
            object.__setattr__(self, "ordering", tuple(self.ordering))

    def search(self, problem: Problem, run: Run) -> None:
        """Choose each variable's parents."""
        order = run.rng.permutation(problem.size) if self.ordering is None else self._find_variables(problem.names)
        if problem.constraints is not None and problem.constraints.precedence is not None:
            order = self._put_required_first(order, problem.constraints.precedence, problem.names)
        predecessors = [order[:i] for i in np.argsort(order)]
        offer_greedy_network(predecessors, problem, run)

    def _put_required_first(
        self, order: NDArray[np.int64], required: Precedence, names: tuple[str, ...]
    ) -> NDArray[np.int64]:
        """Return the ordering with required parents before their children; refuse a given one that violates this."""
        broken = required.find_violations(order)
        if self.ordering is not None and broken:
            parent, child = (names[v] for v in broken[0])
            raise InputError(
                f"the ordering has {child!r} before {parent!r}, but the edge {parent!r} -> {child!r} is required"
            )
        return required.repair(order)

    def _find_variables(self, names: tuple[str, ...]) -> NDArray[np.int64]:
        given = self.ordering or ()
        for name in given:
            if name not in names:
                raise InputError(f"the ordering holds {name!r}, which is not a variable of the data")
        if sorted(given) != sorted(names):
            raise InputError(f"the ordering must hold each of the {len(names)} variables once")
        place = {name: i for i, name in enumerate(names)}
        return np.array([place[name] for name in given], dtype=np.int64)


def offer_greedy_network(candidates: Sequence[NDArray[np.int64]], problem: Problem, run: Run) -> None:
    """
    Choose each variable's parents greedily among its legal candidates, in threads, and offer the network.

    There must be an ordering in which the candidates and the required parents of each variable come before it.
    """
    data = problem.needed_data
    first = Extender(data, problem.needed_score)
    extenders = Pool(first, first.fork)
    extenders.prepare(run.threads)
    rank = np.argsort(variables_by_content(data))
    known = problem.constraints

    def choose(child: int) -> tuple[list[int], float, int]:
        with extenders.lend() as extender:
            evaluations = extender.evaluations
            legal = candidates[child][np.argsort(rank[candidates[child]])]
            if known is None:
                parents, score = add_parents_greedily(extender, child, legal, problem.size, run.halted)
            else:
                legal = legal[known.allowed[child, legal] & ~known.required[child, legal]]
                limit, required = int(known.max_parents[child]), known.required_parents[child]
                parents, score = add_parents_greedily(extender, child, legal, limit, run.halted, required)
            return parents, score, extender.evaluations - evaluations

    chosen = list(run.map(choose, range(problem.size)))
    evaluations = sum(c[2] for c in chosen)
    run.count(iterations=1, evaluations=evaluations, computed=evaluations)
    run.offer(math.fsum(c[1] for c in chosen), lambda: DAG(problem.names, [c[0] for c in chosen]))


def add_parents_greedily(
    extender: Extender,
    child: int,
    candidates: NDArray[np.int64],
    max_parents: int,
    halted: Callable[[], bool] = lambda: False,
    required: Sequence[int] = (),
) -> tuple[list[int], float]:
    """
    Add the best candidate, the first of equally good ones, while it improves the child's score.

    Parameters
    ----------
    extender : the data and the score
    child, candidates : the variable, and its candidate parents
    max_parents : maximum number of parents
    halted : called before each addition; no parent is added once it returns True
    required : parents from the beginning

    Returns
    -------
    the parents in the order of their addition, and the child's score
    """
    parents = list(required)
    score = extender.family(child, parents)
    while len(candidates) and len(parents) < max_parents and not halted():
        scores = extender.extend(child, sorted(parents), candidates)
        best = float(scores.max())
        if not improves(best, score):
            break
        chosen = next(i for i, s in enumerate(scores.tolist()) if not improves(best, s))
        score = float(scores[chosen])
        parents.append(int(candidates[chosen]))
        candidates = np.delete(candidates, chosen)
    return parents, score
