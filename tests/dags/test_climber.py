"""Climbs compared with greedy and tabu search by definition, step by step."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.dags.climber import Climber, list_members_of_rows
from bnsearch.dags.kernels_graph import ANCESTORS, PARENTS, SIZES, add_edge, can_add, can_reverse, drop_edge
from bnsearch.dags.pricer import Pricer, Rules
from bnsearch.kernels.bits import has_bit
from bnsearch.scores import SCORES, make_score
from reference import family_score
from reference_dags import Graph, climb_path, content_ranks, is_acyclic, neighbours
from strategies import Table, examples, tables

PARAMETERS = {"bdeu": {"ess": 1.0}}


def climber_of(table: Table, score: str, rules: Rules) -> Climber:
    """Return a climber of a table."""
    made = make_score(score, **PARAMETERS.get(score, {}))
    return Climber(Pricer(table.dataset, made, rules))


def graphs_of(climber: Climber) -> list[Graph]:
    """Climb one step at a time and return the graphs."""
    path = [tuple(map(frozenset, climber.current_parents))]
    for _ in climber.climb(max_steps=1):
        here = tuple(map(frozenset, climber.current_parents))
        if here != path[-1]:
            path.append(here)
    return path


@given(st.integers(1, 70), st.integers(1, 3), st.integers(0, 2**32))
def test_members_of_rows(rows, words, seed):
    """The numbers of the bits of each row, one bit at a time; every second row has few bits."""
    bits = np.random.default_rng(seed).integers(0, 2**64, (rows, words), dtype=np.uint64)
    bits[::2] &= np.uint64(1) << np.uint64(seed % 64)
    expected = [[i for i in range(64 * words) if int(row[i // 64]) >> (i % 64) & 1] for row in bits]
    assert list_members_of_rows(bits) == expected


def local_scores(table: Table, score: str):
    """Return the local scores of a table by definition."""

    @cache
    def family(child, parents):
        return family_score(score, table.codes, table.arities, child, sorted(parents), **PARAMETERS.get(score, {}))

    return family


@given(
    tables(min_variables=1, max_variables=5, max_rows=65),
    st.sampled_from(sorted(SCORES)),
    st.sampled_from([1, 2, 5]),
    st.integers(0, 2**20 - 1),
    st.sampled_from([1, 2, 10**6]),
)
@examples(60)
def test_a_climb_takes_the_path_of_greedy_search(table, score, max_parents, forbidden, max_scores):
    """
    The same graphs in the same order, for every score, with few parents and forbidden edges.

    With many rows, the gains of a family are computed in several calls.
    """
    n = len(table.columns)
    allowed = np.array([[not forbidden >> (y * n + x) & 1 or forbidden % 2 == 0 for x in range(n)] for y in range(n)])
    climber = climber_of(table, score, Rules(allowed=allowed, limits=np.full(n, max_parents)))
    climber._max_scores = max_scores
    climber.start([()] * n)

    def may_be(graph):
        return all(len(s) <= max_parents and all(allowed[y, x] for x in s) for y, s in enumerate(graph))

    family = local_scores(table, score)
    expected = climb_path((frozenset(),) * n, family, content_ranks(table.dataset), may_be)
    assert graphs_of(climber) == expected
    assert climber.best is not None
    assert tuple(map(frozenset, climber.best.parents)) == expected[-1]
    assert climber.score == pytest.approx(sum(family(v, s) for v, s in enumerate(expected[-1])))


@pytest.mark.parametrize("by_move", [False, True], ids=["graphs", "moves"])
@given(
    table=tables(min_variables=2, max_variables=4, max_rows=65),
    score=st.sampled_from(["bic", "k2"]),
    tabu=st.sampled_from([1, 3, 50]),
    max_scores=st.sampled_from([1, 10**6]),
)
@examples(40)
def test_tabu_search_takes_the_path_of_its_definition(by_move, table, score, tabu, max_scores):
    """The same graphs, downhill too, and back at the best in the end, by a list of graphs or of moves."""
    n = len(table.columns)
    rules = Rules(allowed=np.ones((n, n), dtype=bool), limits=np.full(n, n), tabu=tabu, patience=6, by_move=by_move)
    climber = climber_of(table, score, rules)
    climber._max_scores = max_scores
    climber.start([()] * n)
    family = local_scores(table, score)
    expected = climb_path(
        (frozenset(),) * n, family, content_ranks(table.dataset), tabu=tabu, patience=6, by_move=by_move
    )
    assert graphs_of(climber) == expected
    assert climber.best is not None
    assert climber.score == pytest.approx(max(sum(map(family, range(n), graph)) for graph in expected))


def test_a_list_of_moves_lets_a_graph_be_entered_again():
    """
    Two independent columns, a list of one move, by hand.

    Both directions of the edge lose the same. From no edges: add 0 -> 1 (or the other one); its deletion is tabu, so it
    is reversed; turning it back is tabu, but no longer the deletion: back to no edges, which a list of the last two
    graphs would allow as well, and one of three would not.
    """
    table = Table(64, (("uniform", 2), ("uniform", 2)), seed=3)
    paths = []
    for by_move, tabu in [(True, 1), (False, 3)]:
        rules = Rules(allowed=np.ones((2, 2), dtype=bool), limits=np.full(2, 2), tabu=tabu, patience=4, by_move=by_move)
        climber = climber_of(table, "bic", rules)
        climber.start([(), ()])
        paths.append([sum(map(len, graph)) for graph in graphs_of(climber)])
    assert paths[0][:4] == [0, 1, 1, 0]
    assert paths[1] == [0, 1, 1]


def legal_by(rules: Rules, graph: Graph) -> list[Graph]:
    """Return every graph that one legal move leads to, one for each move."""
    return [
        after
        for _, after in neighbours(graph)
        if all(
            len(s) <= rules.limits[y]
            and all(rules.allowed[y, x] for x in s)
            and (rules.required is None or all(x in s for x in np.flatnonzero(rules.required[y])))
            for y, s in enumerate(after)
        )
    ]


@given(st.integers(1, 5), st.integers(0, 2**32 - 1))
@examples(60)
def test_random_moves_are_legal(n, seed):
    """Each of ten moves leads to a neighbour that the rules allow, or there is none; required edges stay."""
    rng = np.random.default_rng(seed)
    allowed = rng.random((n, n)) < 0.7
    required = np.zeros((n, n), dtype=bool)
    if n > 1 and seed % 2:
        required[1, 0] = allowed[1, 0] = True
    rules = Rules(allowed=allowed, limits=rng.integers(1, n + 1, n), required=required)
    climber = climber_of(Table(20, (("uniform", 2),) * n, seed=1), "bic", rules)
    here = tuple(frozenset(np.flatnonzero(row).tolist()) for row in required)
    for word in rng.integers(2**64, size=10, dtype=np.uint64):
        climber.start([sorted(s) for s in here], moves=np.array([word]))
        after = tuple(map(frozenset, climber.current_parents))
        assert after in (legal_by(rules, here) or [here])
        here = after


def test_random_moves_are_drawn_with_equal_chances():
    """
    From 0 -> 1 and a third variable: delete, reverse, and four additions, each 500 times in 3,000, give or take 5 * 20.

    The edge 1 -> 0 would close a cycle; of 2 -> 0, 2 -> 1, 0 -> 2 and 1 -> 2 none does.
    """
    rules = Rules(allowed=np.ones((3, 3), dtype=bool), limits=np.full(3, 3))
    climber = climber_of(Table(20, (("uniform", 2),) * 3, seed=1), "bic", rules)
    begin: Graph = (frozenset(), frozenset({0}), frozenset())
    words, seen = np.random.default_rng(5).integers(2**64, size=3000, dtype=np.uint64), Counter()
    for i in range(3000):
        climber.start([[], [0], []], moves=words[i : i + 1])
        seen[tuple(map(frozenset, climber.current_parents))] += 1
    assert set(seen) == set(legal_by(rules, begin))
    assert len(seen) == 6
    assert all(abs(number - 500) < 5 * 21 for number in seen.values())


def test_a_climb_from_a_given_graph_breaks_ties_as_told():
    """Two equal columns tie both ways: the variable ranked first becomes the child."""
    table = Table(64, (("uniform", 2), ("copy", 2)), seed=3)
    climber = climber_of(table, "bic", Rules(allowed=np.ones((2, 2), dtype=bool), limits=np.full(2, 2)))
    for ranked, expected in [((0, 1), [[1], []]), ((1, 0), [[], [0]])]:
        climber.start([(), ()], np.array(ranked))
        for _ in climber.climb():
            pass
        assert climber.current_parents == expected


def test_families_met_before_are_not_computed_again():
    """The second climb from the same graph asks for the same local scores and computes none."""
    table = Table(200, (("uniform", 2), ("function", 3), ("skewed", 2), ("function", 2), ("copy", 2)), seed=1)
    climber = climber_of(table, "bic", Rules(allowed=np.ones((5, 5), dtype=bool), limits=np.full(5, 5)))
    work = []
    for _ in range(2):
        climber.start([()] * 5)
        for _ in climber.climb():
            pass
        work.append((climber.asked, climber.computed))
    assert work[1] == (2 * work[0][0], work[0][1])
    assert work[0][1] >= 5 * 5


@given(st.integers(2, 70), st.integers(0, 2**32 - 1))
@examples(30)
def test_ancestors_stay_right_under_random_changes(n, seed):
    """After 150 random additions and deletions, legality and ancestors equal those found by following the edges."""
    rng = np.random.default_rng(seed)
    words = -(-n // 64)
    bits = [np.zeros((n, words), dtype=np.uint64) for _ in range(2)]
    graph = (*bits, np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.uint64))
    parents = [set() for _ in range(n)]
    for _ in range(150):
        x, y = (int(v) for v in rng.choice(n, 2, replace=False))
        if x in parents[y]:
            turned = [s - {x} if v == y else s | {y} if v == x else s for v, s in enumerate(parents)]
            assert can_reverse(graph, x, y) == is_acyclic(list(map(frozenset, turned)))
            drop_edge(graph, x, y)
            parents[y].remove(x)
        elif can_add(graph, x, y):
            add_edge(graph, x, y)
            parents[y].add(x)
        else:
            assert not is_acyclic([frozenset(s | {x}) if v == y else frozenset(s) for v, s in enumerate(parents)])
    for y in range(n):
        above, new = set(), set(parents[y])
        while new:
            above |= new
            new = {z for x in new for z in parents[x]} - above
        assert {x for x in range(n) if has_bit(graph[ANCESTORS][y], x)} == above
        assert {x for x in range(n) if has_bit(graph[PARENTS][y], x)} == parents[y]
        assert graph[SIZES][y] == len(parents[y])
