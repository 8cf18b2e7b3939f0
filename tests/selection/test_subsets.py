"""Selection by subsets: the table of the exhaustive walk, legal sets, budgets, known optima."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from best_first_cases import dependent_data, same_tables, undominated
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.budgets.budget import Budget
from bnsearch.data import Dataset
from bnsearch.exact import Exact
from bnsearch.learning.search import search
from bnsearch.runs.problem import Problem
from bnsearch.scores import AIC, BIC, FNML, K2, QNML, BDeu, LogLikelihood, Scorer
from bnsearch.selection import Sequential, Subsets
from bnsearch.selection.subset_walk import Limits, SubsetWalk
from knowledge_cases import knowledge, legal_sets
from strategies import examples

NAMES = tuple("01234")
SCORES = [LogLikelihood(), AIC(), BIC(), BDeu(ess=1.0), BDeu(ess=50.0, prior=True), K2(), FNML(), QNML()]
NO_LIMITS = Limits(99, math.inf, 1 << 62)


def random_table(n: int, rows: int, seed: int, max_states: int = 6) -> Dataset:
    """Return a table of columns with one state to `max_states`, not all of which occur, that depend on each other."""
    random = np.random.default_rng(seed)
    arities = random.integers(1, max_states + 1, n)
    columns = [random.integers(0, arities[0], rows)]
    for v in range(1, n):
        noise = random.integers(0, random.integers(1, arities[v] + 1), rows)
        columns.append(np.where(random.random(rows) < random.random(), columns[v // 2] % arities[v], noise))
    return Dataset.from_codes(np.stack(columns, axis=1), arities=arities)


def all_values(data: Dataset, score, threads: int = 1):
    """Return a walk without limits and the values of all subsets."""
    walk = SubsetWalk(data, score, NO_LIMITS)
    return walk, walk.values(threads, lambda: False, lambda done, of: None)


@pytest.mark.parametrize("score", SCORES, ids=lambda score: f"{score.name}-{getattr(score, 'ess', '')}")
@given(n=st.integers(1, 6), rows=st.integers(1, 300), seed=st.integers(0, 10**6), states=st.sampled_from([2, 3, 6, 40]))
@examples(15)
def test_values_are_those_of_the_scorer(score, n, rows, seed, states):
    """Every family's score, as a difference of two values, is the one that counting it alone gives."""
    data = random_table(n, rows, seed, states)
    walk, values = all_values(data, score)
    scorer = Scorer(data, score)
    for child in range(n):
        bit = walk.bit_of[child]
        masks = [mask for mask in range(1 << n) if not mask & bit]
        found = [values[0, mask | bit] - values[walk.classes[child], mask] for mask in masks]
        sets = [[v for v in range(n) if mask & walk.bit_of[v]] for mask in masks]
        assert found == pytest.approx(scorer.families([child] * len(sets), sets).tolist(), rel=1e-9, abs=1e-9)


def test_rows_that_repeat_often():
    """Cells of 40 rows and more, above what is tallied, and sets whose number of cells is not tabulated."""
    random = np.random.default_rng(3)
    codes = random.integers(0, 2, (12, 13))[random.integers(0, 12, 3000) ** 2 // 12]
    arities = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41]
    data = Dataset.from_codes(codes, arities=arities)
    walk, values = all_values(data, BDeu(ess=1.0))
    scorer = Scorer(data, BDeu(ess=1.0))
    for _ in range(300):
        child, *parents = random.permutation(13)[: random.integers(1, 11)].tolist()
        mask = int(walk.bit_of[parents].sum())
        found = values[0, mask | walk.bit_of[child]] - values[0, mask]
        assert found == pytest.approx(scorer.family(child, parents), rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("score", SCORES, ids=lambda score: f"{score.name}-{getattr(score, 'ess', '')}")
@given(n=st.integers(1, 7), rows=st.integers(1, 200), seed=st.integers(0, 10**6), most=st.none() | st.integers(0, 6))
@examples(15)
def test_equals_the_exhaustive_enumeration(score, n, rows, seed, most):
    """The table is that of `Sequential` with the same limit, with and without sound bounds, and is complete."""
    data = random_table(n, rows, seed)
    expected = Sequential(max_parents=most, pruning=()).select(data, score, threads=1)
    for pruning in ((), ("in-degree", "ceiling")):
        found = Subsets(max_parents=most, pruning=pruning).select(data, score, threads=1)
        assert (found.complete, found.stop) == (True, "complete")
        for v in range(n):
            ours, theirs = ({p: s for s, p in table.sets(v)} for table in (found.table, expected.table))
            assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-9)
    assert found.depth == Sequential(max_parents=most).select(data, score, threads=1).depth


@pytest.mark.parametrize("score", [BIC(), BDeu(), K2(), QNML()], ids=lambda score: score.name)
@given(seed=st.integers(0, 1000), known=knowledge(NAMES))
@examples(40)
def test_legal_sets_that_matter(score, seed, known):
    """By definition: all legal sets scored, those kept that no legal subset matches or beats; required parents too."""
    data, constraints = dependent_data(seed, n=5, rows=150), known.constraints(NAMES)
    selection = Subsets().select(data, score, threads=1, constraints=constraints)
    assert selection.complete
    scorer = Scorer(data, score)
    for child in range(5):
        rows = {parents: score for score, parents in selection.table.sets(child)}
        if constraints.required[child].any():
            assert rows.pop(()) < min(rows.values())
        scored = {parents: scorer.family(child, parents) for parents in legal_sets(constraints, child)}
        assert rows == pytest.approx(undominated(scored))


def test_threads_do_not_matter():
    """The tables of one and of three threads are the same to the last bit."""
    data = random_table(13, 400, seed=5)
    tables = [Subsets().select(data, BDeu(), threads=threads).table for threads in (1, 3)]
    assert same_tables(*tables)
    assert np.array_equal(tables[0].scores, tables[1].scores)


def test_blocks_of_many_candidates():
    """With 14 candidates a variable has four blocks of subsets; the table is still that of the enumeration."""
    data = random_table(15, 120, seed=8, max_states=3)
    tables = [each(max_parents=4).select(data, BIC(), threads=1).table for each in (Subsets, Sequential)]
    ours, theirs = ([{parents for _, parents in table.sets(v)} for v in range(15)] for table in tables)
    assert ours == theirs


@pytest.mark.parametrize(
    ("builder", "halt", "stop"),
    [
        (Subsets(memory=1 << 20), False, "memory"),
        (Subsets(evaluations=1000), False, "evaluations"),
        (Subsets(), True, "interrupted"),
    ],
)
def test_what_does_not_fit_is_said(builder, halt, stop):
    """18 variables have 2^18 subsets, 2 MiB of values; without room each variable has its empty set alone."""
    data = random_table(18, 50, seed=1, max_states=2)
    budget = Budget()
    if halt:
        budget.request_stop()
    selection = builder.select_within(budget, data, BIC())
    assert (selection.complete, selection.stop, selection.depth) == (False, stop, 0)
    assert selection.table.n_sets == 18
    expected = Scorer(data, BIC()).families(range(18), [()] * 18)
    assert selection.table.scores == pytest.approx(expected)


def test_expected_seconds():
    """A positive time; infinity if the memory does not suffice."""
    data = random_table(14, 100, seed=2)
    assert 0 < Subsets().expected_seconds(data, BDeu(), threads=1, sample=0.001) < math.inf
    assert Subsets(memory=1 << 20).expected_seconds(random_table(18, 50, seed=1), BIC(), sample=0.001) == math.inf
    assert Subsets().expected_seconds(random_table(60, 50, seed=1), BIC(), sample=0.001) == math.inf


@pytest.mark.parametrize(
    ("file", "score", "optimum"),
    [
        ("uci/iris", BIC(), -465.435),
        ("uci/iris", BDeu(), -452.214),
        ("uci/tic-tac-toe", BIC(), -9396.376),
        ("uci/tic-tac-toe", BDeu(), -9423.068),
        ("debd/nltcs.valid", BIC(), -13327.016510),
        ("debd/nltcs.test", BIC(), -20033.595540),
        ("debd/msnbc.valid", BIC(), -246168.019192),
    ],
)
def test_known_optima(shared_data: Path, file, score, optimum):
    """With exact search over the complete table: optima over all networks that other programs have proven."""
    data = Dataset.read(shared_data / f"{file}.csv.gz", header=False)
    selection = Subsets().select(data, score)
    assert selection.complete
    result = search(Problem(table=selection.table), Exact(), seed=1)
    assert result.optimal
    assert result.score == pytest.approx(optimum, abs=1e-3)
