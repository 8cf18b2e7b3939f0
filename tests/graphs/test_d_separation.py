"""d-separation and Markov blankets against their definitions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference_graphs as ref
from bnsearch.errors import InputError
from bnsearch.graphs import DAG


def find_paths(dag: DAG, path: tuple[int, ...], end: int) -> Iterator[tuple[int, ...]]:
    """Yield all paths without repeated variables that begin with `path` and end at `end`."""
    if path[-1] == end:
        yield path
        return
    for step in {*dag.parents[path[-1]], *dag.children[path[-1]]} - {*path}:
        yield from find_paths(dag, (*path, step), end)


def find_descendants(dag: DAG, x: int) -> set[int]:
    """Return a variable and its descendants."""
    return {x}.union(*(find_descendants(dag, child) for child in dag.children[x]))


def is_active(dag: DAG, path: tuple[int, ...], given: set[int]) -> bool:
    """Return True if no variable between the ends of a path blocks it: Pearl's definition."""
    for before, x, after in zip(path, path[1:], path[2:], strict=False):
        collider = before in dag.parents[x] and after in dag.parents[x]
        if collider and find_descendants(dag, x).isdisjoint(given):
            return False
        if not collider and x in given:
            return False
    return True


@given(ref.dags(6), st.lists(st.sampled_from(["left", "right", "given", "none"]), min_size=6, max_size=6))
def test_d_separation_by_enumeration_of_paths(dag: DAG, roles: list[str]) -> None:
    """Two groups are d-separated if and only if no path between them is active."""
    groups = {role: [x for x in range(6) if roles[x] == role] for role in ("left", "right", "given")}
    paths = (path for a in groups["left"] for b in groups["right"] for path in find_paths(dag, (a,), b))
    expected = not any(is_active(dag, path, set(groups["given"])) for path in paths)
    named = {role: [dag.names[x] for x in group] for role, group in groups.items()}
    assert dag.d_separated(named["left"], named["right"], named["given"]) == expected
    assert dag.d_separated(named["right"], named["left"], named["given"]) == expected


@given(ref.dags(6), st.integers(0, 5))
def test_the_blanket_is_the_smallest_separating_set(dag: DAG, x: int) -> None:
    """A variable is d-separated from all others given its blanket, and from no member given the other members."""
    name = dag.names[x]
    blanket = dag.markov_blanket(name)
    others = [other for other in dag.names if other != name and other not in blanket]
    assert dag.d_separated(name, others, blanket)
    for member in blanket:
        assert not dag.d_separated(name, member, [other for other in blanket if other != member])


def test_a_collider_is_opened_by_its_descendant() -> None:
    """In a -> c <- b with c -> d, observing d makes a and b dependent."""
    dag = DAG.from_edges("abcd", ["ac", "bc", "cd"])
    assert dag.d_separated("a", "b")
    assert not dag.d_separated("a", "b", "d")
    assert dag.d_separated(["a", "b"], "d", "c")
    assert dag.d_separated([], "d")
    assert dag.markov_blanket("a") == ("b", "c")
    assert DAG.empty("ab").markov_blanket("a") == ()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("smok", "lung"), r"the first variables: there is no variable 'smok' \(did you mean 'smoke'\?\); the var"),
        (("smoke", "lung", ["lung"]), "needs disjoint groups of variables: 'lung' occurs in two of them"),
        (("smoke", ["lung", "lung"]), "the second variables: the variable 'lung' occurs twice"),
        (("smoke", 3), "the second variables must be the name of a variable or a list of names, not 3"),
        (("smoke", [1]), "the second variables: a variable is given by its name, which is text, not 1"),
    ],
)
def test_wrong_names_are_rejected(arguments: tuple[object, ...], message: str) -> None:
    """The message says which argument is wrong, and which names exist."""
    dag = DAG.from_edges(["smoke", "lung"], [("smoke", "lung")])
    with pytest.raises(InputError, match=message):
        dag.d_separated(*arguments)


def test_the_blanket_of_an_unknown_variable_is_rejected() -> None:
    """The message names the variables of the graph."""
    with pytest.raises(InputError, match="markov_blanket: there is no variable 'c'; the variables are 'a', 'b'"):
        DAG.empty("ab").markov_blanket("c")
