"""Climbs with estimated gains: every step improves, and they end where no move does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.dags import lazy_climber
from bnsearch.dags.climber import Climber
from bnsearch.dags.kernels_gain_lists import BEGIN, CANDIDATE, COUNT, OWN, STALE, UNKNOWN, UP_TO_DATE
from bnsearch.dags.kernels_lazy import FINDS, SAMPLES
from bnsearch.dags.kernels_parent_lists import MEMBER, SIZE
from bnsearch.dags.lazy_climber import LazyClimber
from bnsearch.dags.pair_gains import compute_pair_gains
from bnsearch.dags.pricer import Pricer, Rules
from bnsearch.data import Dataset
from bnsearch.graphs.dag import DAG
from bnsearch.knowledge import Knowledge
from bnsearch.networks import random_network
from bnsearch.runs.problem import Problem
from bnsearch.scores import SCORES, make_score
from knowledge_cases import random_knowledge
from reference import family_score
from reference_dags import is_acyclic, neighbours
from strategies import examples, tables

PARAMETERS = {"bdeu": {"ess": 1.0}}


def lazy_climber_of(problem: Problem, limit: int) -> LazyClimber:
    """Return a lazy climber; the required parents may be more than `limit`."""
    known = problem.constraints
    required = np.zeros(problem.size, dtype=int) if known is None else known.required.sum(axis=1)
    most = np.full(problem.size, limit) if known is None else np.minimum(limit, known.max_parents)
    pairs = compute_pair_gains(problem)
    order = np.argsort(problem.needed_data.arities, kind="stable")
    return LazyClimber(problem, pairs, np.maximum(most, required)[order])


@given(
    tables(min_variables=1, max_variables=6, max_rows=65),
    st.sampled_from(sorted(SCORES)),
    st.sampled_from([1, 2, 6]),
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.sampled_from([1, 2, 10**6]),
)
@examples(80)
def test_a_lazy_climb_ends_where_no_move_improves(table, score, max_parents, seed, informed, max_scores):
    """
    For every score, with few parents, forbidden and required edges, from the required edges.

    With many rows, the gains of a family are computed in several calls.
    """
    data = table.dataset
    known = Knowledge(max_parents=max_parents)
    if informed and data.n_variables > 1:
        known = random_knowledge(data.names, seed)
    problem = Problem(data=data, score=make_score(score, **PARAMETERS.get(score, {})), knowledge=known)
    climber = lazy_climber_of(problem, data.n_variables)
    climber._max_scores = max_scores
    climber.start(problem.base.parents)
    path = [-1e300]
    for _ in climber.climb(max_steps=1):
        if climber.best is not None:
            assert climber.score >= path[-1] - 1e-9 * max(1.0, abs(path[-1]))
            path.append(climber.score)
            assert is_acyclic(tuple(map(frozenset, climber.best.parents)))

    def value(graph):
        known = score, table.codes, table.arities
        return sum(family_score(*known, v, sorted(s), **PARAMETERS.get(score, {})) for v, s in enumerate(graph))

    def is_legal(graph):
        return problem.constraints.permits(DAG(data.names, [sorted(s) for s in graph]))

    assert climber.best is not None
    end = tuple(map(frozenset, climber.best.parents))
    assert is_legal(end)
    assert climber.score == pytest.approx(value(end), rel=1e-9, abs=1e-9)
    margin = 1e-7 * max(1.0, abs(climber.score))
    assert all(value(after) <= climber.score + margin for _, after in neighbours(end) if is_legal(after))


def test_few_gains_are_computed():
    """Sixty columns, each a noisy copy of the one before: few gains until only certainty is lacking."""
    rng = np.random.default_rng(4)
    n, columns = 60, [rng.integers(2, size=2000)]
    while len(columns) < n:
        columns.append(np.where(rng.random(2000) < 0.2, rng.integers(2, size=2000), columns[-1]))
    data = Dataset.from_codes(np.column_stack(columns))
    lazy = lazy_climber_of(Problem(data=data, score=make_score("bic")), n)
    lazy.start([()] * n)
    computed: dict[float, int] = {}
    for _ in lazy.climb():
        computed.setdefault(lazy.score, lazy.computed)
    rules = Rules(allowed=np.ones((n, n), dtype=bool), limits=np.full(n, n))
    usual = Climber(Pricer(data, make_score("bic"), rules))
    usual.start([()] * n)
    for _ in usual.climb():
        pass
    assert lazy.score == pytest.approx(usual.score, rel=1e-3)
    assert computed[lazy.score] < 0.5 * usual.computed


def list_better_parents(climber: LazyClimber, problem: Problem, y: int) -> tuple[set[int], set[int]]:
    """Return the further parents that improve the family of place y, by definition, and those in its row."""
    order, rows, n = climber._order, climber._rows, problem.size
    child, parents = order[y], order[climber._graph[MEMBER][y, : climber._graph[SIZE][y]]].tolist()
    others = [x for x in range(n) if x != child and x not in parents]
    better = {x for x in others if problem.scorer.family(child, (*parents, x)) > rows[OWN][y] + 1e-9}
    entries = slice(rows[BEGIN][y], rows[BEGIN][y] + rows[COUNT][y])
    return better, set(order[rows[CANDIDATE][entries]].tolist())


def test_samples_of_unknown_gains():
    """
    Sixty rows of noise under BDeu: most families have improving parents that do not improve the empty family.

    Rows are then computed as soon as their family grows, and list all parents with a positive gain.
    """
    rng = np.random.default_rng(7)
    n = 520
    problem = Problem(data=Dataset.from_codes(rng.integers(2, size=(60, n))), score=make_score("bdeu", ess=1.0))
    climber = lazy_climber_of(problem, n)
    climber.start([()] * n)
    for _ in climber.climb(max_steps=1):
        if climber._counters[SAMPLES] >= 20:
            break
    complete = 0
    for y in range(n):
        if climber._graph[SIZE][y] == 0 or climber._rows[STALE][y] != UP_TO_DATE or climber._rows[UNKNOWN][y] > 0:
            continue
        complete += 1
        better, listed = list_better_parents(climber, problem, y)
        assert listed == better
    samples, finds = climber._counters[SAMPLES], climber._counters[FINDS]
    assert 2 * finds > samples >= 20
    assert complete >= 5


@pytest.mark.parametrize("seed", range(4))
def test_no_gain_is_overlooked(seed):
    """At the end of a climb with samples, each parent that improves its family by definition is in the family's row."""
    rng = np.random.default_rng(seed)
    n = 40
    problem = Problem(data=Dataset.from_codes(rng.integers(2, size=(30, n))), score=make_score("bdeu", ess=1.0))
    climber = lazy_climber_of(problem, n)
    climber.start([()] * n)
    for _ in climber.climb():
        pass
    assert climber._counters[SAMPLES] > 0
    for y in range(n):
        better, listed = list_better_parents(climber, problem, y)
        assert better <= listed


def test_a_pool_that_is_enlarged(monkeypatch):
    """A climb that starts with room for one row of gains ends at the same network."""
    problem = Problem(data=random_network(40, 2.0, 3, 3).sample(500, seed=3), score=make_score("bdeu"))
    found = []
    for free_rows in (1, 1000):
        monkeypatch.setattr(lazy_climber, "FREE_ROWS", free_rows)
        climber = lazy_climber_of(problem, 10)
        climber.start([()] * problem.size)
        for _ in climber.climb():
            pass
        assert climber.best is not None
        found.append((climber.score, climber.best.parents))
    assert found[0] == found[1]


def test_a_climb_from_a_given_network():
    """A climb from the network of the data does not lose, and a second start forgets the first."""
    network = random_network(30, 1.5, 3, 8)
    problem = Problem(data=network.sample(2000, seed=8), score=make_score("bic"))
    climber = lazy_climber_of(problem, 10)
    scores = []
    for parents in ([()] * problem.size, network.dag.parents, [()] * problem.size):
        climber.start(parents)
        for _ in climber.climb():
            pass
        scores.append(climber.score)
    assert scores[0] == scores[2]
    assert scores[1] >= problem.score_of(network.dag) - 1e-6
