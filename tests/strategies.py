"""Hypothesis: random tables with the shapes that break counting code, and how many of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bnsearch.data import Dataset

# Rows come in words of 64 bits: the ends of the first words, and the smallest tables.
EDGES = (1, 2, 63, 64, 65, 127, 128, 129, 192, 256, 300)
KINDS = ("uniform", "skewed", "gaps", "constant", "copy", "function")
# One table with every kind of column and arities 1, 2 and 30.
MIXED = (
    ("uniform", 2),
    ("skewed", 2),
    ("gaps", 7),
    ("copy", 7),
    ("constant", 3),
    ("uniform", 30),
    ("function", 1),
)
# Every way to count must serve every set.
REPRESENTATIONS = ("auto", "bitmap", "dense", "sparse")


def examples(number: int) -> settings:
    """Return the settings of a test that tries some number of examples; fewer under a profile of fewer than 100."""
    return settings(max_examples=max(5, number * settings().max_examples // 100))


@dataclass(frozen=True)
class Table:
    """
    A recipe for a table of codes, so that a failing example prints as one short line that can be run again.

    Parameters
    ----------
    n_rows : the number of rows
    columns : for each variable its kind and its declared arity
    seed : of the generator that draws the codes

    Kinds: *uniform* and *skewed* are random; *gaps* shows only some of its states; *constant* shows one;
    *copy* repeats the column before it, states and all; *function* is determined by the two before it.
    """

    n_rows: int
    columns: tuple[tuple[str, int], ...]
    seed: int

    @cached_property
    def arities(self) -> tuple[int, ...]:
        """The declared arities; a copy has the arity of what it copies."""
        arities: list[int] = []
        for kind, arity in self.columns:
            arities.append(arities[-1] if kind == "copy" and arities else arity)
        return tuple(arities)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """The codes, int64[variables, rows]."""
        rng = np.random.default_rng(self.seed)
        columns: list[NDArray[np.int64]] = []
        for (kind, _), arity in zip(self.columns, self.arities, strict=True):
            columns.append(_column(kind, arity, self.n_rows, columns, rng))
        return np.array(columns)

    @cached_property
    def dataset(self) -> Dataset:
        """The table as the library sees it."""
        return Dataset.from_codes(np.ascontiguousarray(self.codes.T), arities=self.arities)


def _column(
    kind: str, arity: int, n_rows: int, before: list[NDArray[np.int64]], rng: np.random.Generator
) -> NDArray[np.int64]:
    if kind == "copy" and before:
        return before[-1]
    if kind == "function" and before:
        return (2 * before[-1] + sum(before[-2:-1], start=np.ones(n_rows, dtype=np.int64))) % arity
    if kind == "skewed":
        return np.minimum(rng.geometric(0.8, size=n_rows) - 1, arity - 1)
    if kind == "gaps":
        return rng.choice(rng.permutation(arity)[: (arity + 1) // 2], size=n_rows)
    if kind == "constant":
        return np.full(n_rows, rng.integers(arity), dtype=np.int64)
    return rng.integers(arity, size=n_rows)


@st.composite
def tables(
    draw: st.DrawFn,
    *,
    min_variables: int = 1,
    max_variables: int = 7,
    max_rows: int = 300,
) -> Table:
    """
    Draw a table; half of the tables have as many variables as allowed, half a row count at a word's edge.

    The largest arity is drawn first: with 30 states in every column the penalties swamp the fit, and a wrong
    count would not show.
    """
    edges = st.sampled_from([n for n in EDGES if n <= max_rows])
    n_rows = draw(st.one_of(edges, st.integers(1, max_rows)))
    n_variables = draw(st.one_of(st.just(max_variables), st.integers(min_variables, max_variables)))
    top = draw(st.sampled_from((2, 3, 5, 30)))
    arity = st.one_of(st.just(top), st.integers(1, top))
    column = st.tuples(st.sampled_from(KINDS), arity)
    columns = draw(st.lists(column, min_size=n_variables, max_size=n_variables))
    return Table(n_rows, tuple(columns), draw(st.integers(0, 2**32 - 1)))


@st.composite
def tables_and_sets(draw: st.DrawFn) -> tuple[Table, tuple[int, ...]]:
    """Draw a table and some of its variables in any order, possibly none and at most 7."""
    table = draw(tables())
    order = draw(st.permutations(range(len(table.columns))))
    return table, tuple(order[: draw(st.integers(0, len(order)))])


@st.composite
def tables_and_families(draw: st.DrawFn) -> tuple[Table, int, tuple[int, ...]]:
    """Draw a table, a child and 0 to 6 parents in any order."""
    table = draw(tables())
    child, *others = draw(st.permutations(range(len(table.columns))))
    return table, child, tuple(others[: draw(st.integers(0, len(others)))])


Parents = list[list[int]]


@st.composite
def covered_edge_reversals(draw: st.DrawFn) -> tuple[Table, Parents, Parents]:
    """
    Draw a table and the parent lists of two DAGs that differ by one reversed covered edge.

    An edge x -> y is covered when y's parents are x and x's parents; its reversal stays in the equivalence
    class (Chickering 1995).
    """
    table = draw(tables(min_variables=2, max_variables=6))
    order = draw(st.permutations(range(len(table.columns))))
    parents: Parents = [[] for _ in order]
    for i, v in enumerate(order):
        parents[v] = [u for u in order[:i] if draw(st.booleans())]
    at = draw(st.integers(0, len(order) - 2))
    x, y = order[at], order[at + 1]
    parents[y] = [*parents[x], x]
    reversed_parents = [list(ps) for ps in parents]
    reversed_parents[y], reversed_parents[x] = list(parents[x]), [*parents[x], y]
    return table, parents, reversed_parents
