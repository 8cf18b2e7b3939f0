"""Independence selection: best-first by BIC*."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from best_first_cases import Parents, dependent_data, same_sets, same_tables, undominated
from hypothesis import given

from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import Event
from bnsearch.counting.cell_sums import products_of_sets
from bnsearch.counting.columns import Layout
from bnsearch.counting.kernels_set import new_scratch
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.scores import AIC, BIC, Scorer, improves, make_score
from bnsearch.scores.bounds import max_useful_parents
from bnsearch.selection.independence import Independence
from bnsearch.selection.sequential import Sequential
from strategies import Table, tables

# The hand-worked table: x copies a; b is independent of both. 8 rows, all of two states.
A = [0, 0, 0, 0, 1, 1, 1, 1]
B = [0, 1, 0, 1, 0, 1, 0, 1]
HAND = Dataset.from_codes(np.array([A, A, B]).T, names=("x", "a", "b"))


def estimate_by_definition(scorer: Scorer, slope: float, child: int, known: Parents, other: int, value: float) -> float:
    """Return BIC*(Y, {z}) by equation 3, where BIC(Y) is `value`; slope is log(N) / 2 for BIC, 1 for AIC."""
    arities = scorer.data.arities
    cells, states = math.prod(arities[p] for p in known), arities[other]
    inter = slope * (arities[child] - 1) * (cells + states - cells * states - 1) - scorer.family(child, ())
    return value + scorer.family(child, [other]) + inter


def search_by_definition(data: Dataset, score: BIC | AIC, child: int, evaluations: float) -> dict[Parents, float]:
    """Return all sets that an independence search scores, with the highest estimate of each open set."""
    scorer = Scorer(data, score)
    slope = math.log(data.n_rows) / 2 if isinstance(score, BIC) else 1.0
    price = slope * (data.arities[child] - 1)
    most = max_useful_parents(data, score, None)
    others = [v for v in range(data.n_variables) if v != child]
    closed = {p: scorer.family(child, p) for p in [(), *((v,) for v in others)]}
    best = {p: max(closed[p], closed[()]) for p in closed}  # of a set and those it was made from
    waiting: dict[Parents, tuple[float, float]] = {}  # estimate, best of those it is made from

    def extend(known: Parents) -> None:
        for other in others:
            grown = tuple(sorted({*known, other}))
            below = max(best[known], closed[other,])
            ceiling = -price * math.prod(data.arities[p] for p in grown)
            if not known or len(known) == most or grown in closed or not improves(ceiling, below):
                continue
            estimate = estimate_by_definition(scorer, slope, child, known, other, closed[known])
            if grown not in waiting or estimate > waiting[grown][0]:
                waiting[grown] = estimate, below

    for known in list(closed):
        extend(known)
    while waiting and len(closed) < evaluations:
        parents = max(waiting, key=lambda p: waiting[p][0])
        below = waiting.pop(parents)[1]
        closed[parents] = scorer.family(child, parents)
        best[parents] = max(below, closed[parents])
        extend(parents)
    return closed


@pytest.mark.parametrize("score", [BIC(), AIC()])
@pytest.mark.parametrize("evaluations", [1, 12, 30, math.inf])
def test_scores_the_families_of_the_definition(score: BIC | AIC, evaluations: float) -> None:
    """As many families as by definition are scored, and those that no subset matches are in the table."""
    data = dependent_data(1, n=7, top=4)
    limit = {"seconds": math.inf} if evaluations == math.inf else {"evaluations": 7 * evaluations}
    selection = Independence(**limit).select(data, score, threads=1)
    scored = [search_by_definition(data, score, v, evaluations) for v in range(7)]
    assert selection.scored == sum(map(len, scored))
    assert all(same_sets(selection.table, v, undominated(s)) for v, s in enumerate(scored))
    assert selection.stop == ("complete" if evaluations == math.inf else "evaluations")


def test_estimate_by_hand() -> None:
    """
    BIC*({a}, {b}) of x in the hand-worked table, with log N / 2 = log(8) / 2 = 1.0397 for each parameter.

    BIC() = 8 log(1/2) - 1.0397 = -6.5849. BIC(a) = 0 - 2 * 1.0397 = -2.0794, since a fits x. BIC(b) = 8 log(1/2) -
    2 * 1.0397 = -7.6246, since b says nothing. inter = 1.0397 * (2 + 2 - 4 - 1) - BIC() = -1.0397 + 6.5849 = 5.5452.
    The estimate -2.0794 - 7.6246 + 5.5452 = -4.1589 is exact here: BIC(a, b) = 0 - 4 * 1.0397.
    """
    from bnsearch.selection.kernels_independence import estimate

    half = math.log(8) / 2
    empty = 8 * math.log(0.5) - half
    value = estimate(-2 * half, 8 * math.log(0.5) - 2 * half, 2.0, 2.0, half, empty)
    assert value == pytest.approx(-4 * half)
    scorer = Scorer(HAND, BIC())
    assert estimate_by_definition(scorer, half, 0, (1,), 2, scorer.family(0, [1])) == pytest.approx(value)


def test_hand_worked_search() -> None:
    """The table keeps {} and {a} of x; {a, b}, whose penalty of 4 cells is above that of {a}, is not even scored."""
    selection = Independence(seconds=math.inf).select(HAND, BIC(), threads=1)
    half = math.log(8) / 2
    assert list(selection.table.sets(0)) == [
        (pytest.approx(-2 * half), (1,)),
        (pytest.approx(8 * math.log(0.5) - half), ()),
    ]
    # b: -4 * 1.0397 = -4.16 would beat BIC() = -6.58, so {x, a} is scored.
    assert selection.scored == 3 + 3 + 4


@given(tables(min_variables=2, max_variables=6))
def test_family_scores_equal_the_scorer(table: Table) -> None:
    """One count or two, the local score is the one that a Scorer gives."""
    from bnsearch.selection.kernels_independence import score_family

    data = table.dataset
    layout = Layout(data)
    terms = BIC().joint(data.n_rows).terms(data.n_rows, products_of_sets(layout.columns.arities, 3))
    scratch = new_scratch(layout.columns, data.n_variables)
    scorer = Scorer(data, BIC())
    for k in range(data.n_variables):
        family = np.array([*sorted(layout.place[1 : k + 1])[::-1], layout.place[0]])
        value = score_family(layout.arrays, scratch, family, terms)
        assert value == pytest.approx(scorer.family(0, range(1, k + 1)), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("score", [BIC(), AIC()])
@pytest.mark.parametrize("max_parents", [0, 1, 2, 3, None])
def test_unlimited_search_is_exhaustive(score: BIC | AIC, max_parents: int | None) -> None:
    """With a limit on the size only, the table is that of the exhaustive enumeration."""
    for seed in range(3):
        data = dependent_data(seed, n=7, top=4)
        selection = Independence(max_parents=max_parents, seconds=math.inf).select(data, score, threads=1)
        whole = Sequential(max_parents=max_parents).select(data, score, threads=1)
        assert same_tables(selection.table, whole.table)
        assert selection.depth == max_useful_parents(data, score, max_parents)
        assert selection.stop == "complete"


@given(tables(min_variables=1, max_variables=5, max_rows=65))
def test_strange_tables_are_searched_exhaustively(table: Table) -> None:
    """Constants, copies, gaps and thirty states: every set that no subset matches or beats is found."""
    data = table.dataset
    selection = Independence(seconds=math.inf).select(data, AIC(), threads=1)
    scorer = Scorer(data, AIC())
    for v in range(data.n_variables):
        others = [o for o in range(data.n_variables) if o != v]
        every = {p: scorer.family(v, p) for k in range(len(others) + 1) for p in combinations(others, k)}
        assert same_sets(selection.table, v, undominated(every))


def test_threads_do_not_matter() -> None:
    """One thread and three find the same sets in the same order."""
    data = dependent_data(4, n=12)
    one, three = (Independence(evaluations=1200).select(data, BIC(), threads=t) for t in (1, 3))
    assert one.scored == three.scored == 12 * 100
    assert one.table.members.tolist() == three.table.members.tolist()
    assert one.table.scores.tolist() == three.table.scores.tolist()


def test_time_ends_the_search() -> None:
    """Without any time a variable has its single parents, or, on a slow machine, just its empty set."""
    data = dependent_data(5, n=9)
    selection = Independence(seconds=1e-9).select(data, BIC(), threads=1)
    assert (selection.stop, selection.complete) == ("seconds", False)
    singles = Sequential(max_parents=1).select(data, BIC(), threads=1).table
    for v in range(9):
        kept = [parents for _, parents in selection.table.sets(v)]
        wanted = [parents for _, parents in singles.sets(v)]
        assert kept in (wanted, [()])


@pytest.mark.parametrize("threads", [1, 2])
def test_interrupted_returns_what_is_there(threads: int) -> None:
    """Interrupted after three variables, one more may have started; the rest have their empty set."""

    def stop_at_three(now: Event) -> None:
        if now.done >= 3:
            budget.request_stop()

    data = dependent_data(7, n=10)
    budget = Budget(threads=threads, observers=[stop_at_three])
    selection = Independence(evaluations=300).select_within(budget, data, BIC())
    assert selection.stop == "interrupted"
    assert selection.depth == 0
    assert any(len(list(selection.table.sets(v))) > 1 for v in range(4))
    assert all([p for _, p in selection.table.sets(v)] == [()] for v in range(4, 10))


@pytest.mark.parametrize("name", ["bdeu", "k2", "fnml", "qnml", "loglik"])
def test_needs_bic_or_aic(name: str) -> None:
    """Other scores have no BIC*: the error says so."""
    with pytest.raises(InputError, match=f"by BIC\\*, which needs BIC or AIC, not {name}"):
        Independence().select(HAND, make_score(name))


def test_refuses_two_limits_of_time() -> None:
    """Seconds in total and for each variable exclude each other."""
    with pytest.raises(InputError, match="seconds and seconds_per_variable are both given"):
        Independence(seconds=1, seconds_per_variable=1)
