"""Meek's rules: each alone on its figure, all together against enumeration."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise, permutations

import pytest

import reference_graphs as ref
from bnsearch.errors import InputError
from bnsearch.graphs import PDAG, cpdag, meek_closure
from bnsearch.graphs.meek import (
    MEEK_RULES,
    is_oriented_by_meek_rule_1,
    is_oriented_by_meek_rule_2,
    is_oriented_by_meek_rule_3,
    is_oriented_by_meek_rule_4,
)

Rule = Callable[[PDAG, int, int], bool]
A, B = 0, 1
# The figures of Meek (1995), named so that the edge a - b is the one that becomes a -> b.
FIGURES = {
    is_oriented_by_meek_rule_1: PDAG.from_edges("abc", ["ca"], ["ab"]),
    is_oriented_by_meek_rule_2: PDAG.from_edges("abc", ["ac", "cb"], ["ab"]),
    is_oriented_by_meek_rule_3: PDAG.from_edges("abcd", ["cb", "db"], ["ab", "ac", "ad"]),
    is_oriented_by_meek_rule_4: PDAG.from_edges("abcd", ["dc", "cb"], ["ab", "ac", "ad"]),
}


@pytest.mark.parametrize("rule", MEEK_RULES)
def test_a_rule_holds_on_its_own_figure_only(rule: Rule) -> None:
    """Each rule directs a -> b in its figure, never b -> a, and none of the other figures."""
    for owner, figure in FIGURES.items():
        assert rule(figure, A, B) == (rule is owner)
        assert not rule(figure, B, A)


@pytest.mark.parametrize(
    ("rule", "directed", "undirected"),
    [
        (is_oriented_by_meek_rule_1, ["ca"], ["ab", "bc"]),  # c and b adjacent
        (is_oriented_by_meek_rule_2, ["ac"], ["ab", "cb"]),  # the chain is broken
        (is_oriented_by_meek_rule_3, ["cb", "db"], ["ab", "ac", "ad", "cd"]),  # c and d adjacent
        (is_oriented_by_meek_rule_3, ["cb", "db", "ca"], ["ab", "ad"]),  # c - a has a direction
        (is_oriented_by_meek_rule_4, ["dc", "cb"], ["ab", "ac", "ad", "bd"]),  # d and b adjacent
        (is_oriented_by_meek_rule_4, ["dc", "cb"], ["ab", "ad"]),  # a and c not adjacent
    ],
)
def test_a_rule_needs_all_of_its_figure(rule: Rule, directed: list[str], undirected: list[str]) -> None:
    """Changing one edge of a figure stops its rule."""
    graph = PDAG.from_edges("abcd", directed, undirected)
    assert not rule(graph, A, B)


def test_rule_4_is_needed_for_background_knowledge() -> None:
    """In its figure rules 1 to 3 direct nothing at all, and rule 4 alone gives a -> b."""
    figure = FIGURES[is_oriented_by_meek_rule_4]
    assert not any(
        rule(figure, i, j) for i, j in permutations(range(4), 2) if j in figure.neighbours[i] for rule in MEEK_RULES[:3]
    )
    assert set(meek_closure(figure).directed_edges) == {("d", "c"), ("c", "b"), ("a", "b")}


@pytest.mark.parametrize("n", [2, 3, 4])
def test_closure_is_what_all_extensions_share(n: int) -> None:
    """On every PDAG that has an extension the closure is the overlay of all of them (Meek's theorem 4)."""
    for arcs in ref.all_graphs(n, undirected=True):
        extensions = ref.consistent_extensions(n, arcs)
        if extensions:
            assert ref.arcs_of_pdag(meek_closure(ref.make_pdag(n, arcs))) == ref.union(extensions)


def test_closure_of_every_pattern_is_its_cpdag() -> None:
    """For all 8,782 classes over five variables, with only the v-structures directed."""
    for (_, colliders), members in ref.equivalence_classes(5).items():
        arrows = {(parent, child) for parents, child in colliders for parent in parents}
        pattern = frozenset(arrows | {(j, i) for i, j in members[0] if (i, j) not in arrows} | members[0])
        assert ref.arcs_of_pdag(meek_closure(ref.make_pdag(5, pattern))) == ref.union(members)


def test_closure_orients_a_long_chain() -> None:
    """One arrow at the head of v0 -> v1 - v2 - ... - v300 runs down by rule 1, one edge at a time."""
    names = [f"v{i}" for i in range(301)]
    chain = list(pairwise(names))
    assert meek_closure(PDAG.from_edges(names, chain[:1], chain[1:])).directed_edges == chain


def test_closure_of_a_closed_graph_is_itself() -> None:
    """A CPDAG has nothing left to direct."""
    completed = cpdag(ref.random_dag(100, 200, seed=3))
    assert meek_closure(completed) == completed


def test_a_contradiction_is_refused() -> None:
    """With a -> b - c <- d rule 1 wants b -> c and c -> b."""
    with pytest.raises(InputError, match="no consistent extension"):
        meek_closure(PDAG.from_edges("abcd", ["ab", "dc"], ["bc"]))
