"""RINOBS: rounds, islands, budgets."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

from bnsearch.errors import InputError
from bnsearch.learning.search import search
from bnsearch.learning.warm_up import load_kernels
from bnsearch.orderings.kernels.rinobs import BEST
from bnsearch.orderings.repair import RepairChain
from bnsearch.orderings.rinobs import RINOBS
from bnsearch.parent_sets.jkl import read_scores
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds, Target
from candidate_tables import candidate_tables, ordering_score, random_candidates
from reference_exact import best_score
from strategies import examples


@examples(30)
@given(candidate_tables(max_variables=7))
def test_finds_the_optimum_of_small_tables(table: ParentSets) -> None:
    """A thousand steps find the optimum of up to seven variables."""
    result = search(Problem(table=table), RINOBS(), stop=Iterations(1000), seed=1, threads=1)
    assert math.isclose(result.score, best_score(table), abs_tol=1e-9)
    assert math.isclose(result.score, ordering_score(table, result.dag.order), abs_tol=1e-9)
    assert result.iterations == 1000 or result.optimal


def run_rounds(monkeypatch: pytest.MonkeyPatch, scores: list[float], total: int, orderings: int = 1) -> list[list[int]]:
    """Return the steps of each of three islands in each round, if they always end with the given best scores."""
    rounds: list[list[int]] = []

    def anneal(self: RINOBS, chain: RepairChain, steps: int, run: Run) -> None:
        chain._totals[BEST] = scores[len(rounds[-1])]
        rounds[-1].append(steps)
        run.count(iterations=steps)

    def record_round(self: RINOBS, chains: list[RepairChain], length: int, run: Run) -> None:
        rounds.append([])
        whole_round(self, chains, length, run)

    table = random_candidates(10, 5, 2, seed=1)
    load_kernels(Problem(table=table), RINOBS())  # before the patches, because it runs rounds as well
    whole_round = RINOBS._run_round
    monkeypatch.setattr(RINOBS, "_anneal", anneal)
    monkeypatch.setattr(RINOBS, "_run_round", record_round)
    method = RINOBS(orderings=orderings, islands=3, length=2)
    search(Problem(table=table), method, stop=Iterations(total), seed=1, threads=1)
    return rounds


def test_rounds_double_and_islands_join_after_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """10 variables, 2 steps each: 20 on one island, 40 on each of three, then 80, then the remaining 100."""
    rounds = run_rounds(monkeypatch, [-1.0, -2.0, -3.0], 20 + 3 * 40 + 3 * 80 + 100)
    assert rounds == [[20], [40, 40, 40], [80, 80, 80], [34, 33, 33]]


def test_the_worse_half_is_dropped_until_the_islands_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of eight orderings the best four remain, then the best three."""
    kept: list[list[float]] = []
    whole_round = RINOBS._run_round

    def record_scores(self: RINOBS, chains: list[RepairChain], length: int, run: Run) -> None:
        kept.append([chain.best for chain in chains])
        whole_round(self, chains, length, run)

    monkeypatch.setattr(RINOBS, "_run_round", record_scores)
    scores = [-5.0, -3.0, -8.0, -1.0, -7.0, -2.0, -4.0, -6.0]
    rounds = run_rounds(monkeypatch, scores, 8 * 20 + 4 * 40 + 3 * 80 + 30, orderings=8)
    assert rounds == [[20] * 8, [40] * 4, [80] * 3, [10] * 3]
    assert kept[1:3] == [[-1.0, -2.0, -3.0, -4.0], [-1.0, -3.0, -5.0]]  # the script's first four, in order


def test_rounds_are_short_again_if_all_islands_have_the_same_score(monkeypatch: pytest.MonkeyPatch) -> None:
    """After the round in which all three islands end at -1, the next round has 20 steps again."""
    assert run_rounds(monkeypatch, [-1.0, -1.0, -1.0], 200) == [[20], [40, 40, 40], [20, 20, 20]]


@pytest.mark.parametrize("islands", [1, 3])
def test_same_answer_for_any_number_of_threads(islands: int) -> None:
    """5,000 steps give the same network with 1 and 2 threads."""
    table = random_candidates(25, 30, 3, seed=5)
    method = RINOBS(islands=islands, length=5)
    found = [search(Problem(table=table), method, stop=Iterations(5000), seed=11, threads=t) for t in (1, 2)]
    assert (found[0].score, found[0].dag, found[0].iterations) == (found[1].score, found[1].dag, 5000)


def test_a_proven_optimum_of_a_published_file(shared_data) -> None:
    """steel_BIC, 28 variables and 93,026 sets: exact search proves -18805.522906."""
    table = read_scores(shared_data / "scores" / "steel_BIC.txt.gz")
    stop = Target(-18805.522906) | Seconds(60)
    result = search(Problem(table=table), RINOBS(), stop=stop, seed=1, threads=1)
    assert result.stop == "target"


@pytest.mark.parametrize(
    "wrong", [{"orderings": 0}, {"islands": 0}, {"rate": 1.5}, {"length": 0}, {"start": "nowhere"}], ids=str
)
def test_bad_parameters_are_refused(wrong: dict[str, float]) -> None:
    """Each parameter has its range."""
    with pytest.raises(InputError):
        RINOBS(**wrong)  # type: ignore[arg-type]
