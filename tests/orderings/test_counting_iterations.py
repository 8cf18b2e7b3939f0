"""The counts of the searches over orderings: iterations precede the networks they find, evaluations are complete."""

from __future__ import annotations

import pytest

from bnsearch.learning.methods import make_method
from bnsearch.orderings.kernels.arrays import EVALUATIONS
from bnsearch.orderings.repair import RepairChain
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, NoImprovement
from candidate_tables import random_candidates

TABLE = random_candidates(6, 5, 2, seed=1)


@pytest.mark.parametrize("name", ["asobs", "obs", "inobs", "iinobs", "minobs", "rinobs"])
def test_an_iteration_that_improves_is_not_stale(name: str) -> None:
    """The first iteration always improves on the empty network, so a patience of one iteration allows a second."""
    run = Run(NoImprovement(1), seed=1)
    make_method(name).search(Problem(table=TABLE), run)
    assert run.progress.iterations > 1
    assert run.trace.points[0].iterations == 1


def test_rinobs_counts_the_evaluations_of_steps_without_improvement(monkeypatch: pytest.MonkeyPatch) -> None:
    """One round on one island with kernel calls of 100 evaluations: the run counts all of them."""
    chains: list[RepairChain] = []
    make = RepairChain.__init__

    def make_and_record(self: RepairChain, *arguments: object) -> None:
        make(self, *arguments)  # type: ignore[arg-type]
        chains.append(self)

    monkeypatch.setattr(RepairChain, "__init__", make_and_record)
    monkeypatch.setattr("bnsearch.orderings.repair.EVALUATIONS_PER_CALL", 100)
    run = Run(Iterations(120), seed=1)
    RINOBS(orderings=1, length=20).search(Problem(table=TABLE), run)
    assert run.progress.evaluations == chains[0].arrays[EVALUATIONS][0] > 1000
