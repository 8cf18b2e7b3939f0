"""The control flow of an island on a scripted chain: what it offers, where it climbs, when it is stale."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import pytest
from scripted_islands import EMPTY, PROBLEM, ScriptedChain, ScriptedDagSearch, ScriptedSearch, make_island

from bnsearch.ondemand import island as island_file
from bnsearch.ondemand import new_starts
from bnsearch.ondemand.chain import row_bytes
from bnsearch.ondemand.island import Island, make_islands
from bnsearch.ondemand.schedule import SearchBudget
from bnsearch.ondemand.shared_table import Changes
from bnsearch.ondemand.source import Source
from bnsearch.orderings.index import Index
from bnsearch.orderings.state import ScoredOrdering
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from candidate_tables import random_candidates
from clocks import Clock

INDEX = Index(random_candidates(4, 5, 2, seed=1))


def test_a_network_is_offered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The incumbent has -5: -9 is not offered. -5 is offered, but not again; -4 is offered."""
    chain, run = ScriptedChain(), Run(seed=1)
    island = make_island(monkeypatch, chain)
    run.offer(-5.0, lambda: EMPTY)
    offered: list[float] = []
    monkeypatch.setattr(run, "offer", lambda score, make: offered.append(score))
    for chain.best in (-9.0, -5.0, -5.0, -4.0):
        island.offer(run)
    assert offered == [-5.0, -4.0]


def test_steps_on_demand_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls of 3 and 2 steps with 7 evaluations each: 5 iterations, 14 evaluations, and the network is offered."""
    run = Run(seed=1)
    island = make_island(monkeypatch, ScriptedChain(3, 2))
    island.search_on_demand(SearchBudget(max_steps=5), run)
    assert (island.n_steps, run.progress.iterations, run.progress.evaluations) == (5, 5, 14)
    assert run.progress.score == -9.0


def test_climbs_are_counted_and_their_networks_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Best -9: a climb that finds -10 stores it, one finds nothing, one moves to -8; all three are counted."""
    chain = ScriptedChain()
    island = make_island(monkeypatch, chain)
    island.n_climbs, island.dag_search = 1, ScriptedDagSearch(-10.0, None, -8.0)  # type: ignore[assignment]
    island.search_dags(SearchBudget(max_steps=3), Run(seed=1))
    assert (island.n_climbs, chain.calls, chain.best) == (4, ["store", "move"], -8.0)
    assert chain.asked == []


def test_no_climb_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run without time makes no climb."""
    island = make_island(monkeypatch, ScriptedChain())
    island.n_climbs, island.dag_search = 1, ScriptedDagSearch()  # type: ignore[assignment]
    island.search_dags(SearchBudget(max_steps=3), Run(Seconds(0), seed=1))
    assert island.n_climbs == 1


def test_a_first_climb_gets_the_remaining_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three parts of 4 s in a budget of 12 s: the first climb gets 12, 8 and 4 s, and has ended after the third."""
    clock = Clock()
    run = Run(Seconds(100), seed=1, clock=clock)
    island = make_island(monkeypatch, ScriptedChain())
    clock.now += 3.0  # before the climb
    climbs = ScriptedDagSearch(-9.0, -8.0, -7.0, first=[False, False, True])
    continue_first_climb = climbs.continue_first_climb

    def take_time(run: Run, seconds: float) -> tuple[Any, bool]:
        clock.now += 4.0
        return continue_first_climb(run, seconds)

    monkeypatch.setattr(climbs, "continue_first_climb", take_time)
    island.dag_search = climbs  # type: ignore[assignment]
    island.search_dags(SearchBudget(max_seconds=12.0), run)
    assert climbs.seconds == pytest.approx([12.0, 8.0, 4.0])
    assert island.n_climbs == 1
    assert island.dag_search is climbs


def test_without_tabu_search_there_is_one_climb(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first climb has two parts. After the second one the island searches on demand."""
    chain = ScriptedChain(3)
    island = make_island(monkeypatch, chain)
    climbs = ScriptedDagSearch(-9.0, -8.0, first=[False, True], has_tabu_search=False)
    island.dag_search = climbs  # type: ignore[assignment]
    island.search_dags(SearchBudget(max_steps=5), Run(seed=1))
    assert (island.dag_search, island.n_climbs, chain.asked) == (None, 1, [])
    island.search_dags(SearchBudget(max_steps=3), Run(seed=1))
    assert len(chain.asked) == 1


def test_no_climb_before_the_first_one_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """An island whose first climb has not begun, and that knows of no ended climb, searches on demand."""
    chain = ScriptedChain(3)
    island = make_island(monkeypatch, chain)
    island.dag_search = ScriptedDagSearch()  # type: ignore[assignment]
    island.search_dags(SearchBudget(max_steps=3), Run(seed=1))
    assert len(chain.asked) == 1


def test_an_equal_network_is_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chain moves to a better network only."""
    chain = ScriptedChain(best=-8.0)
    make_island(monkeypatch, chain).add_network(EMPTY, np.array([-5.0, -3.0, 0.0, 0.0]))
    assert chain.calls == ["store"]


def test_an_island_is_stale_after_a_long_time_without_improvement(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The first network after 10 s, an improvement after 30 s: stale once more than 30 - 10 = 20 s have passed since then.

    An island that improved at once, after 30 s, is stale when a fifth of the time has passed since then:
    37.4 - 30 = 7.4 is less than 0.2 * 37.4 = 7.48, and 37.6 - 30 = 7.6 exceeds 0.2 * 37.6 = 7.52.
    """
    chain = ScriptedChain()
    island = make_island(monkeypatch, chain)
    for now, chain.best in ((10.0, -9.0), (20.0, -9.0), (30.0, -8.0), (40.0, -8.0)):
        island.record_progress(now)
    island.n_steps = 1000
    assert [island.is_stale(now) for now in (49.0, 50.0, 51.0)] == [False, False, True]
    other = make_island(monkeypatch, chain)
    other.record_progress(30.0)
    other.n_steps = 1000
    assert [other.is_stale(now) for now in (37.4, 37.6)] == [False, True]


def test_an_island_with_few_steps_is_not_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four variables: ten steps for each, 40 in total, must follow the last improvement, which was after 70 steps."""
    chain = ScriptedChain()
    island = make_island(monkeypatch, chain)
    assert island.problem.size == 4
    for island.n_steps, chain.best in ((30, -9.0), (70, -8.0), (90, -8.0)):
        island.record_progress(1.0)
    stale = []
    for island.n_steps in (109, 110):
        stale.append(island.is_stale(100.0))
    assert stale == [False, True]


def test_a_lower_score_is_no_improvement(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores -8, -9, -8.5: the last improvement is the first one, because the best recorded score stays -8."""
    chain = ScriptedChain()
    island = make_island(monkeypatch, chain)
    for now, chain.best in ((10.0, -8.0), (20.0, -9.0), (30.0, -8.5)):
        island.record_progress(now)
    progress = island.describe_progress()
    assert (progress["recorded"], progress["started"], progress["improved"]) == (-8.0, 10.0, 10.0)


def test_progress_is_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    """All entries are restored; the generator only if no other island has it."""
    saved = make_island(monkeypatch, ScriptedChain()).describe_progress()
    saved |= {"climbs": 3, "recorded": -8.0, "started": 10.0, "improved": 30.0}
    for with_generator in (True, False):
        island = make_island(monkeypatch, ScriptedChain())
        island.rng.random()
        own = island.rng.bit_generator.state
        island.restore_progress(saved, with_generator=with_generator)
        assert island.describe_progress() == saved | ({} if with_generator else {"generator": own})
        assert own != saved["generator"]


def test_an_island_copies_network_and_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    """After copying, the record of the other island counts."""
    island, other = (make_island(monkeypatch, ScriptedChain(best=best)) for best in (-9.0, -8.0))
    other.record_progress(10.0)
    other.chain.best = -7.0
    other.record_progress(30.0)
    island.copy_best_of(other)
    progress = island.describe_progress()
    assert island.chain.best == -7.0
    assert (progress["recorded"], progress["started"], progress["improved"]) == (-7.0, 10.0, 30.0)


def test_a_restart_forgets_the_best_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """The new start, -8, is offered although -7 was offered before, and the record begins again after 40 s."""
    chain, run = ScriptedChain(best=-7.0), Run(seed=1)
    island = make_island(monkeypatch, chain)
    monkeypatch.setattr(island_file, "draw_informed_start", lambda *arguments: np.arange(4))
    offered: list[float] = []
    monkeypatch.setattr(run, "offer", lambda score, make: offered.append(score))
    island.offer(run)
    island.record_progress(10.0)
    island.restart(run)
    island.record_progress(40.0)
    assert (offered, chain.calls) == ([-7.0, -8.0], ["reset", ("start", [0, 1, 2, 3])])
    assert island.describe_progress()["started"] == 40.0


class TableSearch(ScriptedSearch):
    """A search over a table: one step and one score in each call, and in the end the best set of each variable."""

    def __init__(self, *scores: float) -> None:
        super().__init__(*[1] * len(scores))
        self.scores, self.best = list(scores), scores[0]

    def step(self, steps: int, rate: float, slope: float) -> int:
        """Take a step."""
        self.best = self.scores.pop(0)
        return super().step(steps, rate, slope)

    def new_evaluations(self) -> int:
        """Return the evaluations of a call."""
        return 7

    def score_best(self) -> ScoredOrdering:
        """Return the network with the best set of each variable."""
        return ScoredOrdering(INDEX, np.arange(4, dtype=np.int32), INDEX.table.begin[:-1].copy())


def test_a_search_over_the_table_offers_its_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    The incumbent scores t - 2. Of t - 3, t - 2, t - 2 and t - 1, the second and the last are offered, and t at the end.

    Steps and evaluations are counted. Growing parents afterwards may take a tenth of the 20 s.
    """
    clock, offered = Clock(), []
    run, chain = Run(Seconds(100), seed=1, clock=clock), ScriptedChain(best=-1e9)
    island, total = make_island(monkeypatch, chain), float(INDEX.table.scores[INDEX.table.begin[:-1]].sum())
    run.offer(total - 2.0, lambda: EMPTY)
    search = TableSearch(total - 3.0, total - 2.0, total - 2.0, total - 1.0)
    monkeypatch.setattr(island_file, "RepairChain", lambda *arguments: search)
    monkeypatch.setattr(island_file, "offer_network", lambda search, found, run: offered.append(search.best))
    monkeypatch.setattr(run, "offer", lambda score, make: offered.append(score))
    changes = island.search_table(INDEX, SearchBudget(max_steps=4, max_seconds=20.0), run)
    assert offered == pytest.approx([total - 2.0, total - 1.0, total])
    assert (run.progress.iterations, run.progress.evaluations) == (4, 28)
    assert changes == Changes(4, 2)
    move, (_, halted) = chain.calls
    assert move == "move"
    clock.now += 1.9
    assert not halted()
    clock.now += 0.2
    assert halted()
    clock.now -= 1.0
    run.budget.request_stop()
    assert halted()


def test_without_a_network_the_table_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chain was halted before its first network, so there is no ordering to begin with."""
    chain = ScriptedChain(best=-inf)
    make_island(monkeypatch, chain).search_table(INDEX, SearchBudget(max_steps=4), Run(seed=1))
    assert chain.calls == []


def test_a_halted_restart_moves_to_the_best_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """
    No time is left: the best of the eight starts is the result, without a second round.

    The first network after the restart counts as an improvement, although the one before was better, and is offered.
    """
    run, chain, offered = Run(Seconds(0), seed=1), ScriptedChain(best=0.0), []
    island = make_island(monkeypatch, chain)
    made = [TableSearch(float(score)) for score in (-7, -2, -5, -3, -1, -8, -4, -6)]
    waiting = iter(made)
    monkeypatch.setattr(new_starts, "RepairChain", lambda *arguments: next(waiting))

    def move(island: Island, index: Index, found: str) -> None:
        chain.calls.append(found)
        chain.best = -9.0

    monkeypatch.setattr(Island, "_move_to_rows", move)
    monkeypatch.setattr(run, "offer", lambda score, make: offered.append(score))
    monkeypatch.setattr(made[4], "score_best", lambda: "the best one")
    island.offer(run)
    island.record_progress(10.0)
    island.restart_from_table(INDEX, run)
    assert chain.calls == ["reset", "the best one"]
    assert run.progress.evaluations == 8 * 7
    assert offered == [0.0, -9.0]
    island.record_progress(40.0)
    assert island.describe_progress()["started"] == 40.0


def test_memory_and_caches_are_divided_among_the_islands() -> None:
    """1 MiB for 3 islands. A timed run shares the caches, a third of the memory each; another run has none to share."""
    source, memory = Source(PROBLEM), 1 << 20
    caches, islands = make_islands(source, PROBLEM, Run(Seconds(100), seed=1), 3, memory)
    assert caches is not None
    assert (caches.number, caches.memory) == (3, row_bytes(memory // 3))
    assert [(island.chain._caches, island.chain._cache) for island in islands] == [(caches, i) for i in range(3)]
    own, islands = make_islands(source, PROBLEM, Run(Iterations(1), seed=1), 3, memory)
    assert own is None
    assert [island.chain._caches.memory for island in islands] == [row_bytes(memory // 3)] * 3
