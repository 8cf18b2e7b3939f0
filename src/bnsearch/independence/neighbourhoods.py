"""Parents and children, and Markov blankets, found by tests of independence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

import numpy as np
from numpy.typing import NDArray

from bnsearch._tools.pool import Pool
from bnsearch.data import Dataset
from bnsearch.data.content import variables_by_content
from bnsearch.independence.decisions import Decision, GTest
from bnsearch.independence.tester import PairTester
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds

Local = Callable[[PairTester, int, NDArray[np.int64]], Sequence[int]]


def max_min_parents_and_children(
    tester: PairTester,
    target: int,
    candidates: NDArray[np.int64],
    max_condition: int,
    halted: Callable[[], bool] = lambda: False,
) -> list[int]:
    """
    Return the variables that no condition among themselves separates from the target (MMPC without its symmetry).

    The candidate enters next whose weakest dependence on the target, over all conditions among those already in, is
    the strongest: the max-min heuristic. Then those leave that a condition among the others separates.

    Parameters
    ----------
    tester : the data and the test
    target, candidates : the variable, and those to choose from; of equals, the first enters
    max_condition : the most variables in a condition
    halted : asked before each entry whether to leave it at that

    References
    ----------
    Tsamardinos, Brown & Aliferis (2006), "The max-min hill-climbing Bayesian network structure learning algorithm",
    Algorithms 1 and 2.

    Notes
    -----
    A test that is no evidence, for want of rows or of degrees of freedom (see `GTest`), separates nothing; without a
    condition it lets nothing in. The limit on the condition is ours: Algorithm 1 takes the minimum over all subsets.
    """
    arities = tester.data.arities
    weakest = tester.strengths([(target, x) for x in candidates.tolist()])
    weakest[np.isnan(weakest)] = -np.inf
    chosen: list[int] = []
    while (weakest > 0).any() and not halted():
        best = int(weakest.argmax())
        weakest[best] = -np.inf
        new = int(candidates[best])
        for size in range(min(max_condition, len(chosen) + 1)):
            alive = np.flatnonzero(weakest > 0)
            room = max((tester.room(target, x) for x in candidates[alive].tolist()), default=0.0) / arities[new]
            conditions = [(new, *rest) for rest in subsets_within(chosen, size, arities, room)]
            if not conditions or halted():
                break
            pairs = [(target, x) for x in candidates[alive].tolist() for _ in conditions]
            strengths = tester.strengths(pairs, conditions * len(alive)).reshape(len(alive), len(conditions))
            weakest[alive] = np.fmin(weakest[alive], np.fmin.reduce(strengths, axis=1))  # fmin passes over NaN
        chosen.append(new)
    for x in list(chosen):
        others = [y for y in chosen if y != x]
        for size in range(1, min(max_condition, len(others)) + 1):
            conditions = list(subsets_within(others, size, arities, tester.room(target, x)))
            if not conditions or halted():
                break
            if (tester.strengths([(target, x)] * len(conditions), conditions) <= 0).any():
                chosen.remove(x)
                break
    return chosen


def subsets_within(
    members: Sequence[int], size: int, arities: NDArray[np.int64], room: float
) -> Iterator[tuple[int, ...]]:
    """Yield the subsets of a size whose joint table has at most so many cells."""
    if size == 0:
        yield from [()] if room >= 1 else []
        return
    for i, member in enumerate(members):
        left = room / arities[member]
        if left >= 1:
            yield from ((member, *rest) for rest in subsets_within(members[i + 1 :], size - 1, arities, left))


def grow_shrink_blanket(
    tester: PairTester,
    target: int,
    candidates: NDArray[np.int64],
    halted: Callable[[], bool] = lambda: False,
) -> list[int]:
    """
    Return the Markov blanket of a target: given it, nothing else tells more about the target.

    The candidate that depends on the target most, given the blanket so far, enters, as long as one depends; each time,
    those leave that do not depend on the target given the others.

    References
    ----------
    Tsamardinos, Aliferis & Statnikov (2003), "Algorithms for large scale Markov blanket discovery": interIAMB.

    Notes
    -----
    Where there are too few rows for a test, nothing enters and nothing leaves. Where the blanket leaves no degrees of
    freedom (see `GTest`), since it holds a copy of the target or variables that determine it, the test is made without
    its first members, which are the strongest; otherwise a copy would hide all neighbours. Both rules are ours. A
    variable that has left does not come back, so the search ends.
    """
    open_to = candidates.tolist()
    blanket: list[int] = []
    while open_to and not halted():
        strengths = free_strengths(tester, target, open_to, blanket)
        strengths[np.isnan(strengths)] = -np.inf
        new = int(strengths.argmax())
        if strengths[new] <= 0:
            break
        blanket.append(open_to.pop(new))
        for x in list(blanket[:-1]):
            if free_strengths(tester, target, [x], [y for y in blanket if y != x])[0] <= 0:
                blanket.remove(x)
    return blanket


def free_strengths(
    tester: PairTester, target: int, others: Sequence[int], condition: Sequence[int]
) -> NDArray[np.float64]:
    """
    Return how strongly a target depends on each of some others under a condition.

    Where the condition leaves a test no degrees of freedom its first member goes, and so on, until it does.
    """
    pairs = [(target, x) for x in others]
    rooms = np.array([tester.room(*pair) for pair in pairs])
    strengths = tester.strengths(pairs, [condition] * len(pairs))
    while len(condition):
        enough_rows = math.prod(tester.data.arities[list(condition)].tolist()) <= rooms
        without = np.flatnonzero(np.isnan(strengths) & enough_rows)
        if not without.size:
            break
        condition = condition[1:]
        strengths[without] = tester.strengths([pairs[i] for i in without], [condition] * without.size)
    return strengths


def markov_blankets(
    data: Dataset, decision: Decision | None = None, *, threads: int | None = None
) -> tuple[tuple[int, ...], ...]:
    """
    Return each variable's Markov blanket, ascending: its parents, children, and its children's other parents.

    Parameters
    ----------
    data : the table
    decision : when a dependence counts; None means GTest(alpha=0.01)
    threads : how many; None means all cores

    See `grow_shrink_blanket`. Two variables must be in each other's.
    """
    both = mutual(data, decision or GTest(alpha=0.01), grow_shrink_blanket, Run(threads=threads))
    return tuple(tuple(np.flatnonzero(row).tolist()) for row in both)


def mutual(data: Dataset, decision: Decision, local: Local, run: Run, *, untold: bool = False) -> NDArray[np.bool_]:
    """
    Find a local set of each variable, in threads; keep the pairs that are in each other's.

    Where time runs out, half of what the run has left when it begins, some variables' sets remain unknown: these leave
    the word to the others.

    Parameters
    ----------
    data, decision : the table, and when a dependence counts
    local : from a tester, a target and its candidates to its set
    run : counts the tests as evaluations
    untold : what to think of a pair if the sets of both remain unknown

    Returns
    -------
    bool[n, n], symmetric
    """
    first = PairTester(data, decision)
    testers = Pool(first, first.fork)
    testers.prepare(run.threads)
    ranked = variables_by_content(data)

    def find(target: int) -> tuple[Sequence[int] | None, int]:
        if run.halted():
            return None, 0
        with testers.lend() as tester:
            begun = tester.tests
            members = local(tester, target, ranked[ranked != target])
            return None if run.halted() else members, tester.tests - begun

    n = data.n_variables
    found, unknown = np.zeros((n, n), dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    with half_of_the_time(run):
        for target, (members, tests) in enumerate(run.map(find, range(n))):
            unknown[target] = members is None
            found[target, list(members or ())] = True
            run.count(evaluations=tests, computed=tests)
    if unknown.any():
        run.remark(
            f"the tests were broken off: {unknown.sum()} of {n} variables have no neighbours of their own choice"
        )
    found |= unknown[:, np.newaxis]
    found[np.ix_(unknown, unknown)] = untold
    both: NDArray[np.bool_] = found & found.T & ~np.eye(n, dtype=np.bool_)
    return both


@contextmanager
def half_of_the_time(run: Run) -> Iterator[None]:
    """Within the block, let a run stop when half of the time is gone that it has left."""
    left = run.seconds_left
    with run.stage(Seconds(run.seconds + left / 2)) if math.isfinite(left) else nullcontext():
        yield
