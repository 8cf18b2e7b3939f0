"""GES and iGES: the trajectory of the search by definition, the true class from exact and from sampled data."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from bnsearch.data import Dataset
from bnsearch.equivalence import GES, IGES, Kind, Neighbourhood, Operator
from bnsearch.equivalence.ges import backward_search, forward_search
from bnsearch.equivalence.iges import single_stage_search
from bnsearch.equivalence.neighbourhood import tie_unit
from bnsearch.errors import InputError
from bnsearch.graphs import DAG, PDAG, cpdag
from bnsearch.learning.search import search
from bnsearch.networks import BayesianNetwork, load_network, random_network, sample
from bnsearch.runs.problem import Problem
from bnsearch.runs.stop import Iterations, Seconds, Target
from bnsearch.scores import BIC, BDeu, Scorer
from reference_equivalence import PAPER_SCORE, SlowSearch, oracle_set_value

ONCE = {"halted": lambda: False}


def fast_steps(scorer: Scorer, method: str, **limits: int | None) -> tuple[list[Operator], Neighbourhood]:
    """Return the steps of GES or iGES, and where they lead."""
    here = Neighbourhood(scorer, **limits)  # type: ignore[arg-type]
    stages = [forward_search, backward_search] if method == "ges" else [single_stage_search]
    return [step.operator for stage in stages for step in stage(here, **ONCE)], here


def slow_steps(scorer: Scorer, method: str, max_subset: int = 3, max_parents: int = 100) -> tuple[list[Operator], PDAG]:
    """Return the same by definition."""
    empty = sum(scorer.family(v, ()) for v in range(scorer.data.n_variables))
    slow = SlowSearch(scorer.data, scorer.family, tie_unit(empty), max_subset, max_parents)
    stages = [[Kind.INSERT], [Kind.DELETE]] if method == "ges" else [[Kind.INSERT, Kind.DELETE]]
    return list(slow.climb(*stages)), slow.graph


@pytest.mark.parametrize("method", ["ges", "iges"])
@pytest.mark.parametrize("seed", range(20))
def test_same_trajectory_on_random_networks(seed: int, method: str) -> None:
    """Step by step the operators of the search that recomputes everything; few rows, so that BES has work to do."""
    network = random_network(6 + seed % 6, 1.5, 3, seed)
    scorer = Scorer(sample(network, 100 + 50 * seed, seed), [BIC(), BDeu(ess=1), PAPER_SCORE][seed % 3])
    steps, here = fast_steps(scorer, method)
    assert (steps, here.cpdag) == slow_steps(scorer, method)
    assert here.score == pytest.approx(scorer.network(here.dag_maker()()))


def test_lists_may_grow_and_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for one operator at first, a pause after every pair, and a move after every step: the same steps."""
    scorer = Scorer(sample(random_network(12, 2, 2, 1), 1000, 1), BDeu(ess=1))
    steps, _ = fast_steps(scorer, "iges")
    for name in ("FIRST_CAPACITY", "ROWS_PER_CALL", "GAINS_PER_CALL", "MAX_GAIN_ROWS"):
        monkeypatch.setattr(f"bnsearch.equivalence.operator_list.{name}", 1)
    here = Neighbourhood(scorer)
    moved = []
    for step in single_stage_search(here, **ONCE):
        moved.append(step.operator)
        here._operators._make_room()
    assert moved == steps
    assert len(steps) > 10


@pytest.mark.parametrize(("max_subset", "max_parents"), [(0, 100), (1, 2), (100, 1), (100, 100)])
def test_same_trajectory_within_limits(max_subset: int, max_parents: int) -> None:
    """The limits on T, H and the parents hold in every step, and the DAG of the class respects the last."""
    scorer = Scorer(sample(random_network(9, 2, 2, 5), 400, 1), BDeu(ess=1))
    steps, here = fast_steps(scorer, "ges", max_subset=max_subset, max_parents=max_parents)
    assert (steps, here.cpdag) == slow_steps(scorer, "ges", max_subset, max_parents)
    assert max(map(len, here.dag_maker()().parents)) <= max_parents


@pytest.mark.parametrize(("name", "method"), [("alarm", "iges"), ("insurance", "ges")])
def test_same_trajectory_on_known_networks(name: str, method: str, shared_data: Path) -> None:
    """The same on samples of two networks of the repository."""
    network = load_network(shared_data / "networks" / f"{name}.bif.gz")
    scorer = Scorer(sample(network, 1000, 1), PAPER_SCORE)
    steps, here = fast_steps(scorer, method)
    assert (steps, here.cpdag) == slow_steps(scorer, method)


def joint_distribution(network: BayesianNetwork) -> np.ndarray:
    """Return the probability of every cell, an axis for each variable."""
    arities = network.arities.tolist()
    joint = np.ones(arities)
    for child, table in enumerate(network.tables):
        axes = [*network.dag.parents[child], child]
        spread = np.transpose(table, np.argsort(axes))
        joint = joint * spread.reshape([arities[v] if v in axes else 1 for v in range(len(arities))])
    return joint


def oracle(network: BayesianNetwork, rows: float) -> Problem:
    """Return a problem whose set values are those of the distribution itself: remembered, none is counted."""
    n = len(network.names)
    problem = Problem(data=sample(network, 50, 0), score=BIC())
    joint = joint_distribution(network)
    sets = [some for size in range(n + 1) for some in combinations(range(n), size)]
    problem.scorer.remember(sets, np.array([oracle_set_value(joint, rows, some) for some in sets]))
    return problem


@pytest.mark.parametrize("seed", range(30))
def test_exact_data_give_the_true_class(seed: int) -> None:
    """Chickering (2002), theorem 4: with the true distribution and a consistent score GES ends in the true class."""
    network = random_network(5 + seed % 5, 1.3, 3, seed, max_parents=3)
    problem = oracle(network, 1e9)
    result = search(problem, GES(max_subset=None), seed=1)
    assert problem.scorer.computed == 0
    assert result.cpdag == cpdag(network.dag)


def test_large_samples_give_the_true_class_nine_times_in_ten() -> None:
    """Of 30 networks sampled with 50,000 rows, at least 27 are found."""
    found = 0
    for seed in range(30):
        network = random_network(5 + seed % 5, 1.3, 3, seed, max_parents=3)
        result = search(Problem(data=sample(network, 50_000, seed), score=BIC()), GES(max_subset=None), seed=1)
        found += result.cpdag == cpdag(network.dag)
    assert found >= 27


def permuted(data: Dataset, order: list[int]) -> Dataset:
    """Return the same table with its columns in another order."""
    names, states = [data.names[v] for v in order], [data.states[v] for v in order]
    return Dataset.from_codes(data.codes[order].T, names=names, states=states)


@pytest.mark.parametrize("method", [GES(), IGES()])
def test_the_order_of_the_columns_does_not_matter(method: GES | IGES) -> None:
    """Two columns with a negation each make ties everywhere; the result is the same for any order of the columns."""
    data = sample(random_network(8, 1.5, 2, 3), 300, 1)
    codes = np.concatenate([data.codes, 1 - data.codes[:2]])
    data = Dataset.from_codes(codes.T, names=list("abcdefghij"))
    first = search(Problem(data=data, score=BIC()), method)
    order = np.random.default_rng(1).permutation(10).tolist()
    second = search(Problem(data=permuted(data, order), score=BIC()), method)
    assert second.cpdag.reordered(data.names) == first.cpdag
    assert second.score == pytest.approx(first.score)


@pytest.mark.parametrize("method", [GES(), IGES()])
@pytest.mark.parametrize("names", ["dcba", "bdac"])
def test_the_names_of_the_columns_do_not_matter(names: str, method: GES | IGES) -> None:
    """A table with all cyclic shifts of its columns: every column has the same counts, and all first gains are ties."""
    rows = np.random.default_rng(0).integers(0, 2, size=(12, 4))
    codes = np.concatenate([np.roll(rows, shift, axis=1) for shift in range(4)])
    graphs = [
        search(Problem(data=Dataset.from_codes(codes, names=list(some)), score=BIC()), method).cpdag
        for some in ("abcd", names)
    ]
    assert np.array_equal(graphs[0].arcs, graphs[1].arcs)


@pytest.mark.parametrize("method", [GES(), IGES()])
def test_results_tell_how_they_were_found(method: GES | IGES) -> None:
    """The score is that of the network, the trace climbs, and evaluations are counted."""
    problem = Problem(data=sample(load_network("asia"), 2000, 1), score=PAPER_SCORE)
    result = search(problem, method, seed=1)
    assert result.score == pytest.approx(problem.scorer.network(result.dag))
    assert (result.stop, result.method) == ("complete", method.name)
    limits = {"max_subset": 3, "start": None, "count_families": False}
    assert result.parameters == limits
    scores = [point.score for point in result.trace]
    assert scores == sorted(scores)
    assert len(scores) == result.iterations + 2
    assert result.evaluations > result.computed > 0
    again = search(problem, method, seed=1)
    assert (again.evaluations, again.computed) == (result.evaluations, 0)


def test_searches_start_where_they_are_told() -> None:
    """From the result of GES nothing is left to do; a DAG stands for its class; other variables are refused."""
    problem = Problem(data=sample(load_network("asia"), 2000, 1), score=PAPER_SCORE)
    first = search(problem, IGES())
    again = search(problem, IGES(start=PDAG.from_dag(first.dag)))
    assert (again.iterations, again.cpdag, again.score) == (0, first.cpdag, pytest.approx(first.score))
    with pytest.raises(InputError, match="different variables"):
        search(problem, GES(start=PDAG.from_dag(DAG.empty(["a", "b"]))))


def test_searches_stop_when_told() -> None:
    """After three steps; at a target; at once, with the empty graph."""
    problem = Problem(data=sample(load_network("asia"), 2000, 1), score=PAPER_SCORE)
    whole = search(problem, GES())
    three = search(problem, GES(), stop=Iterations(3))
    assert (three.stop, three.iterations, len(three.dag.edges)) == ("iterations", 3, 3)
    target = [point.score for point in whole.trace][2]
    assert search(problem, GES(), stop=Target(target)).iterations == 2
    none = search(problem, GES(), stop=Seconds(0))
    assert (none.stop, none.dag.edges) == ("seconds", [])


def test_more_variables_than_a_word() -> None:
    """On 70 variables, sets take two words: the result is a local optimum, rescored, and that of two threads."""
    data = sample(random_network(70, 1, 2, 1), 500, 1)
    problem = Problem(data=data, score=PAPER_SCORE)
    result = search(problem, GES(), threads=1)
    threaded = search(Problem(data=data, score=PAPER_SCORE), GES(), threads=2)
    assert (threaded.dag, threaded.score) == (result.dag, result.score)
    assert (threaded.evaluations, threaded.computed) == (result.evaluations, result.computed)
    assert result.score == pytest.approx(problem.scorer.network(result.dag))
    here = Neighbourhood(Scorer(data, PAPER_SCORE))
    here.start_at(result.cpdag)
    assert here.find_best([Kind.DELETE]) is None
