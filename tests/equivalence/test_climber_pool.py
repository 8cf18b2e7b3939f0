"""The climbers that threads share: each keeps its caches from climb to climb, so no more are made than are needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scripted_classes import COUNTS, ScriptedState

from bnsearch.data import Dataset
from bnsearch.equivalence import GRESP
from bnsearch.equivalence.bitsets import Sets
from bnsearch.equivalence.class_search import ClassSearch
from bnsearch.equivalence.climber_pool import ClimberPool
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores import BIC

PROBLEM = Problem(data=Dataset.from_codes(np.zeros((3, 2), dtype=int)), score=BIC())


class LentState(ScriptedState):
    """A scripted class at which a climber starts; `visited` are the scores of the classes it was sent to."""

    def __init__(self, *script: Any) -> None:
        super().__init__(*script)
        self.sets = np.zeros((2, 1), dtype=np.uint64)
        self.visited: list[float] = []

    def refresh(self, halted: Callable[[], bool] = lambda: False) -> None:
        """Do nothing."""

    def go_to(self, sets: Sets, score: float) -> None:
        """Record the class."""
        self.visited.append(score)
        self.score = score


@pytest.fixture
def states(monkeypatch: pytest.MonkeyPatch) -> list[tuple[LentState, dict[str, Any]]]:
    """Return a list of the states that are made, with the options of each."""
    made: list[tuple[LentState, dict[str, Any]]] = []

    def start(method: ClassSearch, scorer: object, **options: Any) -> LentState:
        made.append((LentState([5.0], [], [], [3.0], []), options))
        return made[-1][0]

    monkeypatch.setattr(ClassSearch, "start_neighbourhood", start)
    return made


def test_climbs_in_a_row_use_one_climber(states: list[tuple[LentState, dict[str, Any]]]) -> None:
    """From -100: by 5, then nothing. From -95, after a change that finds nothing, by 3. The origin counts as work."""
    run = Run(seed=1)
    pool = ClimberPool(GRESP(), PROBLEM, run)
    assert run.progress.evaluations == COUNTS["evaluations"]
    first = pool.climb()
    second = pool.change_and_climb(first, lambda state, halted: state.find_best([], halted) and None)
    assert (pool.origin.score, first.score, second.score) == (-100, -95, -92)
    assert first.counts == second.counts == COUNTS
    [(state, options)] = states
    assert state.visited == [-100, -95]
    assert options["keep_all"] is False


def test_climbs_at_the_same_time_have_their_own_climbers(states: list[tuple[LentState, dict[str, Any]]]) -> None:
    """A climb within a climb needs a second climber; afterwards both are idle, and no third one is made."""
    pool = ClimberPool(GRESP(), PROBLEM, Run(seed=1), keep_all=True)
    pool.change_and_climb(pool.origin, lambda state, halted: pool.climb() and None)
    pool.change_and_climb(pool.origin, lambda state, halted: pool.climb() and None)
    assert [options["keep_all"] for _, options in states] == [True, True]
    assert [len(state.visited) for state, _ in states] == [2, 2]
