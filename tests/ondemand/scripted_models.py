"""Island models on scripted islands."""

from __future__ import annotations

from typing import Any

import pytest
from scripted_islands import PROBLEM, ScriptedChain, make_island

from bnsearch.ondemand import island_model
from bnsearch.ondemand.island_model import IslandModel
from bnsearch.ondemand.shared_table import Changes
from bnsearch.ondemand.source import Source
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds, Stop
from clocks import Clock

SOURCE = Source(PROBLEM)
TIMED = Seconds(1000.0)


class ScriptedTable:
    """The shared table of all islands; searches over it are recorded."""

    def __init__(self, *arguments: Any) -> None:
        self.has_new_sets, self.seconds, self.gains = False, 0.0, []
        self.planned: list[float] = []
        self.changes: list[Changes] = []

    def min_search_seconds(self) -> float:
        """Return the shortest useful search."""
        return self.seconds

    def fits(self, seconds: float) -> bool:
        """Return True if a search takes more than two seconds."""
        return seconds > 2.0

    def use_all_sets(self, seconds: float) -> None:
        """Record the length of the last search."""
        self.planned.append(seconds)

    def find_index(self) -> str:
        """Return the index."""
        return "index"

    def record_search(self, gain: float, changes: Changes) -> None:
        """Record the gain of a search, and the families that it has changed."""
        self.gains.append(gain)
        self.changes.append(changes)


def make_model(
    monkeypatch: pytest.MonkeyPatch,
    *scores: float,
    stop: Stop = TIMED,
    threads: int = 1,
    on_demand_only: bool = False,
    caches: Any = None,
    memory: int = 1 << 20,
) -> tuple[IslandModel, Clock]:
    """Return a model whose islands have scripted chains with these scores, and its clock."""
    islands = [make_island(monkeypatch, ScriptedChain(best=score)) for score in scores]
    monkeypatch.setattr(island_model, "make_islands", lambda *arguments: (caches, islands))
    monkeypatch.setattr(island_model, "SharedTable", ScriptedTable)
    clock = Clock()
    run = Run(stop, seed=1, threads=threads, clock=clock)
    model = IslandModel(PROBLEM, run, len(scores), memory, on_demand_only=on_demand_only, source=SOURCE)
    return model, clock


def record_calls(
    monkeypatch: pytest.MonkeyPatch, model: Any, *names: str, results: dict[str, Any] | None = None
) -> list[Any]:
    """Replace methods of a model, or of an object that it has; return the list of their calls: names and arguments."""
    calls: list[Any] = []
    for name in names:

        def record(*arguments: Any, name: str = name) -> Any:
            calls.append((name, *arguments))
            return (results or {}).get(name)

        monkeypatch.setattr(model, name, record)
    return calls
