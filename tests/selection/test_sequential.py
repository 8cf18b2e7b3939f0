"""Sequential selection against the definition: every family scored, dominated ones dropped."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.budgets.budget import Budget
from bnsearch.budgets.events import Event
from bnsearch.counting.pieces import Piece, count_sets_with_each
from bnsearch.counting.sweep import Sweep
from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.knowledge import Knowledge
from bnsearch.scores import BIC, K2, BDeu, Scorer, improves
from bnsearch.selection.lattice_search import LatticeSearch
from bnsearch.selection.sequential import Sequential
from clocks import Clock
from strategies import examples


def random_table(n: int, rows: int, seed: int) -> Dataset:
    """Return a table with dependent columns of one to four states."""
    random = np.random.default_rng(seed)
    arities = random.integers(1, 5, n)
    columns = [random.integers(0, arities[0], rows)]
    for v in range(1, n):
        noise = random.integers(0, arities[v], rows)
        columns.append(np.where(random.random(rows) < 0.7, columns[v // 2] % arities[v], noise))
    return Dataset.from_codes(np.stack(columns, axis=1), arities=arities)


def by_definition(
    data: Dataset, score, max_parents: int, candidates: int | None = None
) -> list[dict[tuple[int, ...], float]]:
    """Return the sets of each variable's best single parents that improve on all their subsets."""
    scorer = Scorer(data, score)
    tables = []
    for v in range(data.n_variables):
        others = [u for u in range(data.n_variables) if u != v]
        if candidates is not None and candidates < len(others):
            alone = {u: scorer.family(v, [u]) for u in others}
            last = sorted(alone.values(), reverse=True)[candidates - 1]
            others = [u for u in others if not improves(last, alone[u])]
        families = {s: scorer.family(v, s) for k in range(max_parents + 1) for s in combinations(others, k)}
        tables.append(
            {
                s: value
                for s, value in families.items()
                if all(improves(value, families[t]) for k in range(len(s)) for t in combinations(s, k))
            }
        )
    return tables


@pytest.mark.parametrize("score", [BIC(), BDeu(ess=2.0), K2()], ids=["bic", "bdeu", "k2"])
@given(n=st.integers(1, 6), rows=st.integers(1, 150), seed=st.integers(0, 10**6), most=st.integers(0, 4))
@examples(12)
def test_equals_the_definition(score, n, rows, seed, most):
    """The table holds exactly the sets that no subset matches or beats, with their scores, best first."""
    data = random_table(n, rows, seed)
    selection = Sequential(max_parents=most).select(data, score, threads=1)
    expected = by_definition(data, score, selection.depth)
    for v in range(n):
        found = {parents: value for value, parents in selection.table.sets(v)}
        assert found == pytest.approx(expected[v], rel=1e-9, abs=1e-9)
        values = [value for value, _ in selection.table.sets(v)]
        assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("score", [BIC(), K2()], ids=["bic", "k2"])
@given(
    n=st.integers(1, 7),
    rows=st.integers(1, 150),
    seed=st.integers(0, 10**6),
    most=st.integers(0, 4),
    candidates=st.integers(1, 5),
)
@examples(15)
def test_all_sets_of_the_strongest_partners(score, n, rows, seed, most, candidates):
    """The table holds the sets of up to `most` of each variable's best single parents that no subset beats."""
    data = random_table(n, rows, seed)
    builder = Sequential(max_parents=most, candidates=candidates)
    one, two = (builder.select(data, score, threads=threads) for threads in (1, 2))
    expected = by_definition(data, score, most, candidates)
    for v in range(n):
        found = {parents: value for value, parents in one.table.sets(v)}
        assert found == pytest.approx(expected[v], rel=1e-9, abs=1e-9)
        assert list(two.table.sets(v)) == list(one.table.sets(v))
    assert one.stop == "complete"


def test_few_partners_are_not_all_there_is():
    """
    Ten variables, three partners each: 8 sets of the three, and the other six single parents scored to find them.

    Nothing is then known of other sets; with nine partners everything is.
    """
    data = Dataset.from_codes(np.random.default_rng(2).integers(0, 3, (300, 10)))
    few = Sequential(max_parents=3, candidates=3, pruning=()).select(data, BDeu(ess=1.0))
    assert few.scored_of.tolist() == [8 + 6] * 10
    assert (few.complete, few.depth, few.stop) == (False, 0, "complete")
    assert all(len({u for _, s in few.table.sets(v) for u in s}) <= 3 for v in range(10))
    every = Sequential(max_parents=3, candidates=9).select(data, BDeu(ess=1.0))
    assert (every.complete, every.depth) == (True, 3)


def test_partners_respect_what_is_known():
    """Candidates are the best of the allowed parents, and every set also holds the required parents."""
    data = random_table(8, 400, 4)
    known = Knowledge(required=[(data.names[7], data.names[2])], forbidden=[(data.names[1], data.names[3])])
    constraints = known.constraints(data.names)
    found = Sequential(max_parents=3, candidates=2).select(data, BIC(), constraints=constraints)
    scorer = Scorer(data, BIC())
    for v in range(8):
        allowed = [u for u in range(8) if u != v and constraints.allowed[v, u]]
        strongest = sorted(allowed, key=lambda u, v=v: -scorer.family(v, [u]))[:2]
        sets = [set(s) for _, s in found.table.sets(v) if s]
        assert all(s - {7} <= {*strongest} if v == 2 else s <= {*strongest} for s in sets)
        assert v != 2 or (sets and all(7 in s for s in sets))


@pytest.mark.parametrize("score", [BIC(), BDeu(ess=2.0)], ids=["bic", "bdeu"])
@given(n=st.integers(1, 6), rows=st.integers(1, 150), seed=st.integers(0, 10**6), most=st.integers(0, 4))
@examples(10)
def test_one_variable_after_the_other_finds_the_same(score, n, rows, seed, most):
    """With a time budget for each variable, these are enumerated separately, with the same table."""
    data = random_table(n, rows, seed)
    one = Sequential(max_parents=most).select(data, score)
    apart = Sequential(max_parents=most, seconds_per_variable=1e6).select(data, score)
    for v in range(n):
        found = {parents: value for value, parents in apart.table.sets(v)}
        assert found == pytest.approx({p: s for s, p in one.table.sets(v)}, rel=1e-9, abs=1e-9)
    assert (apart.complete, apart.depth, apart.stop) == (one.complete, one.depth, "complete")


def test_time_for_each_variable_is_no_pool(monkeypatch):
    """
    The enumeration of each variable may take 5 seconds from its begin; time that others leave is not added.

    The clock goes on by a second with every look. The first variable may have no parents and ends at once; all others
    are broken off while pairs are scored, each after as many looks.
    """
    data = random_table(9, 200, 6)
    known = Knowledge(roots=[data.names[0]]).constraints(data.names)
    builder = Sequential(max_parents=3, seconds_per_variable=5.0)
    builder.select(data, BIC(), threads=1, constraints=known)  # kernels are loaded
    limits = []

    class Watched(LatticeSearch):
        def __init__(self, *arguments):
            limits.append(arguments[7] - clock.now)
            super().__init__(*arguments)

    clock = Clock(tick=1.0)
    monkeypatch.setattr("bnsearch.selection.sequential.LatticeSearch", Watched)
    monkeypatch.setattr("bnsearch.selection.constrained.FEW_SETS", 0)
    monkeypatch.setattr("bnsearch.selection.lattice_search.FAMILIES_PER_STEP", 1)
    found = builder.select_within(Budget(clock=clock), data, BIC(), known)
    assert len(limits) == 9
    assert set(limits) == {5.0}
    assert found.stop == "seconds"
    assert found.table.sets(0).__next__()[1] == ()
    assert len(set(found.scored_of[1:].tolist())) == 1
    assert (found.depth, found.complete) == (1, False)


def test_a_variable_alone_ends_where_the_next_size_has_no_room():
    """Pairs of 69 candidates take 2,346 * 25 bytes, triples 52,394 * 29: more than the 1 MiB there is."""
    data = Dataset.from_codes(np.random.default_rng(1).integers(0, 2, (30, 70)))
    builder = Sequential(max_parents=3, seconds_per_variable=1e6, memory=1 << 20, pruning=())
    selection = builder.select(data, BDeu(ess=1.0), threads=1)
    assert (selection.stop, selection.depth, selection.complete) == ("memory", 2, False)
    assert selection.scored_of.tolist() == [1 + 69 + 2346] * 70


@pytest.mark.parametrize("wrong", [0, 1.5, "all"])
def test_bad_numbers_of_candidates_are_refused(wrong):
    """A whole number above zero."""
    with pytest.raises(InputError, match="candidates must be"):
        Sequential(candidates=wrong)


def test_the_penalty_bound_changes_nothing():
    """Without a limit BIC's bound on the number of parents drops only sets that the subset rule drops as well."""
    data = random_table(6, 40, 3)
    bounded = Sequential(max_parents=None).select(data, BIC())
    assert bounded.depth < 5
    expected = by_definition(data, BIC(), 5)
    assert [{p for _, p in bounded.table.sets(v)} for v in range(6)] == [set(e) for e in expected]


@pytest.mark.parametrize("rows", [30, 500])
def test_threads_change_no_bit(monkeypatch, rows):
    """One, two and sixteen threads give the same table, also of sets with equal scores, in pieces of any size."""
    data = random_table(14, rows, 5)
    one = Sequential(max_parents=3).select(data, BIC(), threads=1).table
    monkeypatch.setattr("bnsearch.counting.piece_sizes.MIN_ROWS_PER_CALL", 1)
    monkeypatch.setattr("bnsearch.parent_sets.rows.MIN_ROWS_PER_THREAD", 0)
    monkeypatch.setattr("bnsearch.parent_sets.rows.FEW_ROWS", 0)
    monkeypatch.setattr("bnsearch.parent_sets.assembly.ROWS_PER_CHUNK", 5)
    for threads in (1, 2, 16):
        other = Sequential(max_parents=3).select(data, BIC(), threads=threads).table
        for name in ("begin", "scores", "first", "members"):
            assert np.array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("threads", [1, 2])
def test_interrupted_keeps_what_is_there(monkeypatch, threads):
    """Ctrl-C while triples are scored leaves the pairs and the first triples, with the reason for the end."""
    monkeypatch.setattr("bnsearch.counting.piece_sizes.MIN_ROWS_PER_CALL", 1)
    data = random_table(12, 200, 6)

    def interrupt(now: Event) -> None:
        if "2 parents" in now.task:
            budget.request_stop()

    budget = Budget(threads=threads, observers=[interrupt])
    selection = Sequential(max_parents=3).select_within(budget, data, BIC())
    assert selection.stop == "interrupted"
    assert selection.depth == 1
    whole = Sequential(max_parents=2).select(data, BIC(), threads=1).table
    for v in range(12):
        found = set(selection.table.sets(v))
        assert found <= set(whole.sets(v))
        assert {(s, p) for s, p in whole.sets(v) if len(p) < 2} <= found
    assert 12 * 12 < selection.scored < 12 * (12 + 55)


def test_memory_that_does_not_suffice_stops_early():
    """Best scores over pairs of 200 variables take 200 * 19,900 * 8 bytes: with 1 MiB the triples are left out."""
    random = np.random.default_rng(1)
    data = Dataset.from_codes(random.integers(0, 2, (50, 200)))
    selection = Sequential(max_parents=3, memory=1 << 20).select(data, BIC(), threads=1)
    assert selection.stop == "memory"
    assert selection.depth == 2


def test_families_of_pieces_are_counted():
    """Of five places the sets of three under top 4 with second place 2 or 3 are 420 421 430 431 432: by hand."""
    binomial = Sweep(random_table(5, 30, 1), 3).binomial
    assert count_sets_with_each(5, 3, Piece(4, 4, 2, 4), binomial).tolist() == [2, 2, 3, 3, 5]
    assert count_sets_with_each(5, 2, Piece(3, 3, 0, 3), binomial).tolist() == [1, 1, 1, 3, 0]
    assert count_sets_with_each(5, 2, Piece(1, 3, 0, 3), binomial).tolist() == [3, 3, 3, 3, 0]  # 10 20 21 30 31 32


@pytest.mark.parametrize("least", [1, 200, 1 << 23])
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_pieces_make_up_all_families(monkeypatch, size, least):
    """Over all pieces every variable is in as many sets of a size as there are sets of the others one smaller."""
    monkeypatch.setattr("bnsearch.counting.piece_sizes.MIN_ROWS_PER_CALL", least)
    sweep = Sweep(random_table(9, 30, 1), 5, threads=2)
    counts = sum(count_sets_with_each(9, size, piece, sweep.binomial) for piece in sweep.pieces(size))
    assert counts.tolist() == [comb(8, size - 1)] * 9
