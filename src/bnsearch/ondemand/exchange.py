"""What happens to islands between two rounds: exchange of networks, and restarts."""

from __future__ import annotations

from collections.abc import Sequence

from bnsearch.ondemand.island import Island
from bnsearch.orderings.index import Index
from bnsearch.runs.run import Run
from bnsearch.scores.score import improves


def exchange_networks(islands: Sequence[Island], now: float) -> list[Island]:
    """
    Move the worse half of the islands to the best network.

    Return those of them that already have the best score and have not improved for long. A single island is treated in
    the same way.

    now : seconds, or number of rounds under a budget of iterations, so far
    """
    best, *others = sorted(islands, key=lambda island: -island.chain.best)
    stale = []
    for worse in others[len(others) // 2 :] or [best]:
        if improves(best.chain.best, worse.chain.best):
            worse.copy_best_of(best)
        elif worse.is_stale(now):
            stale.append(worse)
    return stale


def restart_islands(islands: Sequence[Island], index: Index | None, run: Run) -> None:
    """Restart islands in threads: by searches over a candidate table, or at new orderings if there is no index."""

    def restart(island: Island) -> None:
        if index is None:
            island.restart(run)
        else:
            island.restart_from_table(index, run)

    for _ in run.map(restart, islands):
        pass
