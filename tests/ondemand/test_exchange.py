"""Exchange of networks between islands, and their restarts, on scripted islands."""

from __future__ import annotations

import pytest
from scripted_islands import ScriptedChain, make_island

from bnsearch.ondemand.exchange import exchange_networks, restart_islands
from bnsearch.ondemand.island import Island
from bnsearch.orderings.index import Index
from bnsearch.runs.run import Run
from candidate_tables import random_candidates


def test_the_worse_half_moves_to_the_best_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Besides the best of five islands, -1, there are four; the worse two of them, -4 and -5, move to its network."""
    islands = [make_island(monkeypatch, ScriptedChain(best=best)) for best in (-4.0, -2.0, -1.0, -5.0, -3.0)]
    assert exchange_networks(islands, 1.0) == []
    assert [island.chain.best for island in islands] == [-1.0, -2.0, -1.0, -1.0, -3.0]


@pytest.mark.parametrize("index", [None, Index(random_candidates(4, 5, 2, seed=1))], ids=["orderings", "table"])
def test_each_given_island_restarts(monkeypatch: pytest.MonkeyPatch, index: Index | None) -> None:
    """At a new ordering without an index, and by searches over the table with one."""
    restarted: list[tuple[Island, Index | None]] = []
    monkeypatch.setattr(Island, "restart", lambda island, run: restarted.append((island, None)))
    monkeypatch.setattr(Island, "restart_from_table", lambda island, index, run: restarted.append((island, index)))
    islands = [make_island(monkeypatch, ScriptedChain()) for _ in range(2)]
    restart_islands(islands, index, Run(seed=1, threads=1))
    assert restarted == [(island, index) for island in islands]
