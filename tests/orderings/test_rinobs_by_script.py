"""The control flow of RINOBS on scripted chains: how many islands, where they restart, what they accept and offer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from scripted import Optimum

from bnsearch.graphs import DAG
from bnsearch.orderings import rinobs
from bnsearch.orderings.index import Index
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds, Stop, Target
from candidate_tables import random_candidates

INDEX = Index(random_candidates(3, 2, 1, seed=1))
ORDER = np.array([2, 0, 1], dtype=np.int32)


class ScriptedChain:
    """
    A chain whose steps are scripted.

    Parameters
    ----------
    script : for each call of `step`, the number of steps made and the best score afterwards
    """

    def __init__(self, *script: tuple[int, float], order: Sequence[int] = (0, 1, 2)) -> None:
        self.script, self.best, self.best_order = list(script), -np.inf, list(order)
        self.asked: list[tuple[float, ...]] = []
        self.restarted: list[list[int]] = []
        self.evaluations = 0

    def step(self, steps: int, rate: float, slope: float) -> int:
        """Make the next steps of the script."""
        self.asked.append((steps, round(rate, 9), round(slope, 9)))
        taken, self.best = self.script.pop(0)
        self.evaluations += 7
        return taken

    def restart(self, order: Sequence[int]) -> None:
        """Record the ordering."""
        self.restarted.append(list(order))

    def new_evaluations(self) -> int:
        """Return the evaluations since the last call: 7 for each call of `step`."""
        new, self.evaluations = self.evaluations, 0
        return new

    def score_best(self) -> Any:
        """Return the best network."""
        return Optimum(ORDER, self.best, ("a", "b", "c"))


def test_default_parameters() -> None:
    """The defaults are those of the documentation."""
    expected = {"orderings": 8, "islands": None, "rate": 0.25, "length": 1, "start": "fas"}
    assert asdict(RINOBS()) == expected


def test_the_share_of_accepted_losses_falls_to_zero() -> None:
    """Rate 0.25 over 10 steps falls by 0.025 a step; calls of 4, 4 and 2 steps start at 0.25, 0.15 and 0.05."""
    chain, run = ScriptedChain((4, -9.0), (4, -9.0), (2, -8.0)), Run(seed=1)
    RINOBS()._anneal(chain, 10, run)
    assert chain.asked == [(10, 0.25, 0.025), (6, 0.15, 0.025), (2, 0.05, 0.025)]
    assert [point.score for point in run.trace] == [-9, -8]
    assert (run.progress.iterations, run.progress.evaluations) == (10, 21)


def test_a_network_worse_than_the_incumbent_is_not_offered() -> None:
    """The incumbent has -5: -9 is not offered, -4 is, and only once."""
    chain, run, offered = ScriptedChain((1, -9.0), (1, -4.0), (1, -4.0)), Run(seed=1), []
    run.offer(-5.0, lambda: DAG.empty(["a", "b", "c"]))
    chain.score_best = lambda: offered.append(chain.best) or Optimum(ORDER, chain.best, ("a", "b", "c"))
    RINOBS()._anneal(chain, 3, run)
    assert offered == [-4]


def test_a_halted_chain_makes_no_step() -> None:
    """No step is made after the deadline, and none after the chain has reached the target."""
    chain = ScriptedChain((1, -9.0), (1, -8.0))
    RINOBS()._anneal(chain, 2, Run(Seconds(0), seed=1))
    assert chain.asked == []
    RINOBS()._anneal(chain, 2, Run(Target(-9.0), seed=1))
    assert len(chain.asked) == 1


class Rounds:
    """
    Rounds of RINOBS with scripted scores; the chains, their seeds and the rounds are recorded.

    Parameters
    ----------
    scores : for each round the best scores of the chains after it
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *scores: Sequence[float]) -> None:
        self.scores, self.made, self.sizes = list(scores), [], []
        self.lengths: list[int] = []
        monkeypatch.setattr(rinobs, "RepairChain", self.make_chain)
        monkeypatch.setattr(RINOBS, "_run_round", lambda method, *round: self.run(*round))
        monkeypatch.setattr(rinobs, "make_starts", lambda name, table: lambda rng: [9, 9, 9])

    def make_chain(self, index: Index, order: Sequence[int], seed: int) -> ScriptedChain:
        """Record a new chain."""
        self.made.append((list(order), seed))
        return ScriptedChain(order=order)

    def run(self, chains: list[ScriptedChain], length: int, run: Run) -> None:
        """Set the scores of the chains, and count one iteration; stop the run after the last round of the script."""
        self.sizes.append(len(chains))
        self.lengths.append(length)
        self.chains = list(chains)
        for chain, score in zip(chains, self.scores.pop(0), strict=True):
            chain.best = score
        run.count(iterations=1)
        if not self.scores:
            run.budget.request_stop()


@pytest.mark.parametrize(
    ("rule", "threads", "islands"),
    [
        (Iterations(2), 1, 2),
        (Iterations(2), 3, 2),
        (Iterations(2) | Seconds(60), 3, 2),
        (Seconds(60), 1, 2),
        (Seconds(60), 3, 3),
    ],
)
def test_the_default_number_of_islands(rule: Stop, threads: int, islands: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two; if only time limits the run, one for each thread, and at least two."""
    rounds = Rounds(monkeypatch, [-1.0], [-1.0] * islands)
    run = Run(rule, seed=1, threads=threads)
    RINOBS().search_from(INDEX, [[0, 1, 2]], run)
    assert rounds.sizes == [1, islands]
    assert [order for order, _ in rounds.made] == [[0, 1, 2]] * islands
    assert len({seed for _, seed in rounds.made}) == islands


def test_the_worst_island_continues_from_the_best_ordering(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scores -2 and -1: the first island restarts from the ordering of the second. Then -1 and -1: from a new start."""
    rounds = Rounds(monkeypatch, [-2.0, -1.0], [-1.0, -1.0], [-1.0, -3.0])
    RINOBS(islands=2).search_from(INDEX, [[0, 1, 2], [2, 1, 0]], Run(Iterations(3), seed=1))
    second, first = rounds.chains  # sorted by score after the first round
    assert (first.best_order, second.best_order) == ([0, 1, 2], [2, 1, 0])
    assert (first.restarted, second.restarted) == ([[2, 1, 0], [9, 9, 9], [2, 1, 0]], [])
    assert rounds.lengths == [3, 6, 3]


def test_no_chain_is_made_after_the_target(monkeypatch: pytest.MonkeyPatch) -> None:
    """The chains start with -2, -1 and 0: the second one has reached the target, so the third is not made."""
    rounds = Rounds(monkeypatch)

    def make_chain(index: Index, order: Sequence[int], seed: int) -> ScriptedChain:
        chain = rounds.make_chain(index, order, seed)
        chain.best = -float(order[0])
        return chain

    monkeypatch.setattr(rinobs, "RepairChain", make_chain)
    run = Run(Target(-1.0) | Seconds(0), seed=1)
    monkeypatch.setattr(run, "halted", lambda score=-np.inf: score >= -1.0)
    RINOBS().search_from(INDEX, [[2, 0, 1], [1, 0, 2], [0, 1, 2]], run)
    assert [order[0] for order, _ in rounds.made] == [2, 1]
