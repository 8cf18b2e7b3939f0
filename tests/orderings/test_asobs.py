"""Acyclic selection, compared with its definition and worked by hand; the search that uses it."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.learning.search import search
from bnsearch.orderings import asobs
from bnsearch.orderings.asobs import ASOBS, SelectedNetwork, Selector, draw_topological_order, select_acyclic_rows
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds, Target
from candidate_tables import candidate_tables, ordering_score, random_candidates, table_of
from reference_exact import best_score

NOTHING: frozenset[int] = frozenset()


def select_by_definition(table: ParentSets, order: list[int]) -> list[tuple[int, ...]]:
    """Return the parents of each variable: from the last to the first, the best set that closes no cycle."""
    chosen: list[set[int]] = [set() for _ in order]
    for v in reversed(order):
        descendants = {v}
        for _ in order:
            descendants |= {u for u in range(len(order)) if chosen[u] & descendants}
        chosen[v] = next(set(parents) for _, parents in table.sets(v) if not descendants & set(parents))
    return [tuple(sorted(parents)) for parents in chosen]


@given(candidate_tables(), st.randoms(use_true_random=False))
def test_selection_by_definition(table, random):
    """The parent sets are those of the definition, and never worse than the best network of the ordering."""
    order = random.sample(range(table.n_variables), table.n_variables)
    rows = select_acyclic_rows(table, np.array(order))
    network = table.network(rows)  # refuses cycles
    assert list(network.parents) == select_by_definition(table, order)
    assert table.scores[rows].sum() >= ordering_score(table, order) - 1e-9


@given(st.integers(2, 12), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_selection_of_larger_tables(n, sets, seed):
    """The same with more sets and longer chains of descendants."""
    table = random_candidates(n, sets, 4, seed)
    order = np.random.default_rng(seed).permutation(n).tolist()
    rows = select_acyclic_rows(table, np.array(order))
    assert list(table.network(rows).parents) == select_by_definition(table, order)
    assert table.scores[rows].sum() >= ordering_score(table, order) - 1e-9


def test_back_arcs_by_hand():
    """
    Along 0, 1, 2: variable 2 takes its best set, {0}; 1 takes its best set, {2}, a back-arc; 0 cannot take {1}.

    The scores are -1 - 2 - 5 = -8. Without the back-arc, 1 has no parents, and the ordering scores -1 - 4 - 5.
    """
    table = table_of(
        [
            {NOTHING: -5.0, frozenset({1}): -3.0},
            {NOTHING: -4.0, frozenset({2}): -2.0},
            {NOTHING: -9.0, frozenset({0}): -1.0},
        ]
    )
    rows = select_acyclic_rows(table, np.array([0, 1, 2]))
    assert table.network(rows).parents == ((), (2,), (0,))
    assert table.scores[rows].sum() == -8.0
    assert ordering_score(table, [0, 1, 2]) == -10.0


def test_a_selection_has_room_for_the_largest_sets():
    """Largest sets of 0, 1 and 2 parents, which one network has: three arcs."""
    table = table_of(
        [
            {NOTHING: -1.0},
            {NOTHING: -4.0, frozenset({0}): -2.0},
            {NOTHING: -9.0, frozenset({0}): -8.0, frozenset({0, 1}): -1.0},
        ]
    )
    assert Selector(table, lambda score: False)._max_arcs == 3
    assert table.network(select_acyclic_rows(table, np.array([0, 1, 2]))).parents == ((), (0,), (0, 1))


def test_an_interrupted_selection_is_the_same(monkeypatch):
    """With one entry per kernel call the selection is interrupted after each variable."""
    table = random_candidates(20, 30, 4, seed=3)
    order = np.random.default_rng(1).permutation(20)
    whole = select_acyclic_rows(table, order)
    monkeypatch.setattr(asobs, "ENTRIES_PER_CALL", 1)
    assert select_acyclic_rows(table, order).tolist() == whole.tolist()


@given(candidate_tables(), st.integers(0, 2**32 - 1))
def test_topological_orders(table, seed):
    """Parents precede their children."""
    rng = np.random.default_rng(seed)
    rows = select_acyclic_rows(table, rng.permutation(table.n_variables))
    position = np.argsort(draw_topological_order(table, rows, rng))
    assert all(position[u] < position[v] for v, row in enumerate(rows) for u in table.parents(row))


def test_topological_orders_are_random():
    """A graph of four variables and the arc 0 -> 1 has 12 orders, and all of them are drawn."""
    table = table_of([{NOTHING: -1.0}, {NOTHING: -2.0, frozenset({0}): -1.0}, {NOTHING: -1.0}, {NOTHING: -1.0}])
    rng = np.random.default_rng(0)
    drawn = {tuple(draw_topological_order(table, np.array([0, 1, 3, 4]), rng).tolist()) for _ in range(300)}
    assert drawn == {order for order in itertools.permutations(range(4)) if order.index(0) < order.index(1)}


@pytest.mark.parametrize("start", ["random", "dfs", "fas"])
def test_the_same_for_any_number_of_threads(start):
    """Forty restarts, which are two and a half batches."""
    problem = Problem(table=random_candidates(20, 40, 4, seed=5))
    one, two = (search(problem, ASOBS(start=start), stop=Iterations(40), seed=9, threads=t) for t in (1, 2))
    assert (one.score, one.dag, one.evaluations) == (two.score, two.dag, two.evaluations)
    assert [(p.score, p.iterations) for p in one.trace] == [(p.score, p.iterations) for p in two.trace]
    assert (one.iterations, one.stop) == (40, "iterations")
    assert one.bound is not None
    assert one.bound >= one.score


def test_the_published_form_selects_once_for_each_ordering():
    """
    The result is the best network of 40 random orderings, and topological orders are not used.

    The orderings are drawn here as in the run: forty generators, spawned in batches of 16, draw one each.
    """
    table = random_candidates(20, 40, 4, seed=5)
    rng = np.random.default_rng(9)
    orders = [own.permutation(20) for batch in (16, 16, 8) for own in rng.spawn(batch)]
    best = max(math.fsum(table.scores[select_acyclic_rows(table, order)]) for order in orders)
    once, followed = (
        search(Problem(table=table), ASOBS(follow=follow), stop=Iterations(40), seed=9, threads=2)
        for follow in (False, True)
    )
    assert (once.score, once.iterations, once.stop) == (best, 40, "iterations")
    assert (followed.score, followed.evaluations) == (once.score, 2 * once.evaluations)


@given(candidate_tables(), st.integers(0, 2**32 - 1))
def test_a_topological_order_selects_the_same_network(table, seed):
    """The sets that were not available in the first selection contain descendants, and are not available again."""
    rng = np.random.default_rng(seed)
    rows = select_acyclic_rows(table, rng.permutation(table.n_variables))
    assert select_acyclic_rows(table, draw_topological_order(table, rows, rng)).tolist() == rows.tolist()


def test_evaluations_are_the_rows_that_were_read():
    """One start with `follow=False` reads all rows up to the chosen ones; with `follow=True`, the same rows twice."""
    table = random_candidates(15, 40, 4, seed=5)
    (rng,) = np.random.default_rng(9).spawn(1)
    rows = select_acyclic_rows(table, rng.permutation(15))
    for follow, selections in ((False, 1), (True, 2)):
        result = search(Problem(table=table), ASOBS(follow=follow), stop=Iterations(1), seed=9, threads=1)
        assert (result.score, result.iterations) == (math.fsum(table.scores[rows]), 1)
        assert result.evaluations == selections * (rows - table.begin[:-1] + 1).sum()


def test_selections_are_repeated_while_the_score_improves(monkeypatch):
    """Scripted selections of -5, -4, -4: the second improves the score, the third does not, and ends the start."""
    table = random_candidates(4, 3, 2, seed=1)
    rows = select_acyclic_rows(table, np.arange(4))
    script = [SelectedNetwork(rows, score, number) for score, number in ((-5.0, 3), (-4.0, 10), (-4.0, 100))]
    selector = Selector(table, lambda score: False)
    monkeypatch.setattr(selector, "select", lambda order: script.pop(0))
    found = selector.follow_orders(lambda rng: np.arange(4, dtype=np.int32), np.random.default_rng(1))
    assert found == SelectedNetwork(rows, -4.0, 113)
    assert not script


def test_a_start_that_is_halted_later_has_the_network_of_its_first_selection(monkeypatch):
    """Scripted selections of -5 and None, because the run was halted: the result is the first, without continuation."""
    table = random_candidates(4, 3, 2, seed=1)
    first = SelectedNetwork(select_acyclic_rows(table, np.arange(4)), -5.0, 3)
    script, scores = [first, None], []
    selector = Selector(table, lambda score: bool(scores.append(score)))
    monkeypatch.setattr(selector, "select", lambda order: script.pop(0))
    assert selector.follow_orders(lambda rng: np.arange(4, dtype=np.int32), np.random.default_rng(1)) == first
    assert (script, scores) == ([], [-math.inf, -5.0])


def test_the_default_parameters():
    """By default topological orders are followed, from random orderings."""
    assert ASOBS() == ASOBS(follow=True, start="random")


def test_finds_the_optimum_of_small_tables():
    """Eight variables, up to 300 restarts."""
    table = random_candidates(8, 20, 3, seed=6)
    best = best_score(table)
    result = search(Problem(table=table), ASOBS(), stop=Target(best) | Iterations(300), seed=1)
    assert result.stop == "target"
    assert result.score == pytest.approx(best)
    scores = [{p: s for s, p in table.sets(v)}[parents] for v, parents in enumerate(result.dag.parents)]
    assert sum(scores) == pytest.approx(best)


def test_time_stops_a_batch():
    """The time budget ends at the fifth reading of the clock: earlier results are kept, and no start is added."""
    table = random_candidates(12, 20, 3, seed=7)
    ticks = itertools.count()
    run = Run(Seconds(1), seed=1, clock=lambda: float(next(ticks) > 5))
    ASOBS().search(Problem(table=table), run)
    assert run.progress.iterations <= 2
    assert isinstance(run.best(), DAG)


def test_a_halted_selection_has_no_result(monkeypatch):
    """If `halted` returns True, nothing is selected; a selection is abandoned between two calls of the kernel."""
    table, rng = random_candidates(12, 20, 3, seed=7), np.random.default_rng(1)
    order = np.arange(12, dtype=np.int32)
    halted = Selector(table, lambda score: True)
    assert halted.select_once(lambda rng: order, rng) is halted.follow_orders(lambda rng: order, rng) is None
    assert halted.select(order) is not None  # one call of the kernel is enough
    monkeypatch.setattr(asobs, "ENTRIES_PER_CALL", 1)
    assert halted.select(order) is None


def test_a_selection_has_no_score_before_its_end(monkeypatch):
    """With one entry per kernel call, `halted` is called after each variable but the last, and never with a score."""
    monkeypatch.setattr(asobs, "ENTRIES_PER_CALL", 1)
    table, scores = random_candidates(12, 20, 3, seed=7), []
    selector = Selector(table, lambda score: bool(scores.append(score)))
    assert selector.select_once(lambda rng: np.arange(12, dtype=np.int32), np.random.default_rng(1)) is not None
    assert scores == [-math.inf] * 12  # once before the selection


def test_bad_parameters_are_refused():
    """The errors list the allowed values."""
    with pytest.raises(InputError, match="no start 'best'"):
        ASOBS(start="best")
    with pytest.raises(InputError, match="follow must be True or False, not 'no'"):
        ASOBS(follow="no")
