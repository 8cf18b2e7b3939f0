"""MINOBS: generations, pruning, diversification."""

from __future__ import annotations

import numpy as np
import pytest
from scripted import NoBound, Optimum, Script

from bnsearch.errors import InputError
from bnsearch.learning.search import search
from bnsearch.learning.warm_up import load_kernels
from bnsearch.orderings.crossover import CROSSOVERS
from bnsearch.orderings.minobs import MINOBS, mean_score, prune
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Iterations, Seconds
from candidate_tables import random_candidates

TABLE = random_candidates(8, 5, 2, seed=1)


def make_member(score: float) -> Optimum:
    """Return a member of a population."""
    return Optimum(np.arange(2, dtype=np.int32), score, ("a", "b"))


def run_script(
    monkeypatch: pytest.MonkeyPatch, method: MINOBS, scores: list[float], generations: int
) -> tuple[Script, list[list[float]]]:
    """Run a method with scripted climbs; return the script, and the scores of the population after each generation."""
    load_kernels(Problem(table=TABLE), method)  # before the script, because it climbs as well
    script, populations = Script(scores), []
    monkeypatch.setattr("bnsearch.orderings.minobs.InsertionClimber", script.make_climber)
    monkeypatch.setattr("bnsearch.orderings.restarts.relaxed", NoBound)

    def record_and_average(population: list[Optimum]) -> float:
        populations.append([m.score for m in population])
        return mean_score(population)  # type: ignore[arg-type]

    monkeypatch.setattr("bnsearch.orderings.minobs.mean_score", record_and_average)
    search(Problem(table=TABLE), method, stop=Iterations(generations), seed=2, threads=1)
    return script, populations


def test_generations_keep_the_best_of_different_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three members, two children, one mutant: -5 comes twice and stays once; -9 and -8 are pruned."""
    method = MINOBS(population=3, crossovers=2, mutations=1, survivors=1, lookback=9)
    script, populations = run_script(monkeypatch, method, [-7.0, -9.0, -5.0, -5.0, -8.0, -6.0], 2)
    assert populations == [[-7.0, -9.0, -5.0], [-5.0, -6.0, -7.0]]
    assert len(script.starts) == 6
    mutant = script.starts[5]  # one swap, ceil(0.01 * 8) = 1, away from a member
    assert 2 in [sum(a != b for a, b in zip(mutant, start, strict=True)) for start in script.starts[:3]]


def test_diversification_keeps_the_survivors_and_draws_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """No child ever improves: after 2 generations without change all but the best member are replaced by -20, -30."""
    method = MINOBS(population=3, crossovers=1, mutations=0, lookback=2, survivors=1)
    scores = [-1.0, -2.0, -3.0, -9.0, -9.0, -20.0, -30.0, -4.0]
    script, populations = run_script(monkeypatch, method, scores, 4)
    assert populations == [
        [-1.0, -2.0, -3.0],  # the first population
        [-1.0, -2.0, -3.0],
        [-1.0, -2.0, -3.0],  # the mean of two generations ago is the same
        [-1.0, -20.0, -30.0],
        [-1.0, -4.0, -20.0],
    ]
    assert len(script.starts) == len(scores)


@pytest.mark.parametrize(
    ("scores", "size", "kept"),
    [
        ((-3.0, -1.0, -3.0, -2.0, -1.0), 2, [-1.0, -2.0]),  # both duplicates are removed, then -3
        ((-3.0, -1.0, -3.0, -2.0, -1.0), 4, [-1.0, -2.0, -3.0, -3.0]),  # one too many: the better duplicate is removed
        ((-1.0, -1.0, -1.0, -2.0), 3, [-1.0, -1.0, -2.0]),
        ((-1.0, -1.0, -1.0), 3, [-1.0, -1.0, -1.0]),  # not too many: all stay
        ((-1.0, -1.0, -1.0, -2.0), 2, [-1.0, -2.0]),  # each duplicate removed is one too many less
        ((-1.0, -2.0, -2.0, -3.0), 3, [-1.0, -2.0, -3.0]),  # a duplicate of a member that is not the best
        ((-1.0, -4.0), 1, [-1.0]),
    ],
    ids=str,
)
def test_pruning_removes_duplicates_while_there_are_too_many(
    scores: tuple[float, ...], size: int, kept: list[float]
) -> None:
    """Duplicates are removed first, but the population never falls below its size."""
    pruned = prune([make_member(s) for s in scores], size)  # type: ignore[misc]
    assert [m.score for m in pruned] == kept
    assert mean_score(pruned) == pytest.approx(sum(kept) / len(kept))


def test_the_population_keeps_its_size_where_all_score_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A table with one local optimum, -5: after each generation there are three members, not one."""
    method = MINOBS(population=3, crossovers=2, mutations=1, survivors=1, lookback=9)
    _, populations = run_script(monkeypatch, method, [-5.0] * 9, 3)
    assert populations == [[-5.0] * 3] * 3


def test_defaults_are_those_of_the_paper() -> None:
    """Lee & van Beek (2017), Table 3: N 20, OB, c_n 20, m_p 0.01, m_n 6, d_t 32, d_delta 0.001, d_n 4."""
    assert MINOBS() == MINOBS(
        population=20, crossover="ob", crossovers=20, mutation=0.01, mutations=6, lookback=32, change=0.001,
        survivors=4, start="random",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("means", "stagnant"),
    [
        ([-1000.0, -999.5], False),  # too few generations to look back
        ([-1000.0, -999.5, -999.0], True),  # 1 of 1000 is not more than 0.001
        ([-1000.0, -999.5, -998.9], False),
        ([-1.0, -1.0, -0.9995], True),
        ([-1.0, -1.0, -0.998], False),
        ([5.0, -1000.0, -999.5, -999.5], True),
    ],
    ids=str,
)
def test_the_change_is_relative_to_the_earlier_average(means: list[float], stagnant: bool) -> None:
    """With a lookback of 2 and a change of 0.001, a difference of 1 is stagnation at -1000 but not at -1."""
    assert MINOBS(lookback=2).is_stagnant(means) == stagnant


@pytest.mark.parametrize("crossover", ["ob", "cx", "rx"])
def test_same_answer_for_any_number_of_threads(crossover: str) -> None:
    """Four generations give the same network with 1 and 2 threads, for each crossover."""
    table = random_candidates(14, 12, 3, seed=5)
    method = MINOBS(population=6, crossovers=5, crossover=crossover)
    found = [search(Problem(table=table), method, stop=Iterations(4), seed=11, threads=t) for t in (1, 2)]
    assert (found[0].score, found[0].dag, found[0].evaluations) == (found[1].score, found[1].dag, found[1].evaluations)


def test_offspring_are_crossovers_of_pairs_and_mutants_of_members(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three members, 60 crossovers use all six ordered pairs, and 40 mutants are one swap away from all three."""
    members = [[0, 1, 2, 3, 4, 5, 6, 7], [7, 6, 5, 4, 3, 2, 1, 0], [1, 2, 3, 4, 5, 6, 7, 0]]
    population = [Optimum(np.array(order, dtype=np.int32), -1.0, TABLE.names) for order in members]
    pairs: list[tuple[int, int]] = []

    def cross(first: np.ndarray, second: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        pairs.append((members.index(first.tolist()), members.index(second.tolist())))
        return first

    monkeypatch.setitem(CROSSOVERS, "rx", cross)
    method = MINOBS(crossover="rx", crossovers=60, mutations=40)
    orders = list(method.draw_offspring(population, Run(Iterations(1), seed=1)))  # type: ignore[arg-type]
    assert (len(orders), len(pairs)) == (100, 60)
    assert set(pairs) == {(a, b) for a in range(3) for b in range(3) if a != b}
    differences = [[sum(a != b for a, b in zip(mutant, m, strict=True)) for m in members] for mutant in orders[60:]]
    assert {own.index(2) for own in differences} == {0, 1, 2}  # two positions differ after one swap
    pairs.clear()
    list(method.draw_offspring(population[:2], Run(Iterations(1), seed=1)))  # type: ignore[arg-type]
    assert set(pairs) == {(0, 1), (1, 0)}  # two members are never crossed with themselves
    alone = list(method.draw_offspring(population[:1], Run(Iterations(1), seed=1)))  # type: ignore[arg-type]
    assert len(alone) == 100  # a single member, after a stop, is both parents


def test_no_climb_is_started_after_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time budget ends during the third climb of the first population: no climb follows."""
    script = Script([-9.0, -8.0, -8.5])
    monkeypatch.setattr("bnsearch.orderings.minobs.InsertionClimber", script.make_climber)
    monkeypatch.setattr("bnsearch.orderings.restarts.relaxed", NoBound)
    run = Run(Seconds(1), seed=1, clock=lambda: float(len(script.starts) == 3))
    MINOBS().search(Problem(table=TABLE), run)
    assert (len(script.starts), run.progress.iterations, run.progress.score) == (3, 1, -8.0)
    assert script.arguments == [(run.halted, {})] * 3


def test_without_time_the_result_is_the_empty_network() -> None:
    """With a time budget of zero no climb is made, and the result is the empty network."""
    result = search(Problem(table=TABLE), MINOBS(), stop=Seconds(0), seed=1)
    assert (result.stop, result.dag.edges) == ("seconds", [])


@pytest.mark.parametrize(
    "wrong",
    [{"population": 1}, {"crossover": "xo"}, {"mutation": 0}, {"survivors": 21}, {"lookback": 0}, {"change": -1}],
    ids=str,
)
def test_bad_parameters_are_refused(wrong: dict[str, float]) -> None:
    """Each parameter has its range."""
    with pytest.raises(InputError):
        MINOBS(**wrong)  # type: ignore[arg-type]
