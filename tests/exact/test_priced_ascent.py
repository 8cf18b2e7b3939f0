"""Bounds over large tables: rows that are not active are priced, and the bound covers all of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.budgets.budget import Budget
from bnsearch.exact import priced_table
from bnsearch.exact.cut_bound import CutBound
from bnsearch.exact.priced_ascent import PricedAscent
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import random_candidates
from clocks import Clock
from reference_exact import best_score, define_value
from strategies import examples

SEEDS = st.integers(0, 2**32 - 1)


def join(*tables: ParentSets) -> ParentSets:
    """Return the table of the sets of several tables."""
    return ParentSets.from_families(tables[0].names, [table.families for table in tables])


@examples(40)
@given(st.integers(2, 9), st.integers(2, 60), SEEDS, st.integers(0, 12), st.integers(1, 3))
def test_the_bound_covers_both_tables(n, sets, seed, rounds, first_rows):
    """With few active rows and a second table, the value is that of the definition over all rows of both tables."""
    table, core = random_candidates(n, sets, 4, seed), random_candidates(n, 3, 4, seed + 1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(priced_table, "FIRST_ROWS", first_rows)
        ascent = PricedAscent(table, core)
        ascent.improve(Budget(), max_rounds=rounds)
    every = join(table, core)
    assert ascent.bound.value == pytest.approx(define_value(every, ascent.bound), abs=1e-9)
    assert ascent.bound.value >= best_score(every) - 1e-9
    assert ascent.make_table().n_sets == every.n_sets


@examples(20)
@given(st.integers(2, 9), SEEDS)
def test_another_core(n, seed):
    """After the small table is replaced, the bound covers the new one, with the old clusters."""
    table, old, new = (random_candidates(n, 20, 4, seed + i) for i in range(3))
    ascent = PricedAscent(table, old)
    ascent.improve(Budget(), max_rounds=5)
    ascent.replace_core(new)
    every = join(table, new)
    assert ascent.bound.value == pytest.approx(np.sum(every.scores[every.begin[:-1]]))
    ascent.improve(Budget(), max_rounds=1)
    assert ascent.bound.value == pytest.approx(define_value(every, ascent.bound), abs=1e-9)
    assert ascent.bound.value >= best_score(every) - 1e-9
    again = PricedAscent(table, new, ascent.bound)
    again.improve(Budget(), max_rounds=1)
    assert again.bound.value <= ascent.bound.value + 1e-9


def test_another_core_restarts_the_temperature():
    """With many other rows, the search begins again with the highest temperature; with a few, it continues."""
    table, core = random_candidates(10, 40, 4, seed=1), random_candidates(10, 40, 4, seed=2)
    ascent = PricedAscent(table)
    first = ascent._ascent.temperature
    ascent.improve(Budget(), max_rounds=30)
    later = ascent._ascent.temperature
    assert later < first
    ascent.replace_core(core, restart=False)
    assert ascent._ascent.temperature == later
    ascent.replace_core(core)
    assert ascent._ascent.temperature == first


def test_few_active_rows_give_the_bound_of_all(monkeypatch):
    """A search from one active row of each variable converges to the bound of a search over all rows."""
    table = random_candidates(12, 80, 3, seed=2)
    whole = PricedAscent(table)
    whole.improve(Budget(60))
    monkeypatch.setattr(priced_table, "FIRST_ROWS", 1)
    priced = PricedAscent(table)
    priced.improve(Budget(60))
    assert whole.converged
    assert priced.converged
    assert priced.bound.value == pytest.approx(whole.bound.value, rel=2e-3)


@pytest.mark.parametrize("readings", [1, 10, 100])
def test_a_stop_at_any_time(readings):
    """The bound is valid after a stop, and the search continues."""
    table = random_candidates(10, 60, 4, seed=1)
    ascent = PricedAscent(table)
    values = [ascent.improve(Budget(readings, clock=Clock(tick=1.0))).value for _ in range(5)]
    assert values == sorted(values, reverse=True)
    assert values[-1] >= best_score(table) - 1e-9


@pytest.mark.parametrize(("seconds", "n_rounds"), [(5.9, 0), (6.1, 1)])
def test_no_round_without_time_for_its_pricing(monkeypatch, seconds, n_rounds):
    """The last round took 4 s and its pricing 2 s. A round is made only if both fit; it takes 4 s again."""
    ascent = PricedAscent(random_candidates(8, 20, 4, seed=3))
    ascent.improve(Budget(clock=Clock()), max_rounds=1)
    ascent.round_seconds, ascent.pricing_seconds = 4.0, 2.0
    clock, made = Clock(), []

    def improve(*_, **__):
        made.append(clock.now)
        clock.now += 4.0

    monkeypatch.setattr(ascent._ascent, "improve", improve)
    ascent.improve(Budget(seconds, clock=clock))
    assert len(made) == n_rounds


def test_rounds_do_not_depend_on_the_clock():
    """With a number of rounds and no time limit, two searches give the same bound, whatever the clock says."""
    table = random_candidates(10, 60, 4, seed=1)
    values = []
    for tick in (0.0, 0.001):
        ascent = PricedAscent(table)
        values.append(ascent.improve(Budget(clock=Clock(tick=tick)), max_rounds=20).value)
    assert values[0] == pytest.approx(values[1], rel=1e-3)


@examples(25)
@given(st.integers(2, 10), st.integers(2, 40), SEEDS)
def test_branch_and_cut_in_slices(n, sets, seed):
    """Interrupted again and again, it ends with the optimum; the bound never increases and is never below it."""
    pytest.importorskip("highspy")
    table = random_candidates(n, sets, 4, seed)
    best = best_score(table)
    found: list[float] = []
    ascent = PricedAscent(table)
    ascent.improve(Budget(), max_rounds=4)
    search = CutBound(
        table, table.begin[1:] - 1, ascent.bound, report=lambda rows: found.append(table.scores[rows].sum())
    )
    values = [search.value]
    for i in range(60):
        values.append(search.improve(Budget(30 * 1.2**i, clock=Clock(tick=1.0))))
        if values[-1] <= best + 1e-9 and table.scores[search.rows].sum() >= best - 1e-9:
            break
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(best, abs=1e-8)
    assert table.scores[search.rows].sum() == pytest.approx(best, abs=1e-8)
    assert found == sorted(found)
    table.network(search.rows)  # raises an error if there is a cycle


@examples(15)
@given(st.integers(3, 10), st.integers(10, 40), SEEDS)
def test_cuts_of_another_table(n, sets, seed):
    """The cuts of a search over one table are valid for another one, whose optimum is found with them."""
    pytest.importorskip("highspy")
    old, new = random_candidates(n, sets, 4, seed), random_candidates(n, sets, 4, seed + 1)
    first = CutBound(old, old.begin[1:] - 1)
    first.improve(Budget(60))
    cuts = first.list_cuts()
    second = CutBound(new, new.begin[1:] - 1, cuts=cuts)
    assert second.improve(Budget(60)) == pytest.approx(best_score(new), abs=1e-8)
    assert all(set(cut.members.tolist()) <= set(range(n)) for cut in cuts)
