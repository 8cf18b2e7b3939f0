"""Chains with families on demand: their state, accepted and undone steps, and what they copy from each other."""

from __future__ import annotations

import math
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.graphs import DAG
from bnsearch.knowledge import Knowledge
from bnsearch.networks import random_network
from bnsearch.ondemand.chain import OnDemandChain
from bnsearch.ondemand.kernels_chain import MAX_REPEATED
from bnsearch.ondemand.kernels_row_cache import BATCH, EVALUATIONS, HEAD, IS_REFUSED, KEY, LIMIT, STOP
from bnsearch.ondemand.kernels_state import N_REPEATED, REPEATED, REPEATED_TO, SEEN, THRESHOLD
from bnsearch.ondemand.kernels_store import NUMBER
from bnsearch.ondemand.source import Source
from bnsearch.orderings.starts import Ordering
from bnsearch.runs.problem import Problem
from knowledge_cases import breaches, random_knowledge
from reference_ondemand import MEMORY, SCORES, Dependent, chain_of, problem_of, step_by_step, sum_of
from strategies import Table, examples, tables

every_score = pytest.mark.parametrize("score", SCORES, ids=lambda score: score.name)
State = tuple[list[int], list[list[int]], list[float], float, list[int]]


def parents_of(chain: OnDemandChain) -> list[list[int]]:
    """Return the parents of each variable in the current network."""
    order, found = chain.source.order, [[] for _ in range(chain.source.size)]
    for child, (members, size) in enumerate(zip(chain._member, chain._size, strict=True)):
        found[order[child]] = sorted(order[members[:size]].tolist())
    return found


def state_of(chain: OnDemandChain) -> State:
    """Return all that a step can change: ordering, parents, scores, total, and the hashes of the predecessor sets."""
    return (
        chain._order.tolist(),
        parents_of(chain),
        chain._score.tolist(),
        chain.current,
        chain._prefix_hash.tolist(),
    )


def check(chain: OnDemandChain, problem: Problem) -> None:
    """Compare the state of a chain with its ordering and its parents, by definition."""
    source, n = chain.source, chain.source.size
    order, parents = source.order[chain._order].tolist(), parents_of(chain)
    place = {v: i for i, v in enumerate(order)}
    assert sorted(order) == list(range(n))
    assert chain._position[chain._order].tolist() == list(range(n))
    assert all(place[p] < place[v] for v in range(n) for p in parents[v])
    assert all(size <= limit for size, limit in zip(chain._size, source.limits, strict=True))
    scores = [problem.scorer.family(v, parents[v]) for v in range(n)]
    assert chain._score[source.place] == pytest.approx(scores, rel=1e-11, abs=1e-9)
    assert chain.current == pytest.approx(sum_of(scores), rel=1e-10, abs=1e-6)
    hashes = [0]
    for v in chain._order.tolist():
        hashes.append(hashes[-1] ^ int(source.parent_hashes[v]))
    assert chain._prefix_hash.tolist() == hashes
    best = DAG(problem.names, chain.best_parents())
    assert chain.score_of_best() == pytest.approx(problem.scorer.network(best), rel=1e-11, abs=1e-9)
    assert chain.best == pytest.approx(chain.score_of_best(), rel=1e-10, abs=1e-6)
    before = {v: i for i, v in enumerate(chain.best_order().tolist())}
    assert all(before[p] < before[v] for v in range(n) for p in best.parents[v])
    for dag in (best, DAG(problem.names, parents)):
        assert problem.constraints is None or problem.constraints.permits(dag)


def random_order(problem: Problem, seed: int) -> Ordering:
    """Return a random ordering in which required parents come first."""
    rng = np.random.default_rng(seed)
    left, order = rng.permutation(problem.size).tolist(), []
    while left:
        chosen = next(v for v in left if not set(problem.base.parents[v]) & set(left))
        left.remove(chosen)
        order.append(chosen)
    return np.array(order, dtype=np.int32)


@every_score
@examples(12)
@given(table=tables(min_variables=2, max_variables=7, max_rows=200), seed=st.integers(0, 1000), informed=st.booleans())
def test_every_step_keeps_the_state(score, table: Table, seed, informed):
    """
    After every step the state is that of an ordering and a legal network that is consistent with it.

    A step that is not accepted restores everything. The best score never falls.
    """
    data = table.dataset
    problem = problem_of(data, score, random_knowledge(data.names, seed) if informed else None)
    chain = chain_of(Source(problem), random_order(problem, seed).tolist(), seed)
    check(chain, problem)
    for _ in range(10):
        before, threshold, best = state_of(chain), chain._totals[THRESHOLD], chain.best
        assert chain.step(1, 0.3, 0.0) == 1
        check(chain, problem)
        assert chain.best >= best
        if chain._totals[THRESHOLD] > threshold > 0.0:  # the threshold rises when a loss is not accepted
            assert state_of(chain) == before


@every_score
@examples(12)
@given(table=tables(min_variables=3, max_variables=7, max_rows=200), seed=st.integers(0, 1000), informed=st.booleans())
def test_calls_that_return_in_the_middle_of_a_step(score, table: Table, seed, informed):
    """
    A call that may compute one score only undoes its step, and the next call takes the same step.

    After every call the state is consistent. Growth is complete at the end, as without such limits.
    """
    data = table.dataset
    problem = problem_of(data, score, random_knowledge(data.names, seed) if informed else None)
    chain = OnDemandChain(Source(problem), np.uint64(seed), MEMORY)
    chain._limits = OneScoreLimits()
    assert chain.start_at(random_order(problem, seed), lambda: False)
    check(chain, problem)
    done = calls = 0
    while done < 8:
        before, best = state_of(chain), chain.best
        taken = chain.step(8 - done, 0.3, 0.0)
        check(chain, problem)
        assert chain.best >= best
        if taken == 0:
            assert state_of(chain) == before
            assert chain._rows[HEAD][IS_REFUSED]
        done, calls = done + taken, calls + 1
        assert calls < 5000
    chain.improve_parents(lambda: False)
    check(chain, problem)


class OneScoreLimits:
    """Limits of a chain with which every call stops after the first score that it computes."""

    seconds_of_call = 0.0

    @contextmanager
    def limit_call(self, head):
        """Set the limits, and yield the number of scores of the call."""
        head[LIMIT], head[BATCH], head[STOP], head[IS_REFUSED] = 2**62, 1, head[EVALUATIONS] + 1, 0
        yield 1


def test_a_step_that_never_ends_is_given_up():
    """A step that was tried too often is not taken again: the next call draws another one."""
    problem = problem_of(Dependent(200, (2, 3) * 4, 0.5, 3).dataset, SCORES[0])
    chain = chain_of(Source(problem), list(range(8)), 5)
    chain._counts[[REPEATED, REPEATED_TO, N_REPEATED]] = 3, 0, MAX_REPEATED - 1
    chain._rows[KEY][:] = 0  # an empty cache, so that the step needs new rows
    chain._store[NUMBER][:] = 0
    chain._chain[SEEN][:] = 0
    chain._limits = OneScoreLimits()
    assert chain.step(1, 0.3, 0.0) == 0
    assert chain._counts[REPEATED] == -1


def test_undone_steps_restore_everything():
    """Of 400 steps in a table of noise some losses are accepted, others undone; these change nothing at all."""
    problem = problem_of(Dependent(200, (2, 3) * 6, 0.7, 3).dataset, SCORES[1])
    chain = chain_of(Source(problem), list(range(12)), 5)
    accepted = undone = 0
    for _ in range(400):
        before, threshold = state_of(chain), chain._totals[THRESHOLD]
        chain.step(1, 0.4, 0.0)
        if threshold > 0.0 and chain._totals[THRESHOLD] != threshold:
            up = chain._totals[THRESHOLD] > threshold
            assert math.log(chain._totals[THRESHOLD] / threshold) == pytest.approx(0.05 * (0.4 if up else -0.6))
            assert (state_of(chain) == before) == up
            undone, accepted = undone + up, accepted + (not up)
    check(chain, problem)
    assert min(accepted, undone) > 5


def test_steps_together_or_apart():
    """Three hundred steps are the same one by one and in as few calls as possible; another seed makes others."""
    problem = problem_of(random_network(70, 2.0, 3, 1).sample(200, seed=1), SCORES[0])
    source = Source(problem)
    apart, together, other = (chain_of(source, list(range(70)), seed) for seed in (1, 1, 2))
    for _ in range(300):
        apart.step(1, 0.2, 0.0)
    step_by_step(together, 300, 0.2)
    step_by_step(other, 300, 0.2)
    check(together, problem)
    assert state_of(apart) == state_of(together)
    assert state_of(apart) != state_of(other)


def known_problem(seed: int) -> tuple[Problem, Knowledge]:
    """Return a problem of 20 variables with knowledge of every kind, limits on parents among it."""
    data = random_network(20, 2.0, 3, seed).sample(250, seed=seed)
    known = random_knowledge(data.names, seed)
    degrees = {name: 2 + sum(child == name for _, child in known.required) for name in data.names}
    known = Knowledge(required=known.required, forbidden=known.forbidden, roots=known.roots, max_parents=degrees)
    return problem_of(data, SCORES[seed % len(SCORES)], known), known


@pytest.mark.parametrize("seed", range(5))
def test_knowledge_is_kept_for_hundreds_of_steps(seed):
    """Required edges stay, forbidden ones do not appear, limits hold, in the current and in the best network."""
    problem, known = known_problem(seed)
    chain = chain_of(Source(problem), random_order(problem, seed).tolist(), seed)
    for _ in range(6):
        step_by_step(chain, 100, 0.4)
        check(chain, problem)
        for parents in (parents_of(chain), chain.best_parents()):
            assert breaches(known, DAG(problem.names, parents)) == []


def families_of(chain: OnDemandChain) -> dict[tuple[int, tuple[int, ...]], float]:
    """Return the families in a chain's store by child and parents."""
    child, scores, sizes, members = chain.families()
    pieces = np.split(members, np.cumsum(sizes)[:-1])
    keys = [(int(c), tuple(sorted(piece.tolist()))) for c, piece in zip(child, pieces, strict=True)]
    assert len(set(keys)) == len(keys)
    return dict(zip(keys, scores.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(3))
def test_families_of_another_chain(seed):
    """Each has its local score; another chain stores all of them, once."""
    problem, _ = known_problem(seed)
    source = Source(problem)
    chain = chain_of(source, random_order(problem, seed).tolist(), seed)
    step_by_step(chain, 100, 0.3)
    families = families_of(chain)
    children, parents = [child for child, _ in families], [list(own) for _, own in families]
    assert list(families.values()) == pytest.approx(problem.scorer.families(children, parents), rel=1e-11, abs=1e-9)
    other = OnDemandChain(source, np.uint64(1), MEMORY, timed=False)
    for _ in range(2):  # the second time, the store has the families already
        other.store_families(chain.families())
        assert other.n_families == len(families)
    assert families_of(other) == families
    assert other.scores_without_parents() == pytest.approx([problem.scorer.family(v, []) for v in range(20)], rel=1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_a_chain_moves_to_a_network(seed):
    """A chain moves to a given network or to another chain's best one, with its scores, and stores its families."""
    problem, _ = known_problem(seed)
    source = Source(problem)
    first = chain_of(source, random_order(problem, seed).tolist(), seed)
    step_by_step(first, 100, 0.3)
    second = chain_of(source, random_order(problem, seed + 9).tolist(), seed + 9)
    second.copy_best_of(first)
    check(second, problem)
    assert parents_of(second) == second.best_parents() == first.best_parents()
    assert second.best_order().tolist() == first.best_order().tolist()
    assert second.score_of_best() == first.score_of_best()
    parents, order = first.best_parents(), first.best_order()
    scores = problem.scorer.families(range(problem.size), parents)
    third = OnDemandChain(source, np.uint64(seed), MEMORY, timed=False)
    for _ in range(2):  # the second time, the store has the families already
        third.move_to_network(order, parents, scores)
        assert third.n_families == problem.size
    check(third, problem)
    assert parents_of(third) == third.best_parents() == parents
    step_by_step(third, 50, 0.3)
    check(third, problem)
    assert third.best >= sum_of(scores) - 1e-6


def test_improving_gives_local_optima():
    """After `improve_parents` nothing is better than before, and a second time changes nothing."""
    problem = problem_of(Dependent(300, (2, 3, 2, 4, 2, 3), 0.5, 4).dataset, SCORES[0])
    source = Source(problem)
    chain = OnDemandChain(source, np.uint64(1), MEMORY, timed=False)
    empty = [problem.scorer.family(v, []) for v in range(6)]
    chain.move_to_network(np.arange(6, dtype=np.int32), [[]] * 6, np.array(empty))
    assert chain.current == pytest.approx(sum_of(empty))
    chain.improve_parents(lambda: False)
    check(chain, problem)
    assert chain.current > sum_of(empty)
    before = state_of(chain)
    chain.improve_parents(lambda: False)
    assert state_of(chain)[:2] == before[:2]
    assert chain.current == pytest.approx(before[3], abs=1e-9)


def test_a_chain_that_is_halted_does_not_begin():
    """`begin_at` says so, and there is no best network."""
    problem = problem_of(Dependent(100, (2, 2, 2), 0.5, 4).dataset, SCORES[0])
    chain = OnDemandChain(Source(problem), np.uint64(1), MEMORY)
    assert not chain.start_at(np.arange(3, dtype=np.int32), lambda: True)
    assert chain.best == -math.inf


def test_variables_without_relatives_stay():
    """Where nothing depends on anything, steps change nothing."""
    codes = np.array([[a, b, c] for a in range(2) for b in range(2) for c in range(2)] * 10)
    problem = problem_of(Dataset.from_codes(codes), SCORES[0])
    chain = chain_of(Source(problem), [2, 0, 1], 3)
    before = state_of(chain)
    assert chain.step(20, 0.5, 0.0) == 20
    assert state_of(chain) == before
    assert chain.best_parents() == [[], [], []]
