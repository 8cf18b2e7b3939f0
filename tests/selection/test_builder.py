"""The base class of all selections: budgets, reports, checks."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from best_first_cases import dependent_data, same_tables

import bnsearch
from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import Event
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.knowledge.constraints import Constraints
from bnsearch.parent_sets import ParentSets
from bnsearch.scores import BIC, K2, BDeu
from bnsearch.selection import SELECTIONS, Auto, Selection, Sequential, make_selection
from bnsearch.selection import auto as auto_module
from bnsearch.selection import builder as builder_module
from bnsearch.selection import walk as walk_module


def wide_data(seed: int = 3) -> Dataset:
    """Return 30 variables that depend on each other."""
    return dependent_data(seed, n=30, rows=250)


def is_equal(one: ParentSets, other: ParentSets) -> bool:
    """Return True if two tables are the same to the last bit."""
    arrays = ("begin", "scores", "first", "members")
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in arrays)


@pytest.mark.parametrize("evaluations", [40, 1_000, 3_000, 20_000])
@pytest.mark.parametrize("score", [BIC(), BDeu(ess=2.0), K2()], ids=["bic", "bdeu", "k2"])
def test_auto_within_evaluations_is_reproducible(score, evaluations):
    """One thread, two threads, and once more: the same table, and no more families than allowed."""
    selections = [Auto(evaluations=evaluations).select(wide_data(), score, threads=t) for t in (1, 2, 1)]
    assert all(is_equal(selections[0].table, s.table) for s in selections)
    assert all(s.scored == selections[0].scored <= evaluations for s in selections)
    assert {s.stop for s in selections} == {"evaluations"}


def test_auto_spends_evaluations_on_whole_sizes_and_on_growth():
    """
    30 variables have 30 + 30 * 29 = 900 families of up to one parent and 30 * 406 = 12,180 of two.

    Of 3,000 the pairs fit, the triples do not, and at least one extension of each variable by 28 others does.
    """
    selection = Auto(evaluations=3000).select(wide_data(), BIC())
    assert selection.depth == 1
    assert selection.table.max_parents > 1
    assert 900 + 30 * 28 <= selection.scored <= 3000
    assert all(29 < report.scored <= 100 for report in selection.per_variable)


@pytest.mark.parametrize("name", SELECTIONS)
def test_more_evaluations_are_never_worse(name):
    """The best sets only improve with the budget."""
    bounds = []
    for evaluations in (1_000, 2_000, 4_000, 16_000):
        table = make_selection(name, evaluations=evaluations).select(wide_data(), BIC()).table
        bounds.append(float(table.scores[table.begin[:-1]].sum()))
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1]


def test_sequential_takes_whole_sizes_within_evaluations():
    """899 families are one too few for all single parents of 30 variables."""
    few, enough = (Sequential(evaluations=e).select(wide_data(), BIC()) for e in (899, 900))
    assert (few.stop, few.scored, few.depth) == ("evaluations", 30, 0)
    assert (enough.stop, enough.scored, enough.depth) == ("evaluations", 900, 1)


@pytest.mark.parametrize("name", SELECTIONS)
@pytest.mark.parametrize("most", [1, 3, 10**6])
def test_max_sets_keeps_the_best_and_the_empty_set(name, most):
    """The first sets of the whole table, and the empty set if it is not one of them."""
    data = dependent_data(5)
    limits = {"evaluations": 200}
    whole = make_selection(name, **limits).select(data, BIC()).table
    cut = make_selection(name, max_sets=most, **limits).select(data, BIC()).table
    for v in range(data.n_variables):
        expected = list(whole.sets(v))
        assert list(cut.sets(v)) == expected[:most] + (expected[-1:] if len(expected) > most else [])


@pytest.mark.parametrize("name", SELECTIONS)
def test_reports_add_up(name):
    """The numbers of all variables add up to those of the selection, and agree with the table."""
    selection = make_selection(name, evaluations=400, max_parents=3).select(dependent_data(6), BIC(), threads=2)
    reports = selection.per_variable
    assert [r.name for r in reports] == list(selection.table.names)
    assert sum(r.scored for r in reports) == selection.scored
    assert sum(r.kept for r in reports) == selection.kept
    assert sum(r.pruned for r in reports) == selection.pruned
    for v, report in enumerate(reports):
        sets = [parents for _, parents in selection.table.sets(v)]
        assert (report.kept, report.max_parents) == (len(sets), max(map(len, sets)))
    assert all(0 < r.seconds <= selection.seconds for r in reports)


def test_seconds_per_variable_are_a_total():
    """One minute by default; a budget for each variable is multiplied by the number of variables."""
    assert Auto().total_seconds(7) == 60
    assert Auto(seconds_per_variable=3).total_seconds(7) == 21
    assert Auto(seconds=5).total_seconds(7) == 5
    assert Auto(evaluations=5).total_seconds(7) == math.inf
    assert Sequential().total_seconds(7) == math.inf


def test_no_kernel_is_loaded_while_the_clock_runs():
    """A fresh process has loaded all kernels that auto calls, once it has selected on tiny tables."""
    code = """
import sys
import numpy as np
from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import Event
from bnsearch.data import Dataset
from bnsearch.selection import Auto
from bnsearch.scores import BDeu

def loaded():
    modules = [m for name, m in sys.modules.items() if name.startswith("bnsearch") and "kernels" in name]
    return {k: len(k.signatures) for m in modules for k in vars(m).values() if hasattr(k, "signatures")}

codes = np.random.default_rng(1).integers(0, 2, (300, 20))
codes[:, 9] = codes[:, 0] & codes[:, 1] & codes[:, 2]
data = Dataset.from_codes(codes)
Auto().load_kernels(data, 1, None)
before = loaded()
assert Auto(evaluations=5000).select(data, BDeu(), threads=1).table.max_parents > 2
assert loaded() == before and sum(before.values()) > 10
"""
    source = str(Path(bnsearch.__file__).parents[1])
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": source})


@pytest.mark.parametrize("name", ["auto", "sequential"])
def test_no_time_leaves_what_there_is(name):
    """Without any time there is a table, with at least the empty sets, and the reason for the end."""
    data = dependent_data(7, n=12)
    selection = make_selection(name, seconds_per_variable=1e-9).select(data, BIC(), threads=2)
    assert selection.stop == "seconds"
    assert all(list(selection.table.sets(v))[-1][1] == () for v in range(12))


def interrupted(builder, data: Dataset, threads: int, at: str, done: int) -> Selection:
    """Run a selection that is interrupted when a task has reached a given progress."""

    def interrupt(now: Event) -> None:
        if at in now.task and now.done >= done:
            budget.request_stop()

    budget = Budget(threads=threads, observers=[interrupt])
    return builder.select_within(budget, data, BIC())


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_keeps_what_has_grown(threads):
    """Interrupted after ten of thirty variables have grown, these have larger sets, and the others single parents."""
    builder = Auto(evaluations=3000)
    whole = builder.select(wide_data(), BIC()).table
    selection = interrupted(builder, wide_data(), threads, "growing", 10)
    assert selection.stop == "interrupted"
    assert selection.depth == 1
    larger = [max(len(p) for _, p in selection.table.sets(v)) > 1 for v in range(30)]
    assert 5 <= sum(larger) <= 20
    for v in range(30):
        assert set(selection.table.sets(v)) <= set(whole.sets(v))


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_of_the_enumeration_keeps_what_is_there(monkeypatch, threads):
    """Interrupted at the first of several pieces of triples, all pairs are there."""
    monkeypatch.setattr("bnsearch.counting.piece_sizes.MIN_ROWS_PER_CALL", 1)
    selection = interrupted(Auto(evaluations=30_000), wide_data(), threads, "sets of 2", 1)
    assert (selection.stop, selection.depth) == ("interrupted", 1)
    assert selection.table.n_sets >= Sequential(max_parents=1).select(wide_data(), BIC()).table.n_sets


def test_an_interrupt_while_kernels_are_loaded_is_the_callers(monkeypatch):
    """Ctrl-C during the selection on the tiny table ends the call, and the next call starts again."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    builder_module.select_from_tiny_table.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(walk_module.Walk, "run", interrupt)
        with pytest.raises(KeyboardInterrupt):
            Auto(evaluations=100).select(wide_data(), BIC())
    assert Auto(evaluations=100).select(wide_data(), BIC()).stop == "evaluations"


def record_events(builder, threads: int = 1, constraints: Constraints | None = None) -> tuple[list[Event], Selection]:
    """Return the events of a selection, and its result."""
    seen: list[Event] = []
    found = builder.select(wide_data(), BIC(), threads=threads, observers=[seen.append], constraints=constraints)
    return seen, found


def test_growth_reports_variables():
    """A report after each variable has the number of variables done; some of the sets are pruned at the end."""
    seen, found = record_events(Auto(evaluations=3000))
    grown = [now for now in seen if now.task == "growing parent sets"]
    assert [(now.done, now.total, now.unit) for now in grown[:30]] == [(i + 1, 30, "variables") for i in range(30)]
    kept = [now.found for now in grown]
    assert kept == sorted(kept)
    assert found.kept <= kept[-1] <= found.scored


@pytest.mark.parametrize("threads", [1, 2])
def test_enumeration_reports_families(threads):
    """30 variables have 30 * 29 families of one parent and 30 * 406 of two; those kept are those of the table."""
    seen, found = record_events(Sequential(max_parents=2), threads)
    last = {now.task: now for now in sorted(seen, key=lambda now: now.done)}
    assert [(now.done, now.total) for now in last.values()] == [(870, 870), (12180, 12180)]
    assert list(last) == ["single parents", "sets of 2 parents"]
    assert max(now.found for now in seen) == found.kept


def test_what_is_legal_is_not_known_during_enumeration():
    """Forbidden parents are removed at the end: until then the number of kept sets is not known."""
    known = Knowledge(forbidden=[("0", "1")]).constraints(wide_data().names)
    seen, found = record_events(Auto(evaluations=3000), constraints=known)
    assert {now.found for now in seen if now.unit == "sets"} == {None}
    assert [now.found for now in seen if now.unit == "variables"][-1] >= found.kept


def test_auto_says_that_it_restricts_candidates(monkeypatch):
    """With more variables than a limit, here 20, growth considers the 4 best single parents of each variable."""
    assert Auto(evaluations=3000).select(wide_data(), BIC()).notes == ()
    monkeypatch.setattr(auto_module, "MANY_VARIABLES", 20)
    monkeypatch.setattr(auto_module, "MANY_CANDIDATES", 4)
    selection = Auto(evaluations=3000).select(wide_data(), BIC())
    assert len(selection.notes) == 1
    assert "with 30 variables" in selection.notes[0]
    assert "4 strongest partners" in selection.notes[0]
    assert "Auto(candidates=...) and `bnsearch parents --candidates` set another number" in selection.notes[0]
    asked = Auto(evaluations=3000, candidates=4).select(wide_data(), BIC())
    assert asked.notes == ()
    assert is_equal(asked.table, selection.table)
    singles = Sequential(max_parents=1).select(wide_data(), BIC()).table
    for v in range(30):
        strongest = {p[0] for _, p in singles.sets(v) if p and list(singles.sets(v)).index((_, p)) < 4}
        sets = [p for _, p in selection.table.sets(v) if len(p) > 1]
        assert all(sum(u not in strongest for u in p) <= 1 for p in sets)


def test_growth_within_memory():
    """One MiB for thirty variables is about 35 kB for each; the sets that fit are returned."""
    data = dependent_data(1, n=30, rows=3000, top=2)
    selection = Auto(memory=1 << 20, seconds=math.inf, max_parents=6).select(data, BIC())
    assert selection.stop == "memory"
    assert selection.table.max_parents > selection.depth


def test_all_selections_find_the_same_in_the_end():
    """Without limits every selection returns the table of all sets that matter, if greedy steps can reach them."""
    data = dependent_data(9)
    tables = [make_selection(name, seconds=math.inf).select(data, BIC()).table for name in ("auto", "greedy")]
    everything = Sequential(max_parents=None).select(data, BIC()).table
    assert all(same_tables(table, everything) for table in tables)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"candidates": 0}, "candidates must be at least 1, not 0"),
        ({"max_parents": 1.5}, "max_parents must be a whole number, not 1.5"),
        ({"seconds": -1}, "seconds must be above 0, not -1"),
        ({"memory": 10}, "memory must be at least 1048576, not 10"),
        ({"pruning": ("bounds",)}, "pruning must be one of in-degree, ceiling, not 'bounds'"),
    ],
)
def test_refuses_bad_parameters(parameters, message):
    """Every parameter out of its range is named, with the range and the value."""
    with pytest.raises(InputError) as error:
        Auto(**parameters)
    assert str(error.value) == message


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["auto", "sequential", "greedy", "independence"])
@pytest.mark.parametrize("constrained", [False, True])
def test_a_halt_from_outside_leaves_what_there_is(monkeypatch, name, threads, constrained):
    """Halted at the twentieth call of `halt`, or before the first, a selection has at least the empty sets."""
    monkeypatch.setattr("bnsearch.counting.piece_sizes.MIN_ROWS_PER_CALL", 1)
    data = dependent_data(1, n=25, rows=500, top=2)
    known = Knowledge(required=[("0", "1")], forbidden=[("2", "3")]) if constrained else Knowledge()
    constraints = known.constraints(data.names) if constrained else None
    for patience in (0, 20):
        asked = itertools.repeat(None, patience)
        budget = Budget(threads=threads, stop_condition=partial(next, asked, "interrupted"))
        selection = make_selection(name, seconds=1000).select_within(budget, data, BIC(), constraints)
        assert selection.stop == "interrupted"
        assert not selection.complete
        assert all(list(selection.table.sets(v))[-1][1] == () for v in range(25))
        if constrained:
            assert [parents for _, parents in selection.table.sets(1)][-2] == (0,)


def test_who_waits_gets_the_best_sets(monkeypatch):
    """Interrupted with more than 90 rows, each of thirty variables keeps its best three sets and the empty set."""
    monkeypatch.setattr("bnsearch.parent_sets.assembly.MAX_BEST_ROWS", 90)
    monkeypatch.setattr("bnsearch.selection.growth_stage.MAX_BEST_ROWS", 90)
    for at in ("sets of 2", "growing"):
        selection = interrupted(Auto(evaluations=30_000), wide_data(), 1, at, 20)
        assert selection.stop == "interrupted"
        whole = Sequential(max_parents=1).select(wide_data(), BIC()).table
        for v in range(30):
            rows = list(selection.table.sets(v))
            assert rows[-1][1] == ()
            assert rows[0][0] >= next(iter(whole.sets(v)))[0]
            if at == "sets of 2":
                assert len(rows) <= 4
