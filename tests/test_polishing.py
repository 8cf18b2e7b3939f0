"""RINOBS and tabu search in turns."""

from __future__ import annotations

import numpy as np

from bnsearch import Dataset, Problem, Scorer, learn, make_score, random_network
from bnsearch.graphs import DAG
from bnsearch.parent_sets.sequential import Sequential
from bnsearch.polishing import search_and_polish, wanted_families, with_families
from bnsearch.run import Run
from bnsearch.stop import Iterations, Seconds


def parity_data() -> Dataset:
    """Return rows in which the last of five variables is the parity of three, with noise: no pair tells of it."""
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (2000, 5))
    codes[:, 4] = codes[:, 0] ^ codes[:, 1] ^ codes[:, 2] ^ (rng.random(2000) < 0.02)
    return Dataset.from_codes(codes)


def test_families_join_a_table():
    """A network's families are there afterwards, whole and without one parent, unless a subset is better."""
    data = parity_data()
    scorer = Scorer(data, make_score("bic"))
    table = Sequential(max_parents=1).select(data, make_score("bic"), threads=1).table
    network = DAG(data.names, [(), (), (), (), (0, 1, 2)])
    after = with_families(table, *wanted_families(network, scorer, ~np.eye(5, dtype=bool), np.zeros(5, dtype=int)))
    assert next(after.sets(4)) == (scorer.family(4, (0, 1, 2)), (0, 1, 2))
    assert all(list(after.sets(v)) == list(table.sets(v)) for v in range(4))


def test_families_that_a_cycle_forbids_are_wanted():
    """Along 0 -> 1 -> 2 variable 0 would have 1 as a parent, and 1 has more to gain from 2 than from 0."""
    rng = np.random.default_rng(2)
    middle = rng.integers(0, 2, 1000)
    first, last = (np.where(rng.random(1000) < noise, 1 - middle, middle) for noise in (0.3, 0.05))
    data = Dataset.from_codes(np.stack([first, middle, last], axis=1))
    scorer = Scorer(data, make_score("bic"))
    network = DAG(data.names, [(), (0,), (1,)])
    anyone, limits = ~np.eye(3, dtype=bool), np.full(3, 2)
    families, scores = wanted_families(network, scorer, anyone, limits)
    assert families[:5] == [(0, ()), (1, (0,)), (1, ()), (2, (1,)), (2, ())]
    assert set(families[5:]) >= {(0, (1,)), (1, (2,)), (1, (0, 2))}
    assert scores == [scorer.family(child, parents) for child, parents in families]
    assert (1, (0, 2)) not in wanted_families(network, scorer, anyone, np.full(3, 1))[0]
    anyone[1, 2] = False
    assert all(2 not in parents for child, parents in wanted_families(network, scorer, anyone, limits)[0] if child == 1)
    assert wanted_families(network, scorer, anyone, limits, lambda: True)[0] == families[:5]


def test_what_no_candidate_set_holds_is_found():
    """A table without larger sets knows nothing of a network that tabu search finds from its best one."""
    data = random_network(12, 2.0, 3, 5, max_parents=4).sample(3000, 1)
    score = make_score("bic")
    table = Sequential(max_parents=1).select(data, score, threads=1).table
    problem = Problem(data=data, score=score, table=table)
    run = Run(Iterations(20_000), seed=1)
    run.partial = True
    search_and_polish(problem, run)
    assert max(map(len, run.best().parents)) > 1
    best = learn(data, seconds=None, stop=Iterations(20_000), seed=1, threads=1)
    assert run.progress.score >= best.score - 1e-3 * abs(best.score)
    assert abs(problem.scorer.network(run.best()) - run.progress.score) < 1e-6


def test_it_ends_where_neither_can_find_more():
    """Every combination once: the best sets of all columns, the empty ones, make a network, and nothing is better."""
    data = Dataset.from_codes(np.indices((2,) * 6).reshape(6, -1).T)
    table = Sequential(max_parents=1).select(data, make_score("bic"), threads=1).table
    run = Run(Seconds(60), seed=1)
    run.partial = True
    search_and_polish(Problem(data=data, score=make_score("bic"), table=table), run)
    assert not run.best().edges
    assert run.bound == run.progress.score
    assert run.reason is None  # not for want of time
