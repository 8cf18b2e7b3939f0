"""The candidate table against a filter by definition."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnsearch.errors import InputError
from bnsearch.parent_sets.rows import Families
from bnsearch.parent_sets.table import ParentSets
from bnsearch.scores.score import TOLERANCE

Row = tuple[int, float, tuple[int, ...]]
Sets = dict[frozenset[int], float]


def build(n: int, rows: list[Row], **options: bool | int) -> ParentSets:
    """Make a table of variables x0, x1, ... from rows (child, score, parents)."""
    return ParentSets.build(
        [f"x{v}" for v in range(n)],
        np.array([child for child, _, _ in rows], dtype=np.int32),
        np.array([score for _, score, _ in rows], dtype=np.float64),
        np.cumsum([0] + [len(parents) for _, _, parents in rows]),
        np.array([p for _, _, parents in rows for p in parents], dtype=np.int32),
        **options,  # type: ignore[arg-type]
    )


def by_definition(n: int, rows: list[Row]) -> list[Sets]:
    """Give each set its best score; keep those that no proper subset matches or beats, up to the tolerance."""
    kept = []
    for v in range(n):
        best: Sets = {}
        for child, score, parents in rows:
            if child == v:
                best[frozenset(parents)] = max(score, best.get(frozenset(parents), -np.inf))
        kept.append({s: score for s, score in best.items() if not is_dominated(s, score, best)})
    return kept


def is_dominated(parents: frozenset[int], score: float, best: Sets) -> bool:
    """Compare with every set, or with every subset if there are fewer of these."""
    least = score - TOLERANCE * max(1.0, abs(score))
    if 2 ** len(parents) < len(best):
        subsets = (frozenset(s) for k in range(len(parents)) for s in combinations(sorted(parents), k))
        return any(best.get(s, -np.inf) >= least for s in subsets)
    return any(s < parents and other >= least for s, other in best.items())


def check(n: int, rows: list[Row], **options: bool | int) -> ParentSets:
    """Compare with the definition, content and order; return the table."""
    table = build(n, rows, **options)
    for v, expected in enumerate(by_definition(n, rows)):
        found = list(table.sets(v))
        assert {frozenset(parents): score for score, parents in found} == expected
        assert len(found) == len(expected)
        assert [(-score, len(parents)) for score, parents in found] == sorted((-x, len(s)) for s, x in expected.items())
        assert all(parents == tuple(sorted(parents)) for _, parents in found)
        assert found[-1][1] == ()
    return table


@st.composite
def all_rows(draw: st.DrawFn) -> tuple[int, list[Row]]:
    """Draw rows of up to 7 variables in any order: repeated sets, many equal scores, some closer than the tolerance."""
    n = draw(st.integers(1, 7))
    score = st.one_of(
        st.integers(-8, 2).map(float),
        st.tuples(st.integers(-8, 2), st.integers(-20, 20)).map(lambda x: x[0] * (1 + x[1] * TOLERANCE / 10)),
        st.floats(-1e6, 1e6),
    )
    rows: list[Row] = []
    for v in range(n):
        others = st.permutations([u for u in range(n) if u != v])
        sets = st.tuples(others, st.integers(0, n - 1)).map(lambda x: tuple(x[0][: x[1]]))
        rows += [(v, draw(score), ())] + [(v, draw(score), s) for s in draw(st.lists(sets, max_size=25))]
    return n, draw(st.permutations(rows))


@given(all_rows())
def test_equals_definition(case: tuple[int, list[Row]]) -> None:
    """Any rows, in any order, give the sets that no subset matches or beats, best first."""
    check(*case)


@given(all_rows())
def test_nothing_more_to_drop(case: tuple[int, list[Row]]) -> None:
    """The rows of a table give the same table, with and without the information that they are pruned."""
    n, rows = case
    table = build(n, rows)
    own = [(v, score, parents) for v in range(n) for score, parents in table.sets(v)]
    for again in (build(n, own), build(n, own, max_pruned_size=n)):
        assert [list(again.sets(v)) for v in range(n)] == [list(table.sets(v)) for v in range(n)]


def test_ties() -> None:
    """
    At -100 the tolerance is 100 * 1e-10 = 1e-8: {1} is 5e-9 above the empty set and goes, {2} is 2e-8 above and stays.

    {1, 2} is 5e-9 above {2} and goes; {1, 3} is 5e-9 below {3} and goes; {3} is listed twice, and the better stays.
    """
    rows: list[Row] = [
        (0, -100.0, ()),
        (0, -100 + 5e-9, (1,)),
        (0, -100 + 2e-8, (2,)),
        (0, -100 + 2.5e-8, (2, 1)),
        (0, -98.0, (3,)),
        (0, -99.0, (3,)),
        (0, -98 - 5e-9, (3, 1)),
        *((v, 0.0, ()) for v in (1, 2, 3)),
    ]
    table = check(4, rows)
    assert list(table.sets(0)) == [(-98.0, (3,)), (-100 + 2e-8, (2,)), (-100.0, ())]


def test_smaller_sets_first_among_equals() -> None:
    """Of two sets with one score, neither inside the other, the smaller comes first, wherever the rows stood."""
    rows: list[Row] = [(0, -1.0, (1, 2)), (0, -1.0, (3,)), (0, -5.0, ()), *((v, 0.0, ()) for v in (1, 2, 3))]
    for order in (rows, rows[::-1]):
        assert [parents for _, parents in build(4, order).sets(0)] == [(3,), (1, 2), ()]


@pytest.mark.parametrize("sizes", [(10, 13), (12, 16), (25, 40), (60, 70)])
def test_large_sets(sizes: tuple[int, int]) -> None:
    """Sets with more subsets than there are sets, up to 70 members, chains of them and repetitions."""
    rng = np.random.default_rng(sizes)
    n = 90
    rows: list[Row] = [(v, -float(v) - 50, ()) for v in range(n)]
    for _ in range(60):
        chain = rng.permutation(np.arange(1, n))
        for size in rng.integers(sizes[0], sizes[1], 4, endpoint=True):
            rows += [
                (0, float(rng.integers(-40, 0)), tuple(rng.permutation(chain[:size]).tolist()))
                for _ in range(rng.integers(1, 3))
            ]
    table = check(n, rows)
    assert table.max_parents > sizes[0]
    assert 1 < table.n_sets - n < len({frozenset(s) for _, _, s in rows}) - 1


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_long_lists(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of sets of up to five parents, with many subsets among them, in one thread and in several."""
    monkeypatch.setattr("bnsearch.parent_sets.rows.MIN_ROWS_PER_THREAD", 0)
    monkeypatch.setattr("bnsearch.parent_sets.rows.FEW_ROWS", 0)
    monkeypatch.setattr("bnsearch.parent_sets.rows.ROWS_PER_CHUNK", 100)
    rng = np.random.default_rng(5)
    n = 14
    rows: list[Row] = [(v, -100.0, ()) for v in range(n)]
    for _ in range(20_000):
        child, *parents = rng.permutation(n)[: rng.integers(2, 7)].tolist()
        rows.append((child, float(np.round(rng.normal(4 * len(parents), 6), 1)) - 100, tuple(parents)))
    table = check(n, rows, threads=threads)
    assert 1_000 < table.n_sets < 10_000


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([(0, -1.0, ())], "variable 'x1' lacks the score of its empty parent set"),
        ([(0, -1.0, ()), (1, -1.0, (0,))], "variable 'x1' lacks the score of its empty parent set"),
        ([(0, -1.0, ()), (1, -1.0, ()), (1, 0.0, (0, 0))], "a parent set of 'x1' holds a variable twice"),
        ([(0, -1.0, ()), (1, -1.0, ()), (1, 0.0, (1,))], "a parent set of 'x1' holds .* itself"),
        ([(0, -1.0, ()), (1, -1.0, ()), (1, 0.0, (2,))], "a parent set of 'x1' holds .* no variable"),
        ([(0, -1.0, ()), (1, -1.0, ()), (1, 0.0, (-1,))], "a parent set of 'x1' holds .* no variable"),
        ([(0, -1.0, ()), (1, -1.0, ()), (2, 0.0, ())], "the rows' variables must be 0 to 1"),
        ([(0, -1.0, ()), (1, -1.0, ()), (-1, 0.0, ())], "the rows' variables must be 0 to 1"),
        ([(0, -1.0, ()), (1, -np.inf, ())], "a score of 'x1' is -inf, not a finite number"),
        ([(0, -1.0, ()), (1, np.nan, ())], "a score of 'x1' is nan, not a finite number"),
        ([], "variable 'x0' lacks"),
    ],
)
def test_refused(rows: list[Row], message: str) -> None:
    """Rows that make no table are an error with the variable's name."""
    with pytest.raises(InputError, match=message):
        build(2, rows)


def test_what_a_table_tells() -> None:
    """Sizes, counts, members and the short description of a table of two variables; its arrays are read-only."""
    table = build(2, [(1, -2.0, ()), (0, -3.0, ()), (1, -1.0, (0,))])
    assert (table.n_variables, table.n_sets, table.max_parents) == (2, 3, 1)
    assert table.begin.tolist() == [0, 1, 3]
    assert table.sizes.tolist() == [0, 1, 0]
    assert [table.parents(row) for row in range(3)] == [(), (0,), ()]
    assert repr(table) == "ParentSets(2 variables, 3 sets, up to 1 parents)"
    with pytest.raises(ValueError, match="read-only"):
        table.scores[0] = 0.0


def test_leaves_the_rows_alone() -> None:
    """The arrays that a table is made from stay as they are, and can still be changed."""
    members = np.array([2, 1], dtype=np.int32)
    child, scores, first = (
        np.array([0, 0, 1, 2], dtype=np.int32),
        np.array([0.0, -1, -1, -1]),
        np.array([0, 2, 2, 2, 2]),
    )
    table = ParentSets.build(["a", "b", "c"], child, scores, first, members)
    assert table.parents(0) == (1, 2)
    assert members.tolist() == [2, 1]
    for array in (child, scores, first, members):
        assert array.flags.writeable


def test_tables_from_families():
    """Families in two parts make the same table as their rows in one, and a table gives its families back."""
    child, sizes = np.array([0, 1, 1], dtype=np.int32), np.array([0, 2, 0])
    first = Families(child, np.array([-1.0, -2.0, -5.0]), sizes, np.array([2, 0], dtype=np.int32))
    second = Families(child[1:] + 1, np.array([-4.0, -3.0]), np.array([0, 1]), np.array([0], dtype=np.int32))
    table = ParentSets.from_families(["a", "b", "c"], [first, second])
    assert [list(table.sets(v)) for v in range(3)] == [
        [(-1.0, ())],
        [(-2.0, (0, 2)), (-5.0, ())],
        [(-3.0, (0,)), (-4.0, ())],
    ]
    again = ParentSets.from_families(table.names, [table.families])
    assert [list(again.sets(v)) for v in range(3)] == [list(table.sets(v)) for v in range(3)]
