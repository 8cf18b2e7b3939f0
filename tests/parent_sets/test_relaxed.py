"""The relaxed solution against enumeration, and its weights by hand."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.graphs.dag import DAG
from bnsearch.parent_sets.jkl import read_scores
from bnsearch.parent_sets.relaxed import relaxed
from candidate_tables import table_of


@st.composite
def candidates(draw: st.DrawFn) -> list[dict[frozenset[int], float]]:
    """Draw up to five sets and the empty one for each of one to four variables; scores have many ties."""
    n = draw(st.integers(1, 4))
    score = st.integers(-12, 0).map(lambda x: x / 4)
    found = []
    for v in range(n):
        others = st.frozensets(st.sampled_from([u for u in range(n) if u != v] or [v]), max_size=n - 1)
        found.append({**draw(st.dictionaries(others, score, max_size=5)), frozenset(): draw(score)})
    return found


def is_dag(choice: tuple[frozenset[int], ...]) -> bool:
    """Return True if parent sets are free of cycles."""
    try:
        DAG([str(v) for v in range(len(choice))], choice)
    except InputError:
        return False
    return True


@given(candidates())
def test_bounds_every_dag(sets: list[dict[frozenset[int], float]]) -> None:
    """No choice of sets without a cycle scores above H*; the best choice with cycles scores the same."""
    found = relaxed(table_of(sets))
    choices = list(itertools.product(*sets))
    total = {c: sum(s[parents] for s, parents in zip(sets, c, strict=True)) for c in choices}
    assert found.score == pytest.approx(max(total.values()))
    assert max(total[c] for c in choices if is_dag(c)) <= found.score + 1e-9
    assert found.score == pytest.approx(total[tuple(frozenset(found.parents_of(v)) for v in range(len(sets)))])


@given(candidates())
def test_weights_by_definition(sets: list[dict[frozenset[int], float]]) -> None:
    """The weight of j -> i is the best score less the best among all listed subsets of the best set without j."""
    found = relaxed(table_of(sets))
    for v, own in enumerate(sets):
        parents = found.parents_of(v)
        for j, weight in parents.items():
            without = max(score for s, score in own.items() if s <= frozenset(parents) - {j})
            assert weight == pytest.approx(own[frozenset(parents)] - without)
            assert weight > 0


def test_example() -> None:
    """
    Variable 0 does best with {1, 2}, at -1: without 1 it has {2}, at -3; without 2 only the empty set, at -7.

    {1} scores -8, below the empty set, and is not in the table. Variable 1 does best with {0}, -2 against -2.5: H* has
    the cycle 0 -> 1 -> 0. The sum is -1 - 2 - 4 = -7.
    """
    table = table_of(
        [
            {frozenset(): -7.0, frozenset({1}): -8.0, frozenset({2}): -3.0, frozenset({1, 2}): -1.0},
            {frozenset(): -2.5, frozenset({0}): -2.0},
            {frozenset(): -4.0, frozenset({0, 1}): -4.0},
        ]
    )
    found = relaxed(table)
    assert found.score == -7.0
    assert [found.parents_of(v) for v in range(3)] == [{1: 2.0, 2: 6.0}, {0: 0.5}, {}]
    assert found.in_degrees.tolist() == [2, 1, 0]
    assert found.mean_in_degree == 1.0
    assert found.max_in_degree == 2
    assert found.names == ("x0", "x1", "x2")
    assert repr(found) == "Relaxed(3 variables, 3 edges, score -7.000000)"
    with pytest.raises(ValueError, match="read-only"):
        found.weights[0] = 1.0


def test_iris(shared_data: Path) -> None:
    """The best local scores, -96.093098 - 121.576079 - 41.775363 - 36.18801 - 36.508352, bound the known optimum."""
    found = relaxed(read_scores(shared_data / "scores" / "iris_BIC.txt"))
    assert found.score == pytest.approx(-332.140902, abs=1e-9)
    assert found.score > -465.435028
    assert found.parents_of(2) == {4: pytest.approx(169.482136 - 41.775363)}
