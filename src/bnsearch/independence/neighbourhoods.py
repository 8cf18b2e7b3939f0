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

FindLocalSet = Callable[[PairTester, int, NDArray[np.int64]], Sequence[int]]


def find_max_min_neighbours(
    tester: PairTester,
    target: int,
    candidates: NDArray[np.int64],
    max_condition: int,
    halted: Callable[[], bool] = lambda: False,
) -> list[int]:
    """
    Return the candidate parents and children of a target: no subset of the others separates them from it (MMPC).

    The max-min heuristic adds the candidate whose minimum dependence on the target, over all conditions among the
    members so far, is the maximum. Afterwards, members that a condition among the others separates are removed. The
    symmetry correction of MMPC is left to `find_mutual_pairs`.

    Parameters
    ----------
    tester : the data and the test
    target, candidates : the variable, and the variables to choose from; the first of equally good ones is added
    max_condition : maximum number of variables in a condition
    halted : called before each addition; the search ends once it returns True

    References
    ----------
    Tsamardinos, Brown & Aliferis (2006), "The max-min hill-climbing Bayesian network structure learning algorithm",
    Algorithms 1 and 2.

    Notes
    -----
    A test without enough rows or without degrees of freedom (see `GTest`) is no evidence: it separates nothing, and a
    candidate whose test without a condition is no evidence is not added. The limit on the condition is ours: Algorithm
    1 takes the minimum over all subsets.
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
            cells = max((tester.max_condition_cells(target, x) for x in candidates[alive].tolist()), default=0.0)
            conditions = [(new, *rest) for rest in iterate_subsets_within(chosen, size, arities, cells / arities[new])]
            if not conditions or halted():
                break
            pairs = [(target, x) for x in candidates[alive].tolist() for _ in conditions]
            strengths = tester.strengths(pairs, conditions * len(alive)).reshape(len(alive), len(conditions))
            weakest[alive] = np.fmin(weakest[alive], np.fmin.reduce(strengths, axis=1))  # fmin ignores NaN
        chosen.append(new)
    for x in list(chosen):
        others = [y for y in chosen if y != x]
        for size in range(1, min(max_condition, len(others)) + 1):
            conditions = list(iterate_subsets_within(others, size, arities, tester.max_condition_cells(target, x)))
            if not conditions or halted():
                break
            if (tester.strengths([(target, x)] * len(conditions), conditions) <= 0).any():
                chosen.remove(x)
                break
    return chosen


def iterate_subsets_within(
    members: Sequence[int], size: int, arities: NDArray[np.int64], max_cells: float
) -> Iterator[tuple[int, ...]]:
    """Yield the subsets of a given size whose joint table has at most `max_cells` cells."""
    if size == 0:
        yield from [()] if max_cells >= 1 else []
        return
    for i, member in enumerate(members):
        left = max_cells / arities[member]
        if left >= 1:
            yield from ((member, *rest) for rest in iterate_subsets_within(members[i + 1 :], size - 1, arities, left))


def find_blanket(
    tester: PairTester,
    target: int,
    candidates: NDArray[np.int64],
    halted: Callable[[], bool] = lambda: False,
) -> list[int]:
    """
    Return the Markov blanket of a target: given it, the target is independent of all other variables.

    Add the candidate that depends most on the target given the blanket so far, while one depends on it. After each
    addition, remove the members that do not depend on the target given the others.

    References
    ----------
    Tsamardinos, Aliferis & Statnikov (2003), "Algorithms for large scale Markov blanket discovery": interIAMB.

    Notes
    -----
    A test with too few rows neither adds nor removes a variable. A blanket that holds a copy of the target, or
    variables that determine it, leaves a test no degrees of freedom (see `GTest`). The test is then made without the
    first members of the blanket, which are the strongest; otherwise a copy would hide all neighbours. Both rules are
    ours. So is a third: a removed variable is not added again, so the search ends. A spouse that was removed before the
    common child was added is therefore missed.
    """
    remaining = candidates.tolist()
    blanket: list[int] = []
    while remaining and not halted():
        strengths = compute_free_strengths(tester, target, remaining, blanket)
        strengths[np.isnan(strengths)] = -np.inf
        new = int(strengths.argmax())
        if strengths[new] <= 0:
            break
        blanket.append(remaining.pop(new))
        for x in list(blanket[:-1]):
            if compute_free_strengths(tester, target, [x], [y for y in blanket if y != x])[0] <= 0:
                blanket.remove(x)
    return blanket


def compute_free_strengths(
    tester: PairTester, target: int, others: Sequence[int], condition: Sequence[int]
) -> NDArray[np.float64]:
    """
    Return the strengths of the dependences of a target on other variables, in tests with degrees of freedom.

    While a test has no degrees of freedom, the first member of its condition is removed.
    """
    pairs = [(target, x) for x in others]
    max_cells = np.array([tester.max_condition_cells(*pair) for pair in pairs])
    strengths = tester.strengths(pairs, [condition] * len(pairs))
    while len(condition):
        enough_rows = math.prod(tester.data.arities[list(condition)].tolist()) <= max_cells
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
    decision : the rule for dependence; None means GTest(alpha=0.01)
    threads : number of threads; None means all cores

    See `find_blanket`. A variable is in a blanket only if the reverse holds, too.
    """
    both = find_mutual_pairs(data, decision or GTest(alpha=0.01), find_blanket, Run(threads=threads))
    return tuple(tuple(np.flatnonzero(row).tolist()) for row in both)


def find_mutual_pairs(
    data: Dataset, decision: Decision, find_local_set: FindLocalSet, run: Run, *, unknown_pairs: bool = False
) -> NDArray[np.bool_]:
    """
    Find a local set for each variable, in threads; return the pairs of variables that are in each other's set.

    The search has half of the remaining time of the run. For variables not reached in time, the set of the other
    variable decides.

    Parameters
    ----------
    data, decision : the table, and the rule for dependence
    find_local_set : returns the local set of a target, given a tester, the target and its candidates
    run : counts the tests as evaluations
    unknown_pairs : the result for pairs of two variables that were not reached in time

    Returns
    -------
    bool[n, n], symmetric
    """
    first = PairTester(data, decision)
    testers = Pool(first, first.fork)
    testers.prepare(run.threads)
    variables = variables_by_content(data)

    def find(target: int) -> tuple[Sequence[int] | None, int]:
        if run.halted():
            return None, 0
        with testers.lend() as tester:
            tests = tester.tests
            members = find_local_set(tester, target, variables[variables != target])
            return None if run.halted() else members, tester.tests - tests

    n = data.n_variables
    found, unknown = np.zeros((n, n), dtype=np.bool_), np.zeros(n, dtype=np.bool_)
    with limit_to_half_the_time(run):
        for target, (members, tests) in enumerate(run.map(find, range(n))):
            unknown[target] = members is None
            found[target, list(members or ())] = True
            run.count(evaluations=tests, computed=tests)
    if unknown.any():
        run.remark(
            f"the time for tests ran out: {unknown.sum()} of {n} variables were not tested; their pairs with "
            "tested variables are decided by the tests of these"
        )
    found |= unknown[:, np.newaxis]
    found[np.ix_(unknown, unknown)] = unknown_pairs
    both: NDArray[np.bool_] = found & found.T & ~np.eye(n, dtype=np.bool_)
    return both


@contextmanager
def limit_to_half_the_time(run: Run) -> Iterator[None]:
    """Halt the run within the block once half of its remaining time has passed."""
    remaining = run.seconds_left
    with run.extra_stop(Seconds(run.seconds + remaining / 2)) if math.isfinite(remaining) else nullcontext():
        yield
