"""Three-phase dependency analysis: its phases on known graphs, and its parts by hand."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import Oracle, skeleton

from bnsearch.data import Dataset
from bnsearch.errors import InputError
from bnsearch.graphs import DAG, cpdag
from bnsearch.independence import BNPC
from bnsearch.independence.bnpc import DependencyAnalysis
from bnsearch.independence.orientation import accept_v_structures, find_colliders, orient_skeleton
from bnsearch.independence.separation import find_cut_candidates, find_reachable, find_separating_subset, shrink_cut_set
from bnsearch.independence.spanning import build_spanning_forest, sort_pairs_by_strength, walk_from_root
from bnsearch.learning.search import search
from bnsearch.networks import load_network
from bnsearch.runs.problem import Problem
from bnsearch.runs.run import Run
from bnsearch.scores import BIC

GRAPHS = {
    "chain": [[], [0], [1], [2]],
    "fork": [[], [0], [0], [0]],
    "collider": [[], [], [0, 1], [2]],
    "diamond": [[], [0], [0], [1, 2]],
    "two parts": [[], [0], [], [2], [2]],
    "asia": [[], [0], [], [2], [2], [1, 3], [5], [4, 5]],
    "house": [[], [0], [1], [2], [0, 3], [4]],
}


def analysed(parents):
    """Return the analysis of a known graph after its three phases."""
    analysis = DependencyAnalysis(Oracle(parents), Run(), 3)
    analysis.thicken(analysis.draft())
    analysis.thin()
    return analysis


@pytest.mark.parametrize("name", GRAPHS)
def test_graphs_are_found_to_their_class(name):
    """With tests that cannot err, the skeleton and all v-structures are those of the truth."""
    parents = GRAPHS[name]
    analysis = analysed(parents)
    assert analysis.neighbours == skeleton(parents)
    names = [f"v{i}" for i in range(len(parents))]
    triples = find_colliders(analysis.tester, analysis.neighbours, analysis.find_separator, analysis.strengths)
    found = orient_skeleton(names, analysis.neighbours, triples, range(len(parents)))
    assert cpdag(found) == cpdag(DAG(names, parents))


def test_the_phases_on_a_diamond():
    """0 -> 1, 2 -> 3: all six pairs depend; the draft is a tree of three; thinning leaves the four true edges."""
    analysis = DependencyAnalysis(Oracle(GRAPHS["diamond"]), Run(), 3)
    rest = analysis.draft()
    assert sum(map(len, analysis.neighbours)) == 2 * 3
    assert len(rest) == 3
    analysis.thicken(rest)
    assert all(true <= found for true, found in zip(skeleton(GRAPHS["diamond"]), analysis.neighbours, strict=True))
    analysis.thin()
    assert analysis.neighbours == skeleton(GRAPHS["diamond"])
    assert analysis.separated_by == {frozenset((0, 3)): {1, 2}, frozenset((1, 2)): {0}}


def test_cut_candidates_lie_on_paths():
    """1 - 2 - 3 - 4 with 5 hanging on 2: towards 4, 2's near side is 3; 5 leads nowhere."""
    neighbours = [set(), {2}, {1, 3, 5}, {2, 4}, {3}, {2}]
    assert find_reachable(neighbours, 4, without=3) == {4}
    assert find_cut_candidates(neighbours, 2, 4) == ([3], [])
    assert find_cut_candidates(neighbours, 1, 4) == ([2], [3, 5])
    assert find_cut_candidates(neighbours, 0, 4) == ([], [])


def test_separating_sets_shrink_to_what_is_needed():
    """In the diamond 0 and 3 are separated by 1 and 2 together, not by either; 1 and 2 not once 3 is known."""
    oracle = Oracle(GRAPHS["diamond"])
    assert shrink_cut_set(oracle, 0, 3, [1, 2], lambda v: v) == {1, 2}
    assert shrink_cut_set(oracle, 0, 3, [1], lambda v: v) is None
    assert shrink_cut_set(oracle, 1, 2, [0, 3], lambda v: v) == {0}
    assert find_separating_subset(oracle, 1, 2, [0, 3], 2) == {0}
    assert find_separating_subset(oracle, 0, 3, [1, 2], 1) is None


def test_sets_too_large_for_the_rows_lose_the_least_important_first():
    """1,000 rows allow conditions of 200 cells, 7 binary variables: of nine, the two of least importance leave."""
    chain = Oracle([[], *([i] for i in range(10))])
    assert chain.max_condition_cells(0, 10) == 200
    order = [0, 5, 4, 3, 2, 1, 6, 7, 8, 9, 0]
    assert shrink_cut_set(chain, 0, 10, range(1, 10), importance=order.__getitem__) is not None
    tested = []

    class Stubborn(Oracle):
        def strengths(self, pairs, conditions=None):
            tested.extend(conditions)
            return np.ones(len(pairs))

    assert shrink_cut_set(Stubborn([[]] * 11), 0, 10, range(1, 10), importance=order.__getitem__) is None
    assert set(tested[0]) == {1, 2, 3, 6, 7, 8, 9}


def test_trees_take_the_strongest_pairs():
    """Three of four pairs join without a circle; from the root 2, a walk meets 1 and 3, then 0; 4 is not joined."""
    taken, rest = build_spanning_forest([(0, 1), (1, 2), (0, 2), (2, 3)], 5)
    assert (taken, rest) == ([(0, 1), (1, 2), (2, 3)], [(0, 2)])
    assert walk_from_root(taken, 5, 2) == [2, 1, 3, 0, 4]
    strengths = np.zeros((3, 3))
    strengths[0, 2] = strengths[2, 0] = 1.0
    assert set(sort_pairs_by_strength(Oracle([[], [], []]), strengths)[0]) == {0, 2}


def test_v_structures_that_contradict_are_passed_over():
    """0 -> 1 <- 2 stands; 1 -> 2 <- 3 would turn 2 -> 1 round; 4 -> 2 <- 3 fits."""
    assert accept_v_structures([(0, 1, 2), (1, 2, 3), (4, 2, 3)], 5) == [set(), {0, 2}, {3, 4}, set(), set()]


def test_a_circle_without_v_structures_gets_one_only():
    """A square cannot be directed without a v-structure: one is made, and the graph is acyclic."""
    neighbours = [{1, 3}, {0, 2}, {1, 3}, {0, 2}]
    dag = orient_skeleton("abcd", neighbours, [], range(4))
    assert len(dag.v_structures) == 1
    assert dag.skeleton == {("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")}


def test_a_sampled_network():
    """From 20,000 rows of asia less its deterministic node, nothing is joined that is not, and the score counts."""
    truth = load_network("asia")
    names = [name for name in truth.names if name != "either"]
    problem = Problem(data=truth.sample(20_000, seed=1).select(names), score=BIC())
    result = search(problem, BNPC(), seed=1)
    assert result.score == pytest.approx(problem.scorer.network(result.dag))
    assert result.score > problem.base_score
    assert (result.iterations, result.stop) == (1, "complete")
    assert result.evaluations > 21


@pytest.mark.parametrize(
    "make",
    [lambda: BNPC(threshold=0), lambda: BNPC(rows_per_degree=0), lambda: BNPC(max_condition=-1)],
    ids=["threshold", "rows", "condition"],
)
def test_bad_parameters_are_refused(make):
    """Each parameter has a range."""
    with pytest.raises(InputError, match="must be"):
        make()


def test_a_copy_hides_no_neighbour():
    """Of 0, its copy 1, and 2 that agrees with them in 320 of 400 rows, 2 is joined to one of the two: a path."""
    x = np.repeat([0, 1], 200)
    data = Dataset.from_codes(np.stack([x, x, np.where(np.arange(400) % 5 == 0, 1 - x, x)], axis=1), arities=[2] * 3)
    found = search(Problem(data=data, score=BIC()), BNPC(), seed=1).dag
    assert {frozenset(edge) for edge in found.edges} in (
        {frozenset(pair) for pair in pairs} for pairs in (["01", "02"], ["01", "12"])
    )
