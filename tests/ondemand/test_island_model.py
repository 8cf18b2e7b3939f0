"""The island model: starts, exchange of networks, the shared table, and independence of the number of threads."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from bnsearch.equivalence.ges import GES
from bnsearch.graphs import DAG
from bnsearch.learning.search import search
from bnsearch.networks import random_network
from bnsearch.ondemand import new_starts
from bnsearch.ondemand.dag_search import MIN_CLIMB_BYTES
from bnsearch.ondemand.exchange import exchange_networks, restart_islands
from bnsearch.ondemand.island import Island
from bnsearch.ondemand.island_model import CLIMB_MEMORY, IslandModel
from bnsearch.ondemand.schedule import SearchBudget
from bnsearch.ondemand.shared_table import Changes, SharedTable, build_table, draw_informed_start
from bnsearch.orderings.index import Index
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Evaluations, Iterations, Seconds
from bnsearch.scores import make_score
from bnsearch.scores.score import improves
from bnsearch.selection.sequential import Sequential
from clocks import Clock
from knowledge_cases import random_knowledge
from reference_ondemand import problem_of

MEMORY = 1 << 24


def problem_with(score: str, known: bool, n: int = 20) -> Problem:
    """Return a problem of n variables, with required and forbidden edges if `known`."""
    data = random_network(n, 2.0, 3, 4).sample(250, seed=4)
    return problem_of(data, make_score(score), random_knowledge(data.names, 4) if known else None)


def searched(problem: Problem, threads: int, rounds: int = 3, number: int = 3) -> tuple[IslandModel, Run]:
    """Return an island model after some rounds, and its run."""
    run = Run(Iterations(10**6), seed=3, threads=threads)
    model = IslandModel(problem, run, number, MEMORY)
    model.start()
    assert model.is_started
    for _ in range(rounds):
        model.search_round()
    return model, run


def test_the_first_search_over_the_table_may_be_longer():
    """
    After 20 of 100 s the planned time is 2 * 20 s, and 1.5 million rows are built in a second.

    Building may take 0.3 of a search, and a search 0.08 of the planned time, 1,440,000 rows in all; the first search
    0.16. The 20 variables take the time of 30 rows each.
    """
    clock = Clock()
    table = SharedTable(problem_with("bic", False), Run(Seconds(100), seed=1, clock=clock), [], 1e9)
    clock.now += 20.0
    assert table._max_added() == pytest.approx(2_880_000 - 600)
    table.record_search(0.0, Changes())
    assert table._max_added() == pytest.approx(1_440_000 - 600)


def test_the_last_search_over_the_table_is_planned():
    """
    After 20 of 100 s, the last search may take 8 s. Building takes 0.3 of them, 1.5 million rows in each second.

    The 20 variables take the time of 30 rows each. In a run of 0.015 s, the last search is too short for these rows.
    """
    problem, clock = problem_with("bic", False), Clock()
    table = SharedTable(problem, Run(Seconds(100), seed=1, clock=clock), [], 1e9)
    clock.now += 20.0
    assert table.last_search_seconds == pytest.approx(8.0)
    table.use_all_sets(8.0)
    assert table._max_added() == pytest.approx(3_600_000 - 600)
    assert table._count_wanted() == inf
    table.record_search(1.0, Changes(5, 0))
    table.record_search(1.0, Changes(5, 0))
    assert table._max_added() == pytest.approx(1_440_000 - 600)  # as before
    assert table._count_wanted() == 0.0
    few = SharedTable(problem, table._run, [], 200_000.0)  # bytes, 200 for each row
    few.use_all_sets(8.0)
    assert few._max_added() == 1000
    assert not table.fits(0.0013)
    assert table.fits(0.0014)
    for stop in (Seconds(0.015), Iterations(10)):
        assert SharedTable(problem, Run(stop, seed=1), [], 1e9).last_search_seconds == 0.0


def test_the_last_search_uses_all_sets():
    """A usual table has four other sets for each family met; the last one has all enumerated sets."""
    data = random_network(25, 3.0, 2, 4).sample(3000, seed=4)
    problem = problem_of(data, make_score("bic"))
    model, _ = searched(problem, 1, rounds=1)
    every_set = Sequential(max_parents=3).select(data, make_score("bic")).table
    run = model.table._run = model.table_searches._run = model.run = Run(Seconds(100), seed=3, threads=1)
    model.table._timed = True
    model.table.add_selected(every_set, at_once=False)
    usual = model.table.build().n_sets
    score = max(island.chain.best for island in model.islands)
    model.search_last(2.0)
    assert model.table._index.table.n_sets > max(every_set.n_sets, 1.5 * usual)
    assert model.table.n_searches == 2
    assert max(island.chain.best for island in model.islands) >= score
    assert run.progress.iterations > 0


@pytest.mark.parametrize("known", [False, True], ids=["free", "known"])
@pytest.mark.parametrize("score", ["bic", "k2"])
def test_islands_after_some_rounds(score, known):
    """Every island's best network is legal and has the score of the chain; the best of all was offered."""
    problem = problem_with(score, known)
    model, run = searched(problem, 1)
    for island in model.islands:
        dag = DAG(problem.names, island.chain.best_parents())
        assert island.chain.score_of_best() == pytest.approx(problem.scorer.network(dag), rel=1e-11)
        assert problem.constraints is None or problem.constraints.permits(dag)
    best = max(island.chain.score_of_best() for island in model.islands)
    assert run.progress.score >= best - 1e-9 * abs(best)
    assert problem.scorer.network(run.best()) == pytest.approx(run.progress.score, rel=1e-11)


def test_islands_begin_with_a_given_network():
    """A network that is better than that of the first climb is the start of all islands."""
    problem = problem_with("bic", False, 40)
    best = searched(problem, 1)[1]
    climbed = searched(problem, 1, rounds=0)[0]
    assert improves(best.progress.score, climbed.islands[0].chain.best)
    begun = searched(replace(problem, start=best.best()), 1, rounds=0)[0]
    for island in begun.islands:
        assert island.chain.best == pytest.approx(best.progress.score, rel=1e-11)


def test_only_search_on_demand_warms_up(monkeypatch):
    """Other activities begin when a chain has made one step for each variable, or has doubled the elapsed time."""
    clock = Clock(1e-4)
    model = IslandModel(problem_with("bic", False), Run(Seconds(10**6), seed=3, threads=1, clock=clock), 1, MEMORY)
    model.start()
    island, calls = model.islands[0], []
    for name in ("search_table", "search_dags", "search_on_demand", "try_new_orderings"):
        monkeypatch.setattr(island, name, lambda *_, name=name: calls.append(name))
    started = clock.now
    island.n_steps = model.problem.size - 1  # steps are not slow
    assert model.is_warming_up
    model.search_round()
    assert calls == ["search_on_demand"]
    clock.now += 1.01 * (started - 100.0)
    assert not model.is_warming_up
    clock.now = started
    assert model.is_warming_up
    island.n_steps += 1
    assert not model.is_warming_up
    for _ in range(20):
        model.search_round()
        clock.now *= 1.2
    assert set(calls) == {"search_table", "search_dags", "search_on_demand", "try_new_orderings"}


@pytest.mark.parametrize("known", [False, True], ids=["free", "known"])
def test_the_table_of_all_families_met(known):
    """Rows are families of the data with their scores; each island's best network is among the table's networks."""
    problem = problem_with("bdeu", known)
    model, _ = searched(problem, 1)
    table = model.table.build()
    base = problem.base.parents
    legal = [row for row in range(table.n_sets) if set(base[table.child[row]]) <= set(table.parents(row))]
    expected = problem.scorer.families(table.child[legal].tolist(), [list(table.parents(row)) for row in legal])
    assert table.scores[legal] == pytest.approx(expected, rel=1e-11, abs=1e-9)
    assert table.n_sets - len(legal) == sum(1 for parents in base if parents)  # empty sets, at a prohibitive score
    for island in model.islands:
        dag = DAG(problem.names, island.chain.best_parents())
        assert table.score_of(dag) >= island.chain.score_of_best() - 1e-6
    few = build_table([model.islands[0].chain], problem, max_rows=3 * problem.size)
    assert few.n_sets <= 3 * problem.size + problem.size


def test_the_width_of_the_table():
    """A search that gains by few added sets is followed by one over fewer sets, down to a limit; any other by more."""
    data = random_network(25, 3.0, 2, 4).sample(3000, seed=4)
    model, _ = searched(problem_of(data, make_score("bic")), 1)
    sizes = []
    for gain, n_new in [(1.0, 1)] * 9 + [(0.0, 0)] + [(1.0, 2)] + [(1.0, 1)] * 9:
        model.table.record_search(gain, Changes(20, n_new))
        sizes.append(model.table.build().n_sets)
    assert sizes[7] == sizes[8] == sizes[-1]
    assert sizes[8] < sizes[9] < sizes[10]


def test_a_search_over_the_table_counts_changed_and_new_families(monkeypatch):
    """Families are new if they were not in the store; without a better network nothing counts."""
    problem = problem_with("bic", False, 30)
    model, run = searched(problem, 1, rounds=0)
    island, empty = model.islands[0], DAG.empty(problem.names)
    island.chain.reset_best()
    island.add_network(empty, island.chain.scores_without_parents())
    families, before = island.chain.families(), island.chain.best_parents()
    members = np.split(families.members, np.cumsum(families.sizes)[:-1])
    stored = {(int(child), frozenset(own.tolist())) for child, own in zip(families.child, members, strict=True)}
    monkeypatch.setattr(island.chain, "improve_parents", lambda halted: None)
    table = Sequential(max_parents=2).select(problem.data, make_score("bic")).table
    changes = island.search_table(Index(table), SearchBudget(max_steps=20_000), run)
    after = enumerate(zip(before, island.chain.best_parents(), strict=True))
    changed = [(v, frozenset(new)) for v, (old, new) in after if set(old) != set(new)]
    assert changes.number == len(changed) > 0
    assert 0 < changes.n_new == len([family for family in changed if family not in stored]) < len(changed)
    assert island.try_new_orderings(Index(table), SearchBudget(max_steps=1), run) == Changes()


def test_the_table_gets_no_wider_than_it_can_be():
    """However many searches gain nothing, at most twice as many sets are wanted as there are."""
    data = random_network(25, 3.0, 2, 4).sample(3000, seed=4)
    model, _ = searched(problem_of(data, make_score("bic")), 1)
    for _ in range(30):
        model.table.record_search(0.0, Changes())
        model.table.build()
    n_sets = model.table._n_added
    assert model.table._count_wanted() <= 2.0 * n_sets
    model.table.record_search(1.0, Changes(20, 0))
    model.table.record_search(1.0, Changes(20, 0))
    model.table.build()
    assert model.table._n_added < n_sets


def test_enumerated_and_grown_sets_share_the_room():
    """Of too many sets, half of each kind are taken, and more of one kind if the other has fewer; the best ones."""
    data = random_network(12, 3.0, 2, 4).sample(3000, seed=4)
    model, _ = searched(problem_of(data, make_score("bic")), 1)
    pairs, single = (Sequential(max_parents=k).select(data, make_score("bic")).table for k in (2, 1))
    model.table.add_selected(pairs)
    model.table.add_grown(single, at_once=False)
    taken = model.table._take_selected(pairs.n_sets + single.n_sets)
    assert {table.n_sets for table in taken} == {pairs.n_sets, single.n_sets}
    room = 4 * data.n_variables
    assert min(pairs.n_sets, single.n_sets) > room / 2
    for table in model.table._take_selected(room):
        assert table.n_sets <= room / 2 + data.n_variables  # and the empty sets
        assert table.scores[table.begin[:-1]] == pytest.approx(pairs.scores[pairs.begin[:-1]]) or table.max_parents == 1
    few = single.best(1)
    model.table.add_grown(few, at_once=False)
    cut = model.table._take_selected(few.n_sets + room)
    assert cut[0].n_sets == few.n_sets
    assert cut[1].n_sets > room / 2 + data.n_variables


def test_a_table_serves_again():
    """If there is no time for a table as large as the last one, that serves again, unless a network has improved."""
    clock = Clock()
    run = Run(Seconds(60), seed=3, threads=1, clock=clock)
    model = IslandModel(problem_with("bic", False, 30), run, 2, MEMORY)
    clock.now += 1.0
    model.start()
    for island in model.islands:
        island.chain.step(300, 0.2, 0.0)
    clock.now += 10.0
    last = model.table.find_index()
    model.table.record_search(0.0, Changes())
    assert model.table.find_index() is not last
    last = model.table.find_index()
    model.table.record_search(0.0, Changes())
    clock.now += 48.99
    assert model.table.find_index() is last
    assert model.table.min_search_seconds() == 0.0
    model.islands[0].chain.reset_best()
    assert model.table.find_index() is not last


def test_share_of_variables_with_few_parents():
    """Counted in the best network of the islands."""
    problem = problem_with("bic", False)
    model, _ = searched(problem, 1)
    best = max(model.islands, key=lambda island: island.chain.best)
    sizes = [len(parents) for parents in best.chain.best_parents()]
    for most in range(4):
        assert model.share_covered(most) == sum(size <= most for size in sizes) / problem.size


def test_orderings_of_restarts():
    """An ordering informed by the families met so far: a permutation in which required parents come first."""
    problem = problem_with("bic", True)
    model, _ = searched(problem, 1, number=1)
    for seed in range(5):
        order = draw_informed_start(model.islands[0].chain, problem, np.random.default_rng(seed)).tolist()
        assert sorted(order) == list(range(problem.size))
        base = problem.base.parents
        assert all(order.index(p) < order.index(v) for v in range(problem.size) for p in base[v])


@pytest.mark.parametrize("known", [False, True], ids=["free", "known"])
def test_a_restart_keeps_the_best_of_several_orderings(known, monkeypatch):
    """Searches of 8, 4, 2 and 1 orderings, with n, 2n, 4n and 8n steps; the worse half is dropped after each round."""
    problem = problem_with("bic", known)
    model, run = searched(problem, 1, number=1)
    searches, anneal = [], new_starts.anneal

    def recorded(chain, budget, *rest):
        anneal(chain, budget, *rest)
        searches.append((chain, budget.max_steps, chain.best))

    monkeypatch.setattr(new_starts, "anneal", recorded)
    island, iterations = model.islands[0], run.progress.iterations
    restart_islands([island], model.table.find_index(), run)
    n = problem.size
    assert [steps for _, steps, _ in searches] == [n] * 8 + [2 * n] * 4 + [4 * n] * 2 + [8 * n]
    begin = 0
    for size in (8, 4, 2):
        scores = {chain: best for chain, _, best in searches[begin : begin + size]}
        kept = [chain for chain, *_ in searches[begin + size : begin + size + size // 2]]
        assert [scores[chain] for chain in kept] == sorted(scores.values(), reverse=True)[: size // 2]
        begin += size
    assert island.chain.best == pytest.approx(searches[-1][2], rel=1e-12)
    assert problem.permits is None or problem.permits(DAG(problem.names, island.chain.best_parents()))
    assert run.progress.iterations == iterations


def test_stale_islands_restart(monkeypatch):
    """Of three islands with the same score, the worst one restarts if it is stale; a single stale island restarts."""
    problem = problem_with("bic", False)
    model, _ = searched(problem, 1, rounds=2)
    first, *others = model.islands
    for island in others:
        island.copy_best_of(first)
    stale = {others[1]}
    monkeypatch.setattr(Island, "is_stale", lambda island, now: island in stale)
    assert exchange_networks(model.islands, 1.0) == [others[1]]
    assert exchange_networks(model.islands[:2], 1.0) == []
    assert exchange_networks(others[1:], 1.0) == [others[1]]


@pytest.mark.parametrize("known", [False, True], ids=["free", "known"])
@pytest.mark.parametrize("score", ["bic", "k2"])
def test_threads_change_nothing(score, known):
    """Three islands in 1, 2 and 3 threads: the same orderings, networks and scores to the last digit."""
    states = []
    for threads in (1, 2, 3):
        model, run = searched(problem_with(score, known), threads)
        chains = [island.chain for island in model.islands]
        states.append(
            (
                run.progress.score,
                run.best(),
                run.progress.iterations,
                [chain.best for chain in chains],
                [chain.best_parents() for chain in chains],
                [chain._order.tolist() for chain in chains],
                model.table.build().n_sets,
            )
        )
    assert states[0] == states[1] == states[2]


def test_the_worst_island_copies_the_best():
    """After an exchange the worst island has the best one's network."""
    problem = problem_with("bic", False)
    model, _ = searched(problem, 1, rounds=2)
    worst, best = model.islands[1].chain, model.islands[2].chain
    empty = [[]] * problem.size
    worst.reset_best()
    worst.move_to_network(
        np.arange(problem.size, dtype=np.int32), empty, problem.scorer.families(range(problem.size), empty)
    )
    best.step(200, 0.0, 0.0)
    model._exchange()
    leading = max(island.chain.best for island in model.islands)
    assert worst.best == pytest.approx(leading, rel=1e-12)
    assert problem.scorer.network(DAG(problem.names, worst.best_parents())) == pytest.approx(leading, rel=1e-11)


def test_islands_that_have_no_time():
    """A run that is over before the pairs are counted has no islands, and the model is not started."""
    clock = Clock()
    run = Run(Seconds(1), seed=1, clock=clock)
    clock.now += 5.0
    model = IslandModel(problem_with("bic", False), run, 2, MEMORY)
    model.start()
    assert not model.is_started


def test_evaluations_as_a_budget():
    """A budget of local scores ends the search, too, and there is a network."""
    problem = problem_with("bic", False)
    run = Run(Evaluations(500), seed=1)
    model = IslandModel(problem, run, 2, MEMORY)
    model.start()
    while run.going() and model.is_started:
        model.search_round()
    assert run.reason == "evaluations"
    assert problem.scorer.network(run.best()) == pytest.approx(run.progress.score, rel=1e-11)


def test_little_memory():
    """Without memory for tabu search, the first climb is made, and all later rounds search over orderings."""
    problem = problem_with("bic", False, n=12)
    run = Run(Iterations(500), seed=1)
    model = IslandModel(problem, run, 2, MIN_CLIMB_BYTES)
    model.start()
    assert model.is_started
    assert [island.dag_search for island in model.islands] == [None, None]
    model.search_round()
    assert problem.scorer.network(run.best()) == pytest.approx(run.progress.score, rel=1e-11)


def test_many_threads():
    """GES replaces the last island until it ends, which then takes its network; the memory suffices for four climbs."""
    problem = problem_with("bic", False, n=12)
    usual = search(problem, GES(), stop=Iterations(10**6), seed=1, threads=1)
    run = Run(Seconds(60), seed=1, threads=4)
    memory = int(4.5 * (10 * problem.size**2 + MIN_CLIMB_BYTES) / CLIMB_MEMORY)
    model = IslandModel(problem, run, 6, memory)
    model.start()
    assert model.class_climb is not None
    assert [island.dag_search is None for island in model.islands] == [False] * 4 + [True] * 2
    while model.class_climb is not None and run.going():
        model.search_round()
    assert model.class_climb is None
    assert model.islands[-1].chain.best >= usual.score - 1e-9 * abs(usual.score)
    for island in model.islands:
        dag = DAG(problem.names, island.chain.best_parents())
        assert island.chain.score_of_best() == pytest.approx(problem.scorer.network(dag), rel=1e-11)
