"""Exact search: compared with enumeration and with the optima of an independent program; its limits."""

from __future__ import annotations

import itertools
import re
import tracemalloc
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.exact import Exact, dynamic, method
from bnsearch.exact.components import split_into_components
from bnsearch.learning.learn import learn
from bnsearch.learning.search import collect_result, search
from bnsearch.networks import random_network
from bnsearch.parent_sets.jkl import read_scores
from bnsearch.parent_sets.table import ParentSets
from bnsearch.runs.problem import Problem
from bnsearch.runs.result import Result
from bnsearch.runs.run import Run
from bnsearch.runs.stop import Seconds, Target
from bnsearch.scores import BIC
from bnsearch.selection.auto import Auto
from candidate_tables import candidate_tables, networks, ordering_score, random_candidates, table_of
from reference_exact import best_score
from strategies import examples

NOTHING: frozenset[int] = frozenset()


def solve(table: ParentSets, *, threads: int = 1) -> Result:
    """Return the result of exact search, after rescoring its network."""
    result = search(Problem(table=table), Exact(), seed=3, threads=threads)
    assert result.optimal
    assert result.bound == result.score
    assert result.stop == "complete"
    found = [{p: s for s, p in table.sets(v)}[parents] for v, parents in enumerate(result.dag.parents)]
    assert result.score == pytest.approx(sum(found), abs=1e-9)
    return result


@given(candidate_tables(max_variables=4, max_sets=4))
def test_no_network_scores_higher(table):
    """Among all acyclic choices of sets of up to four variables the result is the best."""
    assert solve(table).score == pytest.approx(max(score for score, _ in networks(table)), abs=1e-9)


@examples(30)
@given(candidate_tables(max_variables=6))
def test_no_ordering_scores_higher(table):
    """Among all orderings of up to six variables the result is the best."""
    orders = itertools.permutations(range(table.n_variables))
    assert solve(table).score == pytest.approx(max(ordering_score(table, o) for o in orders), abs=1e-9)


@examples(20)
@given(st.integers(5, 9), st.integers(1, 60), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_agrees_with_the_definition(n, sets, max_parents, seed):
    """A plain recursion over all subsets gives the same score."""
    table = random_candidates(n, sets, max_parents, seed)
    assert solve(table).score == pytest.approx(best_score(table), abs=1e-9)


@pytest.mark.parametrize("threads", [1, 2])
def test_sets_in_many_blocks(monkeypatch, threads):
    """With five low variables eleven make 64 blocks; the answer is that of one block, for any number of threads."""
    table = random_candidates(11, 40, 5, seed=8)
    monkeypatch.setattr(dynamic, "LOW_VARIABLES", 5)
    assert solve(table, threads=threads).score == pytest.approx(best_score(table), abs=1e-9)


def make_two_pairs() -> ParentSets:
    """Return a table of two pairs that gain from each other; the second pair also gains from the first."""
    return table_of(
        [
            {NOTHING: -5.0, frozenset({1}): -1.0},
            {NOTHING: -6.0, frozenset({0}): -1.5},
            {NOTHING: -9.0, frozenset({3}): -3.0, frozenset({0, 3}): -2.0, frozenset({1}): -7.0},
            {NOTHING: -8.0, frozenset({2}): -4.0},
        ]
    )


def test_components_are_solved_independently():
    """
    Pairs {0, 1} and {2, 3}: no parent set of the first pair contains a variable of the second.

    First pair: 0 alone and 1 with it, -5 - 1.5 = -6.5, beats -6 - 1 = -7. Second pair: 3 alone and 2 with {0, 3},
    -8 - 2 = -10, beats 2 with {1} and 3 with {2}, -7 - 4 = -11.
    """
    first, second = sorted(split_into_components(make_two_pairs()), key=lambda component: component.variables[0])
    assert (first.variables.tolist(), second.variables.tolist()) == ([0, 1], [2, 3])
    assert second.small_masks.tolist() == [2, 2, 0, 1, 0]  # {0, 3}, {3}, {1}; {2}, {}. {1} replaces the empty set of 2
    result = solve(make_two_pairs())
    assert result.score == -16.5
    assert result.dag.parents == ((), (0,), (0, 3), ())
    assert result.iterations == 1
    assert result.evaluations == 2 * (2 * 4)  # two variables in four sets, twice


def test_many_variables_in_small_components():
    """A chain of 300 variables, each with the one before as its only candidate parent, is 300 components."""
    sets = [{NOTHING: -2.0, frozenset({v - 1}): -1.0} if v else {NOTHING: -2.0} for v in range(300)]
    result = solve(table_of(sets))
    assert result.score == -2.0 - 299 * 1.0
    assert len(result.dag.edges) == 299


@pytest.fixture
def no_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the solver of branch and cut."""
    monkeypatch.setattr(method, "has_solver", lambda: False)


@pytest.mark.usefixtures("no_solver")
def test_too_many_variables_are_refused():
    """A ring of 70 variables is one group; 1 MiB is enough for the 2^17 scores of 17 variables."""
    ring = table_of([{NOTHING: -2.0, frozenset({(v + 1) % 70}): -1.0} for v in range(70)])
    with pytest.raises(
        InputError,
        match=r"at most 17 variables .* 0.000977 GiB of memory, but one component .* has 70: install",
    ):
        search(Problem(table=ring), Exact(memory=1 << 20))
    with pytest.raises(InputError, match="at most 50 variables"):
        search(Problem(table=ring), Exact(memory=1 << 62))
    with pytest.raises(InputError, match="memory must be at least"):
        Exact(memory=0)


@pytest.fixture
def no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the allocation of the scores of 15 variables fail."""

    def empty(shape, *rest, **options):
        if shape == (1 << 3, 1 << 12):
            raise MemoryError
        return np.empty(shape, *rest, **options)

    monkeypatch.setattr(dynamic, "np", SimpleNamespace(**(vars(np) | {"empty": empty})))


def test_a_failed_allocation_is_reported(no_memory):
    """15 variables take 2^18 bytes, 2^-12 GiB; the allocation fails although the limit allows it."""
    table = random_candidates(15, 30, 4, seed=2)
    with pytest.raises(InputError, match=r"exact search of 15 variables .* takes 0.000244 GiB of memory, which is not"):
        search(Problem(table=table), Exact())


def test_the_network_so_far_is_kept_without_memory(no_memory):
    """If the candidate sets were scored for this search, the network so far is kept, and a note says what to do."""
    data = random_network(15, 2.0, 2, 1).sample(300, seed=1)
    result = learn(data, method="exact", seconds=3600, seed=0)
    assert (result.stop, result.optimal) == ("memory", False)
    assert result.notes[-1].endswith("; kept the best network so far")
    assert "use the method auto" in result.notes[-1]
    assert result.bound is not None
    assert result.score > Problem(data=data, score=BIC()).base_score


@pytest.mark.usefixtures("no_solver")
def test_too_many_variables_in_data():
    """18 variables that all depend on each other, and memory for 17: the network so far is kept."""
    codes = np.random.default_rng(1).integers(0, 2, (300, 18))
    codes[:, 1:] = codes[:, :1] ^ (np.random.default_rng(2).random((300, 17)) < 0.2)
    problem = Problem(data=Dataset.from_codes(codes), score=BIC(), builder=Auto(evaluations=10_000))
    result = search(problem, Exact(memory=1 << 20), seed=1)
    assert result.stop == "memory"
    assert re.search(r"at most 17 variables .* table has 18: install highspy", result.notes[-1])
    assert result.score > problem.base_score


def test_memory_is_as_documented():
    """Sixteen variables take 8 * 2^16 bytes, half a megabyte, and as much again for the blocks in progress."""
    table = random_candidates(16, 30, 4, seed=1)
    solve(table)
    tracemalloc.start()
    solve(table)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2 << 20


@pytest.mark.parametrize("readings", [1, 2, 3, 5])
def test_stopped_early_it_returns_a_network_without_proof(readings):
    """The time budget ends at the n-th reading of the clock: the network is legal, and its score below the bound."""
    table = random_candidates(15, 30, 4, seed=2)
    ticks = itertools.count()
    run = Run(Seconds(1), seed=1, clock=lambda: float(next(ticks) > 2 + readings))
    Exact().search(Problem(table=table), run)
    result = collect_result(run, Problem(table=table), Exact())
    best = best_score(table)
    assert (result.optimal, result.stop) == (False, "seconds")
    assert result.bound is not None
    assert result.score <= best <= result.bound
    assert result.score > Problem(table=table).base_score


def test_a_reached_target_needs_no_proof():
    """The first network reaches the target: the search stops."""
    table = random_candidates(12, 30, 4, seed=2)
    result = search(Problem(table=table), Exact(), stop=Target(-1000.0), seed=1)
    assert (result.optimal, result.stop, result.evaluations) == (False, "target", 0)


def test_iris(shared_data: Path):
    """The known optimum of a published score file."""
    assert solve(read_scores(shared_data / "scores" / "iris_BIC.txt")).score == pytest.approx(-465.435028, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "optimum"),
    [
        ("nltcs.valid", -13327.016510),
        ("nltcs.test", -20033.595540),
        ("nltcs.train", -98402.516411),
        ("msnbc.valid", -246168.019192),
        ("msnbc.test", -367846.277176),
    ],
)
def test_known_optima(shared_data: Path, name, optimum):
    """With tables selected by `Auto`, the optima are those of an independent program without a limit on parents."""
    data = Dataset.read(shared_data / "debd" / f"{name}.csv.gz", header=False)
    problem = Problem(data=data, score=BIC(), builder=Auto(seconds=300))
    result = search(problem, Exact(), seed=1)
    assert result.optimal
    assert result.score == pytest.approx(optimum, abs=1e-5)
    local = [problem.scorer.family(v, parents) for v, parents in enumerate(result.dag.parents)]
    assert np.sum(local) == pytest.approx(optimum, abs=1e-5)
