"""The chain of RINOBS: its state after accepted and undone steps, the threshold, and the best ordering."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.orderings import repair
from bnsearch.orderings.kernels.rinobs import CURRENT, HEAD, TAIL, THRESHOLD
from bnsearch.orderings.repair import RepairChain
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import candidate_tables, hub_candidates, random_candidates, table_of
from reference_exact import best_score
from reference_orderings import Definition, draw_order, list_differences, make_index, make_state
from strategies import examples

SEEDS = st.integers(0, 2**32 - 1)
NOTHING: frozenset[int] = frozenset()


def make_chain(table: ParentSets, order: list[int], seed: int = 1) -> RepairChain:
    """Return a chain that starts at an ordering."""
    return RepairChain(make_index(table, seed), np.array(order, dtype=np.int32), np.uint64(seed))


def current(chain: RepairChain) -> float:
    """Return the running score of a chain's ordering."""
    return float(chain._totals[CURRENT])


def threshold(chain: RepairChain) -> float:
    """Return the loss up to which a chain accepts a step."""
    return float(chain._totals[THRESHOLD])


def check(chain: RepairChain, definition: Definition) -> None:
    """Compare the arrays of a chain with its ordering."""
    order = chain.order.tolist()
    assert sorted(order) == list(range(definition.n))
    assert list_differences(chain, make_state(chain.index, order)) == []
    assert current(chain) == pytest.approx(definition.score(order), abs=1e-9)
    assert chain._saved_order.tolist() == order
    assert chain._saved_choice.tolist() == definition.choice(order)
    best = chain.score_best()
    assert best.score == pytest.approx(chain.best, abs=1e-9)
    assert best.score == definition.score(best.order.tolist())
    assert not chain._is_queued.any()
    assert chain._counts[HEAD] == chain._counts[TAIL]


def make_steps(chain: RepairChain, definition: Definition, steps: int, rate: float) -> tuple[int, int]:
    """Make steps one by one and check each; return the numbers of accepted and of undone losses."""
    accepted = undone = 0
    for _ in range(steps):
        before, limit, best, order = current(chain), threshold(chain), chain.best, chain.order.tolist()
        assert chain.step(1, rate, 0.0) == 1
        check(chain, definition)
        loss = before - current(chain)
        assert loss <= max(limit, 1e-9)
        assert chain.best >= max(best, current(chain)) - 1e-9
        if limit > 0 and threshold(chain) != limit:  # after a loss, see `accept_step`
            up = threshold(chain) > limit
            assert math.log(threshold(chain) / limit) == pytest.approx(0.05 * (rate if up else rate - 1))
            assert (chain.order.tolist() == order and loss == 0) if up else loss > 0
            undone, accepted = undone + up, accepted + (not up)
    return accepted, undone


@examples(60)
@given(candidate_tables(), SEEDS, st.sampled_from([0.1, 0.5, 0.9]))
def test_chains_in_small_tables(table, seed, rate):
    """After each step the state is that of the ordering, whether the step was accepted or undone."""
    definition = Definition(table)
    chain = make_chain(table, draw_order(definition.n, seed), seed)
    make_steps(chain, definition, 12, rate)


@pytest.mark.parametrize("seed", range(3))
def test_chains_in_larger_tables(seed):
    """The same with queues that wrap around; some losses are accepted, others undone."""
    definition = Definition(random_candidates(15, 20, 4, seed))
    chain = make_chain(definition.table, draw_order(15, seed), seed)
    accepted, undone = make_steps(chain, definition, 300, 0.4)
    assert accepted > 2
    assert undone > 2


def test_chains_in_wide_tables():
    """The same with numbers of candidates around 64 and 128."""
    definition = Definition(hub_candidates(140, [64, 65, 128, 129, 139], seed=6))
    chain = make_chain(definition.table, draw_order(140, 6))
    chain.step(700, 0.9, 0.0)
    accepted, undone = make_steps(chain, definition, 120, 0.9)
    assert accepted > 0
    assert undone > 0


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_the_share_of_accepted_losses_is_the_rate(rate):
    """Over 20,000 steps the share of accepted losses approaches the rate."""
    chain = make_chain(random_candidates(30, 40, 6, seed=2), draw_order(30, 3))
    accepted = undone = 0
    for _ in range(20_000):
        before = threshold(chain)
        chain.step(1, rate, 0.0)
        accepted += threshold(chain) < before
        undone += threshold(chain) > before
    assert accepted + undone > 1_000
    assert accepted / (accepted + undone) == pytest.approx(rate, abs=0.05)


def test_the_rate_falls_along_a_call():
    """With a rate of 1 and a slope of 1 / 50, the threshold ends lower than with a constant rate."""
    definition = Definition(random_candidates(12, 20, 4, seed=3))
    chain, other = (make_chain(definition.table, draw_order(12, 3)) for _ in range(2))
    chain.step(50, 1.0, 0.02)
    other.step(50, 1.0, 0.0)
    assert threshold(chain) < threshold(other)
    check(chain, definition)


@pytest.mark.parametrize("evaluations", [1, repair.EVALUATIONS_PER_CALL])
def test_steps_together_or_apart(monkeypatch, evaluations):
    """A hundred steps are the same in calls of one step, in one call, and in calls of few evaluations."""
    table = random_candidates(20, 30, 4, seed=5)
    apart, together, other = (make_chain(table, draw_order(20, 5), seed) for seed in (7, 7, 8))
    for _ in range(100):
        assert apart.step(1, 0.2, 0.0) == 1
    assert other.step(100, 0.2, 0.0) == 100
    monkeypatch.setattr(repair, "EVALUATIONS_PER_CALL", evaluations)
    taken = [together.step(100, 0.2, 0.0)]
    while sum(taken) < 100:
        taken.append(together.step(100 - sum(taken), 0.2, 0.0))
    assert max(taken) == (1 if evaluations == 1 else 100)
    assert together.order.tolist() == apart.order.tolist()
    assert (current(together), together.best) == (current(apart), apart.best)
    assert together.new_evaluations() == apart.new_evaluations()
    assert other.order.tolist() != apart.order.tolist()


def test_finds_the_optimum_of_small_tables():
    """Eight tables of eight variables, up to 2,000 steps each."""
    for seed in range(8):
        table = random_candidates(8, 20, 3, seed)
        chain = make_chain(table, draw_order(8, seed), seed)
        chain.step(2_000, 0.3, 0.0)
        assert chain.best == pytest.approx(best_score(table))


def make_pairs(number: int) -> ParentSets:
    """Return a table of pairs of variables, of which the odd one gains 1 from the even one as its parent."""
    odd = [{NOTHING: -2.0, frozenset({2 * i}): -1.0} for i in range(number)]
    return table_of([sets for own in odd for sets in ({NOTHING: 0.0}, own)])


@pytest.mark.parametrize("before", [0, 1, 5, 30])
def test_a_restart_queues_every_variable(before):
    """
    The first step after a restart corrects the order of seven pairs, whatever preceded it.

    The random insertion of the step reverses at most one pair, and its repair corrects that as well: -7.
    """
    table = make_pairs(7)
    chain = make_chain(table, list(range(14)), 3)
    chain.step(before, 0.0, 0.0)
    chain.restart(np.arange(14, dtype=np.int32)[::-1])
    assert current(chain) == -14.0
    assert chain.step(1, 0.0, 0.0) == 1
    check(chain, Definition(table))
    assert current(chain) == chain.best == -7.0


def test_repairs_are_local():
    """Only touched variables are repaired: with an empty queue, a step corrects at most one of seven reversed pairs."""
    chain = make_chain(make_pairs(7), list(range(14))[::-1], 3)
    chain._is_queued[:] = False
    chain._counts[[HEAD, TAIL]] = 0
    scores = [current(chain)]
    while scores[-1] < -7.0 and len(scores) < 500:
        chain.step(1, 0.0, 0.0)
        scores.append(current(chain))
    assert {new - old for old, new in itertools.pairwise(scores)} == {0.0, 1.0}
    assert scores[-1] == -7.0


def test_restarts_replace_the_best_ordering():
    """After a restart from a worse ordering, that one is the best so far, until a better one is found."""
    chain = make_chain(make_pairs(3), [5, 4, 2, 3, 1, 0])
    assert (current(chain), chain.best) == (-5.0, -5.0)
    chain.restart(np.array([5, 4, 3, 2, 1, 0], dtype=np.int32))
    assert (current(chain), chain.best) == (-6.0, -6.0)
    assert chain.score_best().order.tolist() == [5, 4, 3, 2, 1, 0]
    chain.step(1, 0.0, 0.0)
    assert chain.best == -3.0


def test_variables_without_candidates_stay():
    """Variables that have only the empty parent set are not moved."""
    chain = make_chain(table_of([{NOTHING: -1.0}, {NOTHING: -2.0}]), [1, 0])
    assert chain.step(5, 0.5, 0.0) == 5
    assert chain.order.tolist() == [1, 0]
    assert current(chain) == -3.0
