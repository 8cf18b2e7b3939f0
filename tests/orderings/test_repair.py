"""Chains of insertions and repairs: what they keep, accept, undo and find."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.orderings import repair
from bnsearch.orderings.repair import Chain
from bnsearch.parent_sets.table import ParentSets
from candidate_tables import candidate_tables, hub_candidates, random_candidates, table_of
from reference_exact import best_score
from reference_orderings import Definition, differences, index_of, random_order, settled
from strategies import examples

SEEDS = st.integers(0, 2**32 - 1)
NOTHING: frozenset[int] = frozenset()


def chain_of(table: ParentSets, order: list[int], word: int = 1) -> Chain:
    """Return a chain at an ordering."""
    return Chain(index_of(table, word), np.array(order, dtype=np.int32), np.uint64(word))


def current(chain: Chain) -> float:
    """Return the score that a chain keeps of its ordering."""
    return float(chain._totals[0])


def threshold(chain: Chain) -> float:
    """Return the loss up to which a chain accepts a step."""
    return float(chain._totals[2])


def check(chain: Chain, definition: Definition) -> None:
    """Compare what a chain keeps with its ordering."""
    order = chain.order.tolist()
    assert sorted(order) == list(range(definition.n))
    assert differences(chain, settled(chain, order)) == []
    assert current(chain) == pytest.approx(definition.score(order), abs=1e-9)
    assert chain._saved_order.tolist() == order
    assert chain._saved_choice.tolist() == definition.choice(order)
    best = chain.best_placed()
    assert best.score == pytest.approx(chain.best, abs=1e-9)
    assert best.score == definition.score(best.order.tolist())
    assert not chain._queued.any()
    assert chain._counts[4] == chain._counts[5]


def take_steps(chain: Chain, definition: Definition, steps: int, rate: float) -> tuple[int, int]:
    """Take steps one by one and check each; return how many losses were accepted and how many undone."""
    accepted = undone = 0
    for _ in range(steps):
        before, most, best, order = current(chain), threshold(chain), chain.best, chain.order.tolist()
        assert chain.step(1, rate, 0.0) == 1
        check(chain, definition)
        loss = before - current(chain)
        assert loss <= max(most, 1e-9)
        assert chain.best >= max(best, current(chain)) - 1e-9
        if (
            most > 0 and threshold(chain) != most
        ):  # a loss: the threshold falls by (1 - rate) / 20, or rises by rate / 20
            up = threshold(chain) > most
            assert math.log(threshold(chain) / most) == pytest.approx(0.05 * (rate if up else rate - 1))
            assert (chain.order.tolist() == order and loss == 0) if up else loss > 0
            undone, accepted = undone + up, accepted + (not up)
    return accepted, undone


@examples(60)
@given(candidate_tables(), SEEDS, st.sampled_from([0.1, 0.5, 0.9]))
def test_chains_in_small_tables(table, seed, rate):
    """After every step the state is that of the ordering, whether the step was kept or undone."""
    definition = Definition(table)
    chain = chain_of(table, random_order(definition.n, seed), seed)
    take_steps(chain, definition, 12, rate)


@pytest.mark.parametrize("seed", range(3))
def test_chains_in_larger_tables(seed):
    """The same with queues that wrap around; some losses are accepted, others undone."""
    definition = Definition(random_candidates(15, 20, 4, seed))
    chain = chain_of(definition.table, random_order(15, seed), seed)
    accepted, undone = take_steps(chain, definition, 300, 0.4)
    assert accepted > 2
    assert undone > 2


def test_chains_in_wide_tables():
    """The same with sets as one word, as two words, and without words."""
    definition = Definition(hub_candidates(140, [64, 65, 128, 129, 139], seed=6))
    chain = chain_of(definition.table, random_order(140, 6))
    chain.step(700, 0.9, 0.0)
    accepted, undone = take_steps(chain, definition, 120, 0.9)
    assert accepted > 0
    assert undone > 0


@pytest.mark.parametrize("rate", [0.1, 0.5])
def test_share_of_losses_accepted(rate):
    """In the long run it is the rate."""
    chain = chain_of(random_candidates(30, 40, 6, seed=2), random_order(30, 3))
    accepted = undone = 0
    for _ in range(20_000):
        before = threshold(chain)
        chain.step(1, rate, 0.0)
        accepted += threshold(chain) < before
        undone += threshold(chain) > before
    assert accepted + undone > 1_000
    assert accepted / (accepted + undone) == pytest.approx(rate, abs=0.05)


def test_the_rate_falls_along_a_call():
    """With a rate of 1 and a slope of 1 / 50 the first losses of a call may be accepted, the last ones hardly."""
    definition = Definition(random_candidates(12, 20, 4, seed=3))
    chain, other = (chain_of(definition.table, random_order(12, 3)) for _ in range(2))
    chain.step(50, 1.0, 0.02)
    other.step(50, 1.0, 0.0)
    assert threshold(chain) < threshold(other)
    check(chain, definition)


@pytest.mark.parametrize("budget", [1, repair.BUDGET])
def test_steps_together_or_apart(monkeypatch, budget):
    """A hundred steps are the same one by one, at once, and in as many calls as a small budget takes."""
    table = random_candidates(20, 30, 4, seed=5)
    apart, together, other = (chain_of(table, random_order(20, 5), word) for word in (7, 7, 8))
    for _ in range(100):
        assert apart.step(1, 0.2, 0.0) == 1
    assert other.step(100, 0.2, 0.0) == 100
    monkeypatch.setattr(repair, "BUDGET", budget)
    taken = [together.step(100, 0.2, 0.0)]
    while sum(taken) < 100:
        taken.append(together.step(100 - sum(taken), 0.2, 0.0))
    assert max(taken) == (1 if budget == 1 else 100)
    assert together.order.tolist() == apart.order.tolist()
    assert (current(together), together.best) == (current(apart), apart.best)
    assert together.evaluations() == apart.evaluations()
    assert other.order.tolist() != apart.order.tolist()


def test_finds_the_optimum_of_small_tables():
    """Eight tables of eight variables, up to 2,000 steps each."""
    for seed in range(8):
        table = random_candidates(8, 20, 3, seed)
        chain = chain_of(table, random_order(8, seed), seed)
        chain.step(2_000, 0.3, 0.0)
        assert chain.best == pytest.approx(best_score(table))


def pairs(number: int) -> ParentSets:
    """Return pairs of variables, the odd one of which gains 1 with the even one as its parent."""
    odd = [{NOTHING: -2.0, frozenset({2 * i}): -1.0} for i in range(number)]
    return table_of([sets for own in odd for sets in ({NOTHING: 0.0}, own)])


@pytest.mark.parametrize("before", [0, 1, 5, 30])
def test_everyone_is_looked_at(before):
    """
    Seven pairs in the wrong order are put right in the first step after a restart, whatever came before.

    The step's own insertion may put at most one pair wrong, and its repair puts it right again: -7.
    """
    table = pairs(7)
    chain = chain_of(table, list(range(14)), 3)
    chain.step(before, 0.0, 0.0)
    chain.restart(np.arange(14, dtype=np.int32)[::-1])
    assert current(chain) == -14.0
    assert chain.step(1, 0.0, 0.0) == 1
    check(chain, Definition(table))
    assert current(chain) == chain.best == -7.0


def test_steps_stay_close():
    """Only what is touched is repaired: of seven pairs in the wrong order one step puts at most one right."""
    chain = chain_of(pairs(7), list(range(14))[::-1], 3)
    chain._queued[:] = False  # nobody is to be looked at
    chain._counts[4:6] = 0
    scores = [current(chain)]
    while scores[-1] < -7.0 and len(scores) < 500:
        chain.step(1, 0.0, 0.0)
        scores.append(current(chain))
    assert {new - old for old, new in itertools.pairwise(scores)} == {0.0, 1.0}
    assert scores[-1] == -7.0


def test_restarts_forget_the_best():
    """A worse ordering to go on from is the best one then, until a better one is found."""
    chain = chain_of(pairs(3), [5, 4, 2, 3, 1, 0])
    assert (current(chain), chain.best) == (-5.0, -5.0)
    chain.restart(np.array([5, 4, 3, 2, 1, 0], dtype=np.int32))
    assert (current(chain), chain.best) == (-6.0, -6.0)
    assert chain.best_placed().order.tolist() == [5, 4, 3, 2, 1, 0]
    chain.step(1, 0.0, 0.0)
    assert chain.best == -3.0


def test_nothing_to_choose_from():
    """Variables with nothing but their empty sets stay where they are."""
    chain = chain_of(table_of([{NOTHING: -1.0}, {NOTHING: -2.0}]), [1, 0])
    assert chain.step(5, 0.5, 0.0) == 5
    assert chain.order.tolist() == [1, 0]
    assert current(chain) == -3.0
